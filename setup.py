"""What pyproject.toml cannot say: the extension modules, their flags and the OpenMP probe.

Environment variables read here:

UPSAMPLE_OPENMP=auto|1|0
    ``auto`` (default) uses OpenMP if a small program that needs it compiles, links and runs;
    ``1`` stops with an error if it does not; ``0`` builds serial code.
UPSAMPLE_BOUNDSCHECK=1
    Checks every index of the Cython code, and every row that a kernel reads or writes. For testing.
UPSAMPLE_ANNOTATE=1
    Writes Cython's annotated HTML next to the generated C code.
CFLAGS, LDFLAGS
    As always; an optimisation level in CFLAGS replaces ours.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# Relative, because Cython and setuptools both repeat the source's path below the build directory.
KERNELS = Path("upsample") / "_kernels"
SOURCE = KERNELS / "_core.pyx"


@dataclass(frozen=True)
class Level:
    """One build of the kernel source: its module name and the flags only it gets.

    A level with flags is built only where the target is x86-64 and the compiler takes the flags.
    The Python side decides, before it imports one, whether the processor can run it.
    """

    module: str
    source: str = SOURCE.name
    unix: tuple[str, ...] = ()
    msvc: tuple[str, ...] = ()

    @property
    def special(self):
        return bool(self.unix or self.msvc)


# A further level, such as x86-64-v4, is a row here and one in upsample/_kernels/__init__.py.
LEVELS = (
    Level("_cpu", source="_cpu.pyx"),
    Level("_memory", source="_memory.pyx"),
    Level("_core"),
    Level("_core_x86_v3", unix=("-march=x86-64-v3",)),
)


@dataclass(frozen=True)
class Flags:
    """Flags of a compiler family, and the ways it may be told about OpenMP, tried in order."""

    compile: tuple[str, ...]
    optional: tuple[str, ...] = ()  # used one by one where the compiler takes them
    openmp: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = field(default=())


# Never -ffast-math or -Ofast (they break NaN, and linking with them changes the whole process), and
# never -march=native (the wheel would not run elsewhere). Contraction is off so that every
# instruction set gives the same bits.
FLAGS = {
    "unix": Flags(
        compile=("-O3", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"),
        # GCC: loops that write eight rows are vectorised although it must test for overlap.
        optional=("--param=vect-max-version-for-alias-checks=64",),
        openmp=(
            (("-fopenmp",), ("-fopenmp",)),
            (("-Xpreprocessor", "-fopenmp"), ("-lomp",)),
        ),
    ),
    "msvc": Flags(compile=("/O2", "/fp:precise"), openmp=((("/openmp",), ()),)),
}

DIRECTIVES = {
    "language_level": 3,
    "boundscheck": False,
    "wraparound": False,
    "cdivision": True,
    "initializedcheck": False,
    "embedsignature": True,
    "freethreading_compatible": True,
}

OPENMP_PROGRAM = """
#include <omp.h>
#include <stdio.h>
#ifndef _OPENMP
#error "the flag was accepted but OpenMP is off"
#endif
int main(void) {
    int n = 0;
    #pragma omp parallel for reduction(+:n)
    for (int i = 0; i < 100; ++i) n += omp_get_max_threads() > 0;
    printf("%d\\n", n);
    return n == 100 ? 0 : 1;
}
"""

EMPTY_PROGRAM = "int upsample_probe(int i) { return i + 1; }\n"

X86_64_PROGRAM = """
#if !defined(__x86_64__) && !defined(_M_X64)
#error "not x86-64"
#endif
int upsample_probe(int i) { return i + 1; }
"""


def switch(name):
    """Value of an on/off environment variable."""
    value = os.environ.get(name, "0").strip().lower()
    if value not in {"", "0", "1"}:
        raise SystemExit(f"{name} must be 0 or 1, got {value!r}")
    return value == "1"


def openmp_request():
    value = os.environ.get("UPSAMPLE_OPENMP", "auto").strip().lower() or "auto"
    if value not in {"auto", "0", "1"}:
        raise SystemExit(f"UPSAMPLE_OPENMP must be auto, 0 or 1, got {value!r}")
    return value


class BuildExt(build_ext):
    """Chooses flags once the compiler is known, then generates the C code below the build dir."""

    def finalize_options(self):
        super().finalize_options()
        if self.parallel is None and len(self.extensions) > 1:
            self.parallel = True

    def build_extensions(self):
        family = "msvc" if self.compiler.compiler_type == "msvc" else "unix"
        boundscheck = switch("UPSAMPLE_BOUNDSCHECK")

        compile_args = list(FLAGS[family].compile)
        if re.search(r"(?:^|\s)-O", os.environ.get("CFLAGS", "")):
            compile_args = [flag for flag in compile_args if not re.match("[-/]O", flag)]
        if family == "unix" and not re.search(r"(?:^|\s)-g", os.environ.get("CFLAGS", "")):
            # Python's own flags often ask for debugging data, which makes the files much larger.
            compile_args.append("-g0")
        # With -Werror, since clang only warns of a flag that it does not use.
        compile_args += [
            f for f in FLAGS[family].optional if self.compiles(EMPTY_PROGRAM, [f, "-Werror"])
        ]
        openmp_compile, openmp_link = self.find_openmp(FLAGS[family].openmp)
        compile_args += openmp_compile

        macros = [
            ("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION"),
            ("NPY_TARGET_VERSION", "NPY_1_25_API_VERSION"),
        ]
        if boundscheck:
            macros.append(("UPSAMPLE_BOUNDSCHECK", "1"))

        # In place: later commands ask this list which files the build produced.
        self.extensions[:] = [ext for ext in self.extensions if self.level_works(ext, family)]
        for ext in self.extensions:
            ext.extra_compile_args = compile_args + list(getattr(ext.upsample_level, family))
            ext.extra_link_args = list(openmp_link)
            ext.define_macros = list(macros)
        self.generate(boundscheck)
        super().build_extensions()

    # ---- probes -------------------------------------------------------------------------------

    def compiles(self, program, flags):
        """Whether a small program compiles with the flags."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "probe.c"
            source.write_text(program)
            try:
                self.compiler.compile([str(source)], output_dir=folder, extra_postargs=list(flags))
            except Exception:
                return False
        return True

    def runs(self, program, compile_flags, link_flags):
        """Why a small program could not be compiled, linked and run; None if it could."""
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "probe.c"
            source.write_text(program)
            try:
                objects = self.compiler.compile(
                    [str(source)], output_dir=folder, extra_postargs=list(compile_flags)
                )
                self.compiler.link_executable(
                    objects, "probe", output_dir=folder, extra_postargs=list(link_flags)
                )
                executable = Path(folder) / self.compiler.executable_filename("probe")
                subprocess.run([str(executable)], check=True, stdout=subprocess.DEVNULL, timeout=60)
            except Exception as error:
                return f"{type(error).__name__}: {error}"
        return None

    def find_openmp(self, candidates):
        request = openmp_request()
        if request == "0":
            self.say("OpenMP: off, because UPSAMPLE_OPENMP=0; the kernels will run on one thread")
            return [], []
        reasons = []
        for compile_flags, link_flags in candidates:
            reason = self.runs(OPENMP_PROGRAM, compile_flags, link_flags)
            if reason is None:
                self.say(f"OpenMP: on, with {' '.join(compile_flags)}")
                return list(compile_flags), list(link_flags)
            reasons.append(f"{' '.join(compile_flags + link_flags)}: {reason}")
        problem = "no OpenMP program could be compiled, linked and run\n  " + "\n  ".join(reasons)
        if request == "1":
            raise SystemExit(f"UPSAMPLE_OPENMP=1, but {problem}")
        self.say(f"OpenMP: off, the kernels will run on one thread: {problem}")
        return [], []

    def level_works(self, ext, family):
        level = ext.upsample_level
        if not level.special:
            return True
        flags = getattr(level, family)
        works = bool(flags) and self.compiles(X86_64_PROGRAM, flags)
        self.say(f"{ext.name}: {'built' if works else 'left out: not x86-64, or no such flag'}")
        return works

    @staticmethod
    def say(text):
        print(f"upsample: {text}", file=sys.stderr, flush=True)

    # ---- Cython -------------------------------------------------------------------------------

    def generate(self, boundscheck):
        """Replace .pyx sources by C code generated below ``build_temp``."""
        import Cython
        import numpy as np
        from Cython.Build import cythonize

        directives = dict(DIRECTIVES)
        if boundscheck:
            directives.update(boundscheck=True, initializedcheck=True)
        # A change of settings changes no file's date, so it is written down and compared.
        settings = {
            "cython": Cython.__version__,
            "numpy": np.__version__,
            "directives": directives,
            "extensions": {
                ext.name: [ext.extra_compile_args, ext.extra_link_args, ext.define_macros]
                for ext in self.extensions
            },
            "environment": {k: os.environ.get(k) for k in ("CC", "CFLAGS", "LDFLAGS")},
        }
        text = json.dumps(settings, indent=1, sort_keys=True)
        folder = Path(self.build_temp)
        stamp = folder / "upsample-settings.json"
        if not stamp.is_file() or stamp.read_text() != text:
            self.force = True
        folder.mkdir(parents=True, exist_ok=True)
        stamp.unlink(missing_ok=True)

        for ext in self.extensions:
            ext.include_dirs = [np.get_include(), str(KERNELS)]
            if ext.upsample_level.special:
                ext.sources = [str(self.including_source(ext))]
        self.extensions[:] = cythonize(
            self.extensions,
            include_path=[str(KERNELS)],
            build_dir=str(folder),
            compiler_directives=directives,
            annotate=switch("UPSAMPLE_ANNOTATE"),
            force=bool(self.force),
        )
        for ext in self.extensions:
            # cythonize makes new extension objects; setuptools looks these attributes up.
            ext._needs_stub = False
            ext._full_name = ext.name
            ext._links_to_dynamic = False
        self.settings_to_write = stamp, text

    def including_source(self, ext):
        """A one-line .pyx for a second build of the same source: each needs a C file of its own."""
        name = ext.name.rpartition(".")[2]
        path = Path(self.build_temp) / "levels" / f"{name}.pyx"
        path.parent.mkdir(parents=True, exist_ok=True)
        line = f'include "{SOURCE.name}"\n'
        if not path.is_file() or path.read_text() != line:
            path.write_text(line)
        return path

    def run(self):
        super().run()
        stamp, text = self.settings_to_write
        stamp.write_text(text)


def extension(level):
    ext = Extension(
        f"upsample._kernels.{level.module}",
        sources=[str(KERNELS / level.source)],
        depends=[str(path) for path in sorted(KERNELS.glob("*.p[yx][xdi]"))],
    )
    ext.upsample_level = level
    return ext


# Build tools run this file under that name as well; tools/check_annotation.py only reads it.
if __name__ == "__main__":
    setup(ext_modules=[extension(level) for level in LEVELS], cmdclass={"build_ext": BuildExt})
