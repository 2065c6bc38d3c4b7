"""Make the golden arrays in tests/golden/ from torch, JAX and Pillow.

Each file is the record of one library: small inputs, what the library made of them, and for
torch and JAX a cotangent and the gradient it gave.  ``tests/test_golden.py`` compares this
package with the record, so the comparison needs none of the three installed.

A file is an ``.npz``.  Its member ``meta`` holds JSON as bytes::

    {"library": ..., "versions": {...}, "cases": [{"name", "call", "options", ...}, ...]}

where ``call`` is what was asked of the library and ``options`` are the arguments that ask the
same of ``upsample.interpolate``.  The arrays of a case are the members ``<name>.x`` (input),
``<name>.y`` (output), ``<name>.g`` (cotangent) and ``<name>.gx`` (gradient).

On one machine the same versions write the same bytes.  Usage::

    python tools/make_golden.py             write the files
    python tools/make_golden.py --check     compare what would be written with what is there

Two things are checked before a case is stored, so that no fault of the library is kept as the
truth: its gradient must be the adjoint of its forward, and no nearest coordinate may be so close
to a boundary between two samples that float32 arithmetic could take either.
"""

import argparse
import json
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parents[1] / "tests" / "golden"
LIMIT = 300_000  # bytes, all files together

# Odd input lengths: a nearest-exact coordinate of an odd length is never a tie.
# name: (input sizes, the arguments that fix the output sizes)
GEOMETRIES = {
    1: {
        "enlarge": ((7,), {"size": (11,)}),
        "shrink": ((9,), {"size": (4,)}),
        "to_one": ((7,), {"size": (1,)}),
        "from_one": ((1,), {"size": (5,)}),
        "factor_up": ((7,), {"scale_factor": (2.37,)}),
        "factor_down": ((9,), {"scale_factor": (0.71,)}),
        "recomputed": ((7,), {"scale_factor": (1.45,), "recompute_scale_factor": True}),
    },
    2: {
        "enlarge": ((5, 7), {"size": (8, 11)}),
        "shrink": ((9, 11), {"size": (4, 3)}),
        "mixed": ((5, 9), {"size": (8, 4)}),
        "factors": ((7, 5), {"scale_factor": (0.62, 1.73)}),
        "recomputed": (
            (5, 7),
            {"scale_factor": (1.5, 0.72), "recompute_scale_factor": True},
        ),
    },
    3: {
        "mixed": ((3, 5, 5), {"size": (5, 3, 7)}),
        "shrink": ((7, 5, 3), {"size": (2, 3, 1)}),
        "factors": ((3, 5, 5), {"scale_factor": (1.43, 0.71, 2.43)}),
    },
}


def sixteenths(rng, shape, dtype=np.float64):
    """Random multiples of 1/16: exact in every type, and they compress well."""
    return (rng.integers(-48, 49, shape) / 16).astype(dtype)


def coordinates(n, m, factor, centred):
    """Where the outputs of a nearest mode fall, as fractions of a sample."""
    ratio = Fraction(n, m) if factor is None else 1 / Fraction(factor)
    shift = Fraction(1, 2) if centred else 0
    return [(i + shift) * ratio for i in range(m)]


def require_no_near_ties(name, sizes, result_sizes, factors, centred):
    for n, m, factor in zip(sizes, result_sizes, factors, strict=True):
        for s in coordinates(n, m, factor, centred):
            if s != 0 and abs(s - round(s)) < 1e-3:
                raise SystemExit(f"{name}: coordinate {float(s)} of {n} -> {m} is a near tie")


def require_adjoint(name, x, y, g, gx):
    mismatch = abs(np.vdot(g, y) - np.vdot(gx, x))
    allowed = 1e-13 * (np.linalg.norm(g) * np.linalg.norm(y) + np.linalg.norm(x))
    if mismatch > allowed:
        raise SystemExit(f"{name}: the gradient is not the adjoint of the forward, {mismatch:.1e}")


def spelled(function, **arguments):
    return f"{function}(x, {', '.join(f'{k}={v!r}' for k, v in arguments.items())})"


def torch_variants(rank):
    """(mode of torch, further arguments, mode here) for arrays of `rank` resampled axes."""
    yield from ((mode, {}, mode) for mode in ("nearest", "nearest-exact", "area"))
    kernels = {1: ("linear",), 2: ("bilinear", "bicubic"), 3: ("trilinear",)}[rank]
    for mode in kernels:
        yield mode, {}, mode
        yield mode, {"align_corners": True}, mode
    if rank == 2:
        for mode in ("bilinear", "bicubic", "lanczos"):
            yield mode, {"antialias": True}, {"lanczos": "lanczos3"}.get(mode, mode)


