"""
Making a volume isotropic
=========================

Scanners often take thick slices: here 4 mm apart, with pixels of 1 mm.  Resampling one axis of the
three makes voxels that are cubes; the other two are not touched.
"""

import matplotlib.pyplot as plt
import numpy as np

import upsample

z, y, x = np.mgrid[0:24, 0:96, 0:96].astype(np.float32)
z = 4 * z + 2  # in millimetres
ball = 40 - np.sqrt((z - 48) ** 2 + (y - 48) ** 2 + (x - 48) ** 2)
volume = 1 / (1 + np.exp(-ball / 2)) + 0.3 * np.exp(-((x - 40) ** 2 + (y - 52) ** 2) / 60)

isotropic = upsample.interpolate(volume, size=96, mode="cubic", axes=0)
print(volume.shape, "->", isotropic.shape)

figure, axes = plt.subplots(1, 2, figsize=(7, 3.4), layout="constrained")
axes[0].imshow(volume[:, 48], cmap="gray", aspect=4, interpolation="nearest")
axes[0].set_title("slices of 4 mm")
axes[1].imshow(isotropic[:, 48], cmap="gray", interpolation="nearest")
axes[1].set_title("1 mm, cubic")
for axis in axes:
    axis.set_axis_off()

# %%
# The adjoint brings a gradient with respect to the fine volume back to the slices that were
# measured, as reconstruction methods need it.
gradient = upsample.interpolate_backward(np.ones_like(isotropic), 24, mode="cubic", axes=0)
print(gradient.shape, float(gradient.mean()))
