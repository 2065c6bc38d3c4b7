"""Calls of other libraries and the same with upsample, as text.

The table of "Coming from …" is made of these rows when the pages are built, and a test runs both
sides of every row whose library is installed.  In the expressions `x` is an array of shape
(1, 3, 20, 30), `g` a gradient of shape (1, 3, 40, 45), `a` an image (20, 30), `c` an image with
colours last (20, 30, 3).
"""

from typing import NamedTuple


class Row(NamedTuple):
    library: str
    theirs: str
    ours: str
    off: float  # largest difference, relative to the largest value
    note: str = ""


#: What is imported before an expression of a library is run.
SETUP = {
    "torch": "import torch; import torch.nn.functional as F; t = torch.from_numpy(x)",
    "jax": "import jax",
    "scipy": "from scipy import ndimage",
    "skimage": "from skimage import transform",
    "cv2": "import cv2",
    "Pillow": "from PIL import Image; p = Image.fromarray(a)",
    "tensorflow": "import tensorflow as tf",
    "onnx": """
import numpy
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

def resize(x, sizes, **attributes):
    double = lambda name: helper.make_tensor_value_info(name, TensorProto.DOUBLE, None)
    sizes_ = helper.make_tensor_value_info("sizes", TensorProto.INT64, None)
    node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], **attributes)
    graph = helper.make_graph([node], "resize", [double("x"), sizes_], [double("y")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 19)])
    return ReferenceEvaluator(model).run(None, {"x": x, "sizes": numpy.array(sizes)})[0]
""",
}
MODULES = {"Pillow": "PIL"}
#: Libraries whose arrays are float32 here; the others compute in float64.
SINGLE = ("jax", "cv2", "Pillow", "tensorflow")