def torch_cases():
    import torch

    torch.set_num_threads(1)
    resize = torch.nn.functional.interpolate
    cases, arrays = [], {}
    for rank, geometries in GEOMETRIES.items():
        for geometry, (sizes, extent) in geometries.items():
            for mode, more, our_mode in torch_variants(rank):
                name = "-".join(["torch", f"{rank}d", geometry, mode, *more])
                rng = np.random.default_rng(len(cases))
                x = sixteenths(rng, ((2, 1) if rank == 1 else (1, 1)) + sizes)
                leaf = torch.tensor(x, requires_grad=True)
                out = resize(leaf, mode=mode, **extent, **more)
                g = sixteenths(rng, tuple(out.shape))
                out.backward(torch.tensor(g))
                y, gx = out.detach().numpy(), leaf.grad.numpy()
                if mode.startswith("nearest"):
                    factors = extent.get("scale_factor", (None,) * rank)
                    if extent.get("recompute_scale_factor"):
                        factors = (None,) * rank
                    require_no_near_ties(name, sizes, y.shape[2:], factors, mode != "nearest")
                require_adjoint(name, x, y, g, gx)
                cases.append(
                    {
                        "name": name,
                        "call": spelled("interpolate", mode=mode, **extent, **more),
                        "options": {"mode": our_mode, **extent, **more},
                    }
                )
                arrays |= {f"{name}.x": x, f"{name}.y": y, f"{name}.g": g, f"{name}.gx": gx}
    return {"torch": torch.__version__}, cases, arrays


# (method, antialias) of JAX: what asks the same here.
JAX_METHODS = {
    ("nearest", False): {"mode": "nearest-exact"},
    ("linear", False): {"mode": "linear"},
    ("linear", True): {"mode": "linear", "antialias": True},
    ("cubic", False): {"mode": "cubic", "cubic_coeff": -0.5, "border": "renormalize"},
    ("cubic", True): {"mode": "cubic", "antialias": True},
    ("cubic-pytorch", False): {"mode": "cubic"},
    ("cubic-pytorch", True): {"mode": "cubic", "antialias": True},
    ("lanczos3", False): {"mode": "lanczos3"},
    ("lanczos3", True): {"mode": "lanczos3", "antialias": True},
    ("lanczos5", False): {"mode": "lanczos5"},
    ("lanczos5", True): {"mode": "lanczos5", "antialias": True},
    ("area", False): {"mode": "box"},
}


def jax_cases():
    import jax
    import jax.numpy as jnp
    import jaxlib

    jax.config.update("jax_enable_x64", True)
    cases, arrays = [], {}

    def store(name, call, options, x, function):
        rng = np.random.default_rng(10_000 + len(cases))
        out, pull = jax.vjp(function, jnp.asarray(x))
        y = np.asarray(out)
        g = sixteenths(rng, y.shape)
        gx = np.asarray(pull(jnp.asarray(g))[0])
        require_adjoint(name, x, y, g, gx)
        cases.append({"name": name, "call": call, "options": options})
        arrays.update({f"{name}.x": x, f"{name}.y": y, f"{name}.g": g, f"{name}.gx": gx})

    for geometry in ("enlarge", "shrink", "mixed"):
        sizes, extent = GEOMETRIES[2][geometry]
        size = extent["size"]
        x = sixteenths(np.random.default_rng(20_000), sizes)
        for (method, antialias), options in JAX_METHODS.items():
            name = f"jax-{geometry}-{method}{'-antialias' if antialias else ''}"
            if method == "nearest":
                require_no_near_ties(name, sizes, size, (None, None), True)
            store(
                name,
                spelled("jax.image.resize", shape=size, method=method, antialias=antialias),
                {**options, "size": size},
                x,
                lambda a, s=size, m=method, aa=antialias: jax.image.resize(a, s, m, antialias=aa),
            )
        # Aligned corners exist in JAX as a scale and a translation only.
        scale = jnp.asarray([(m - 1) / (n - 1) for n, m in zip(sizes, size, strict=True)])
        shift = (1 - scale) / 2
        store(
            f"jax-{geometry}-linear-align_corners",
            spelled(
                "jax.image.scale_and_translate",
                shape=size,
                spatial_dims=(0, 1),
                scale=scale.tolist(),
                translation=shift.tolist(),
                method="linear",
                antialias=False,
            ),
            {"mode": "linear", "align_corners": True, "size": size},
            x,
            lambda a, s=size, f=scale, t=shift: jax.image.scale_and_translate(
                a, s, (0, 1), f, t, "linear", antialias=False
            ),
        )
    return {"jax": jax.__version__, "jaxlib": jaxlib.__version__}, cases, arrays


