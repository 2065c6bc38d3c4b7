"""
Training a network that enlarges
================================

A tiny network in plain NumPy: 3 × 3 convolutions before a bilinear enlargement and one after it.
The gradient of the enlargement is ``interpolate_backward``; everything else is a few lines.
"""

import matplotlib.pyplot as plt
import numpy as np

import upsample

rng = np.random.default_rng(0)


def shifts(x):
    """The nine neighbours of every pixel: (channels, h, w) -> (9 · channels, h, w)."""
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    h, w = x.shape[1:]
    return np.concatenate([padded[:, i : i + h, j : j + w] for i in range(3) for j in range(3)])


def shifts_backward(g, channels):
    h, w = g.shape[1:]
    padded = np.zeros((channels, h + 2, w + 2))
    for k in range(9):
        i, j = divmod(k, 3)
        padded[:, i : i + h, j : j + w] += g[k * channels : (k + 1) * channels]
    return padded[:, 1:-1, 1:-1]


def pair():
    """A small picture of smooth blobs, and the same at twice the size."""
    large = upsample.interpolate(rng.standard_normal((12, 12)), size=48, mode="lanczos3")
    large = np.tanh(3 * large)
    return upsample.interpolate(large, size=24, mode="linear", antialias=True)[None], large[None]


first = 0.2 * rng.standard_normal((8, 9))  # 1 channel in, 8 out
last = np.zeros((1, 72))  # 8 channels in, 1 out
last[0, 4 * 8] = 1
losses, plain = [], []
for _ in range(600):
    x, wanted = pair()
    # Forward.
    columns = shifts(x)
    hidden = np.maximum(np.tensordot(first, columns, 1), 0)
    hidden[0] = x[0]  # the picture itself is one of the channels
    large = upsample.interpolate(hidden, size=(48, 48), mode="bilinear")
    large_columns = shifts(large)
    y = np.tensordot(last, large_columns, 1)
    losses.append(np.mean((y - wanted) ** 2))
    plain.append(np.mean((large[0] - wanted[0]) ** 2))
    # Backward.
    g = 2 * (y - wanted) / y.size
    g_last = np.tensordot(g, large_columns, ((1, 2), (1, 2)))
    g_large = shifts_backward(np.tensordot(last.T, g, 1), 8)
    g_hidden = upsample.interpolate_backward(g_large, (24, 24), mode="bilinear")
    g_first = np.tensordot(g_hidden * (hidden > 0), columns, ((1, 2), (1, 2)))
    g_first[0] = 0
    last -= 0.05 * g_last
    first -= 0.05 * g_first

# %%
figure, axis = plt.subplots(figsize=(5.5, 3), layout="constrained")
window = np.ones(20) / 20
axis.plot(np.convolve(losses, window, "valid"), label="network")
axis.plot(np.convolve(plain, window, "valid"), label="bilinear alone")
axis.set_title("Error while the network learns")
axis.set_xlabel("step")
axis.set_ylabel("mean squared error")
axis.set_yscale("log")
axis.legend()
print(f"error at the end: {np.mean(losses[-50:]):.4f}, bilinear {np.mean(plain[-50:]):.4f}")
assert np.mean(losses[-50:]) < np.mean(plain[-50:])