ROWS = [
    # torch: the same arguments, so one expression serves both.
    *(
        Row("torch", f"F.interpolate(t, {arguments})", f"upsample.interpolate(x, {arguments})", off)
        for arguments, off in [
            ("size=(40, 45)", 0.0),
            ('size=(40, 45), mode="nearest-exact"', 0.0),
            ('size=(40, 45), mode="bilinear"', 1e-14),
            ('size=(40, 45), mode="bilinear", align_corners=True', 1e-14),
            ('scale_factor=(2.0, 1.3), mode="bicubic"', 1e-14),
            ('size=(10, 12), mode="bilinear", antialias=True', 1e-14),
            ('size=(10, 12), mode="bicubic", antialias=True', 1e-14),
            ('size=(9, 7), mode="area"', 1e-14),
        ]
    ),
    Row(
        "torch",
        'torch.autograd.grad(F.interpolate(t.requires_grad_(), size=(40, 45), mode="bicubic"), '
        "t, torch.from_numpy(g))[0]",
        'upsample.interpolate_backward(g, (20, 30), mode="bicubic")',
        1e-14,
        "Backward; the input itself is not needed",
    ),
    Row(
        "jax",
        'jax.image.resize(x, (1, 3, 40, 45), "linear")',
        'upsample.interpolate(x, size=(40, 45), mode="linear", antialias=True)',
        1e-5,
        "JAX widens by default; axes that change are resized, whichever they are",
    ),
    Row(
        "jax",
        'jax.image.resize(x, (1, 3, 10, 12), "cubic")',
        'upsample.interpolate(x, size=(10, 12), mode="cubic", antialias=True)',
        1e-5,
    ),
    Row(
        "jax",
        'jax.image.resize(x, (1, 3, 40, 12), "lanczos3", antialias=False)',
        'upsample.interpolate(x, size=(40, 12), mode="lanczos3")',
        1e-5,
    ),
    Row(
        "jax",
        'jax.image.resize(x, (1, 3, 40, 12), "nearest")',
        'upsample.interpolate(x, size=(40, 12), mode="nearest-exact")',
        0.0,
    ),
    Row(
        "scipy",
        "ndimage.zoom(a, (2, 1.5), order=1)",
        'upsample.interpolate(a, size=(40, 45), mode="linear", align_corners=True)',
        1e-13,
        "`zoom` aligns the corners by default",
    ),
    Row(
        "scipy",
        'ndimage.zoom(a, (2, 1.5), order=1, grid_mode=True, mode="nearest")',
        'upsample.interpolate(a, size=(40, 45), mode="linear")',
        1e-13,
    ),
    Row(
        "scipy",
        'ndimage.zoom(a, (2, 1.5), order=0, grid_mode=True, mode="nearest")',
        'upsample.interpolate(a, size=(40, 45), mode="nearest-exact")',
        0.0,
    ),
    Row(
        "skimage",
        "transform.resize(a, (40, 45))",
        'upsample.interpolate(a, size=(40, 45), mode="linear", border="mirror")',
        1e-13,
        "The usual call, enlarging",
    ),
    Row(
        "skimage",
        'transform.resize(a, (40, 45), order=1, mode="edge", anti_aliasing=False)',
        'upsample.interpolate(a, size=(40, 45), mode="linear")',
        1e-13,
    ),
    Row(
        "skimage",
        'transform.resize(a, (40, 45), order=0, mode="edge", anti_aliasing=False)',
        'upsample.interpolate(a, size=(40, 45), mode="nearest-exact")',
        0.0,
    ),
    Row(
        "cv2",
        "cv2.resize(c, (45, 40), interpolation=cv2.INTER_LINEAR)",
        'upsample.interpolate(c, size=(40, 45), mode="linear", axes=(0, 1))',
        1e-6,
        "OpenCV's sizes are width first",
    ),
    Row(
        "cv2",
        "cv2.resize(c, (45, 40), interpolation=cv2.INTER_CUBIC)",
        'upsample.interpolate(c, size=(40, 45), mode="cubic", axes=(0, 1))',
        2e-6,
    ),
    Row(
        "cv2",
        "cv2.resize(c, (45, 40), interpolation=cv2.INTER_LANCZOS4)",
        'upsample.interpolate(c, size=(40, 45), mode="lanczos4", border="edge", axes=(0, 1))',
        2e-6,
    ),
    Row(
        "cv2",
        "cv2.resize(c, (12, 10), interpolation=cv2.INTER_AREA)",
        'upsample.interpolate(c, size=(10, 12), mode="box", axes=(0, 1))',
        2e-6,
        "When shrinking; enlarging, INTER_AREA is something else",
    ),
    Row(
        "cv2",
        "cv2.resize(c, (45, 40), interpolation=cv2.INTER_NEAREST)",
        "upsample.interpolate(c, size=(40, 45), axes=(0, 1))",
        0.0,
    ),
    Row(
        "Pillow",
        "p.resize((12, 10), Image.Resampling.BICUBIC)",
        'upsample.interpolate(a, size=(10, 12), mode="cubic", antialias=True)',
        1e-6,
        "Pillow's sizes are width first, and it always widens",
    ),
    Row(
        "Pillow",
        "p.resize((45, 40), Image.Resampling.LANCZOS)",
        'upsample.interpolate(a, size=(40, 45), mode="lanczos3", antialias=True)',
        1e-6,
    ),
    Row(
        "Pillow",
        "p.resize((12, 10), Image.Resampling.BILINEAR)",
        'upsample.interpolate(a, size=(10, 12), mode="linear", antialias=True)',
        1e-6,
    ),
    Row(
        "Pillow",
        "p.resize((12, 10), Image.Resampling.HAMMING)",
        'upsample.interpolate(a, size=(10, 12), mode="hamming", antialias=True)',
        1e-6,
    ),
    *(
        Row("onnx", f"resize(a, sizes={sizes}, {theirs})", f"upsample.interpolate(a, {ours})", off)
        for sizes, theirs, ours, off in [
            (
                (31, 17),
                'mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"',
                "size=(31, 17)",
                0.0,
            ),
            ((31, 17), 'mode="linear"', 'size=(31, 17), mode="linear"', 1e-12),
            (
                (31, 17),
                'mode="linear", coordinate_transformation_mode="align_corners"',
                'size=(31, 17), mode="linear", align_corners=True',
                1e-12,
            ),
            ((31, 17), 'mode="cubic"', 'size=(31, 17), mode="cubic"', 2e-6),
            (
                (31, 17),
                'mode="cubic", cubic_coeff_a=-0.5, exclude_outside=1',
                'size=(31, 17), mode="cubic", cubic_coeff=-0.5, border="renormalize"',
                2e-6,
            ),
            (
                (9, 17),
                'mode="linear", antialias=1, exclude_outside=1',
                'size=(9, 17), mode="linear", antialias=True',
                1e-12,
            ),
            (
                (9, 17),
                'mode="cubic", antialias=1, exclude_outside=1, cubic_coeff_a=-0.5',
                'size=(9, 17), mode="cubic", antialias=True',
                2e-6,
            ),
        ]
    ),
    *(
        Row(
            "tensorflow",
            f"tf.image.resize(c, {size}, {theirs})",
            f"upsample.interpolate(c, size={size}, {ours}, axes=(0, 1))",
            *rest,
        )
        for size, theirs, ours, *rest in [
            (
                (40, 45),
                '"bilinear"',
                'mode="linear"',
                5e-6,
                "Enlarging, TensorFlow computes coordinates in float32",
            ),
            ((10, 12), '"bilinear", antialias=True', 'mode="linear", antialias=True', 1e-6),
            ((10, 12), '"bicubic", antialias=True', 'mode="cubic", antialias=True', 1e-6),
            (
                (40, 45),
                '"bicubic"',
                'mode="catmull-rom"',
                1e-3,
                "Without antialias TensorFlow takes bicubic weights from a table of 1024 places; "
                "with it, also to enlarge, it computes them",
            ),
            *(
                ((10, 12), f'"{theirs}", antialias=True', f'mode="{ours}", antialias=True', 1e-6)
                for theirs, ours in [
                    ("lanczos3", "lanczos3"),
                    ("lanczos5", "lanczos5"),
                    ("mitchellcubic", "mitchell"),
                    ("gaussian", "gaussian"),
                ]
            ),
            ((10, 12), '"area"', 'mode="box"', 1e-6),
            ((40, 45), '"nearest"', 'mode="nearest-exact"', 0.0),
        ]
    ),
]


def blocks(library: str) -> str:
    """The rows of a library, each as a block of code that fits a narrow page."""
    parts = []
    for row in ROWS:
        if row.library == library:
            equal = "equal" if row.off == 0 else f"equal within {row.off:.0e}".replace("e-0", "e-")
            note = f"{row.note}:\n\n" if row.note else ""
            parts.append(
                f"{note}```python\n{wrapped(row.theirs)}\n# {equal}\n{wrapped(row.ours)}\n```\n"
            )
    return "\n".join(parts)


def wrapped(call: str, width: int = 76) -> str:
    """A call on one line, or with its last arguments on the next."""
    if len(call) <= width:
        return call
    at = call.rfind(", ", 0, width)
    return f"{call[: at + 1]}\n    {call[at + 2 :]}"
