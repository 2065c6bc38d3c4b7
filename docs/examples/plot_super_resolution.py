"""
Super-resolution of a photograph
================================

A photograph was shrunk.  Among all large pictures that shrink to exactly what we have, which one?
Gradient descent with the exact adjoint, and SciPy's ``lsqr`` with the same operator, both start
from a plain enlargement and correct it until it fits.
"""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse.linalg import lsqr

import upsample

with np.load(Path(upsample.__file__).parent / "_data" / "photo.npz") as data:
    photo = data["photo"].mean(axis=2)[40:232, 32:224] / 255

shrink = upsample.Resampler(photo.shape, (96, 96), mode="linear", antialias=True)
small = shrink.forward(photo)

# %%
# Gradient descent on ½‖W x − small‖²: the gradient is Wᵀ (W x − small).  Wᵀ W is at most about
# 1/4 here, the square of the ratio of lengths, so a step of 4 is safe.
start = upsample.interpolate(small, size=photo.shape, mode="cubic")
x, errors = start.copy(), []
for _ in range(40):
    residual = shrink.forward(x) - small
    errors.append(np.sqrt(np.mean((x - photo) ** 2)))
    x -= 4 * shrink.adjoint(residual)

# %%
# The same with a solver that needs fewer steps.
A = shrink.as_linear_operator(photo.shape)
correction = lsqr(A, (small - shrink.forward(start)).ravel(), iter_lim=20)[0]
solved = start + correction.reshape(photo.shape)

figure, axes = plt.subplots(2, 2, figsize=(7, 7.4), layout="constrained")
pictures = {"96 × 96": small, "cubic": start, "lsqr": solved, "the photograph": photo}
for axis, (title, picture) in zip(axes.flat, pictures.items(), strict=True):
    axis.imshow(picture, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
    axis.set_title(title)
    axis.set_axis_off()

# %%
figure, axis = plt.subplots(figsize=(5, 2.8), layout="constrained")
axis.plot(errors)
axis.set_title("Distance to the photograph")
axis.axhline(np.sqrt(np.mean((solved - photo) ** 2)), ls=":", label="lsqr")
axis.set_xlabel("step of gradient descent")
axis.set_ylabel("root mean square")
axis.legend()
print(f"fits what was seen within {np.abs(shrink.forward(solved) - small).max():.1e}")
assert errors[-1] < 0.85 * errors[0]