# Pillow antialiases always, except NEAREST; its BOX is an area only where the ratio is an integer.
PILLOW_FILTERS = {
    "NEAREST": {"mode": "nearest-exact"},
    "BILINEAR": {"mode": "linear", "antialias": True},
    "HAMMING": {"mode": "hamming", "antialias": True},
    "BICUBIC": {"mode": "cubic", "antialias": True},
    "LANCZOS": {"mode": "lanczos3", "antialias": True},
    "MKS2013": {"mode": "magic", "antialias": True},
}


def pillow_cases():
    import PIL
    from PIL import Image

    plan = [
        (geometry, *GEOMETRIES[2][geometry], name, options)
        for geometry in ("enlarge", "shrink", "mixed")
        for name, options in PILLOW_FILTERS.items()
    ]
    plan.append(("integer_shrink", (9, 10), {"size": (3, 5)}, "BOX", {"mode": "box"}))
    cases, arrays = [], {}
    for geometry, sizes, extent, resample, options in plan:
        name = f"pillow-{geometry}-{resample}"
        size = extent["size"]
        if resample == "NEAREST":
            require_no_near_ties(name, sizes, size, (None, None), True)
        x = sixteenths(np.random.default_rng(30_000 + len(cases)), sizes, np.float32)
        image = Image.fromarray(x)
        if image.mode != "F":
            raise SystemExit(f"{name}: expected an image of mode F, not {image.mode}")
        width_height = size[::-1]
        y = np.asarray(image.resize(width_height, Image.Resampling[resample]))
        cases.append(
            {
                "name": name,
                "call": spelled("Image.resize", size=width_height, resample=resample),
                "options": {**options, "size": size},
            }
        )
        arrays |= {f"{name}.x": x, f"{name}.y": y}
    return {"Pillow": PIL.__version__}, cases, arrays


MAKERS = {"torch": torch_cases, "jax": jax_cases, "pillow": pillow_cases}


def make(library):
    versions, cases, arrays = MAKERS[library]()
    versions["numpy"] = np.__version__
    print(f"{library}: {len(cases)} cases, " + ", ".join(f"{k} {v}" for k, v in versions.items()))
    meta = {"library": library, "versions": versions, "cases": cases}
    packed = np.frombuffer(json.dumps(meta, indent=0).encode(), np.uint8)
    return {"meta": packed, **{k: np.ascontiguousarray(v) for k, v in arrays.items()}}


def differences(path, members):
    """The names of the members that differ from those in the file at `path`."""
    with np.load(path) as stored:
        names = sorted(set(stored.files) | set(members))
        return [
            name
            for name in names
            if name not in stored.files
            or name not in members
            or stored[name].dtype != members[name].dtype
            or not np.array_equal(stored[name], members[name])
        ]


def main():
    parser = argparse.ArgumentParser(description="Make the golden arrays in tests/golden/.")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("libraries", nargs="*", metavar="library", help="torch, jax or pillow")
    arguments = parser.parse_args()
    if unknown := set(arguments.libraries) - set(MAKERS):
        parser.error(f"unknown library {sorted(unknown)}; known are {sorted(MAKERS)}")
    failed = False
    for library in arguments.libraries or MAKERS:
        path, members = FOLDER / f"{library}.npz", make(library)
        if arguments.check:
            changed = differences(path, members)
            failed |= bool(changed)
            print(f"  {path.name}: " + (f"differs in {', '.join(changed)}" if changed else "same"))
        else:
            FOLDER.mkdir(parents=True, exist_ok=True)
            np.savez_compressed(path, **members)
    total = sum(path.stat().st_size for path in FOLDER.glob("*.npz"))
    print(f"{total} bytes in {FOLDER.name}/")
    return int(failed or total > LIMIT)


if __name__ == "__main__":
    sys.exit(main())
