"""Build the sdist, the wheel from it, look into both, and run the tests against the wheel.

    python tools/check_wheel.py [FOLDER]

Needs the package `build`.  The wheel is installed in a virtual environment of its own, and the
tests run from a copy that has no ``upsample/`` beside it.  Both archives are left in FOLDER, if
given.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COMPILED = re.compile(r"\.(so|pyd)$")
GENERATED = re.compile(r"\.(c|cpp|o|so|pyd|pyc|html)$")

PLACE = """
import importlib.metadata, upsample
assert importlib.metadata.version("upsample") == upsample.__version__
print("tested:", upsample.__file__)
"""


def run(*command, cwd):
    print("+", *command, flush=True)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([str(word) for word in command], cwd=cwd, check=True, env=environment)


def sources(folder, *patterns):
    return {
        path.relative_to(ROOT).as_posix()
        for pattern in patterns
        for path in (ROOT / folder).glob(pattern)
    }


def complain(archive, missing, extra):
    for name in sorted(missing):
        print(f"{archive}: {name} is missing")
    for name in sorted(extra):
        print(f"{archive}: {name} should not be there")
    if missing or extra:
        raise SystemExit(1)


def check_sdist(path):
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = sources("upsample", "**/*.py", "**/*.py[xdi]", "**/*.pxi", "_data/*", "py.typed")
    wanted |= sources("tests", "**/*.py", "**/*.np[yz]", "**/*.json")
    wanted |= {"README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff"}
    wanted |= {"pyproject.toml", "setup.py", "MANIFEST.in", "upsample/_kernels/_core.pyx"}
    complain(path.name, wanted - names, {name for name in names if GENERATED.search(name)})


def check_wheel(path):
    with zipfile.ZipFile(path) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        licences = [name for name in archive.namelist() if name.endswith("licenses/LICENSE")]
    wanted = sources("upsample", "**/*.py", "**/*.pyi", "_data/*", "py.typed")
    compiled = {name for name in names if COMPILED.search(name)}
    complain(path.name, wanted - names, names - wanted - compiled)
    if not any(name.startswith("upsample/_kernels/_core.") for name in compiled):
        raise SystemExit(f"{path.name}: there is no compiled upsample/_kernels/_core")
    if not licences:
        raise SystemExit(f"{path.name}: there is no licence")


def check_installed(wheel, folder):
    environment = folder / "environment"
    venv.create(environment, with_pip=True)
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(python, "-m", "pip", "install", "--quiet", f"{wheel}[test]", cwd=folder)

    # The tests read the files around them, but must not see the package's sources.
    copy = folder / "copy"
    copy.mkdir()
    for name in ("tests", "docs", "tools"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy2(path, copy)
    run(python, "-c", PLACE, cwd=copy)
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=copy)
    run(python, "-m", "upsample", cwd=copy)


def one(folder, pattern):
    found = list(folder.glob(pattern))
    if len(found) != 1:
        raise SystemExit(f"expected one {pattern} in {folder}, found {len(found)}")
    return found[0]


def main(arguments):
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        archives = Path(arguments[0]).resolve() if arguments else folder / "dist"
        # Without further options, `build` makes the wheel from the unpacked sdist.
        run(sys.executable, "-m", "build", "--outdir", archives, ROOT, cwd=folder)
        sdist, wheel = one(archives, "*.tar.gz"), one(archives, "*.whl")
        check_sdist(sdist)
        check_wheel(wheel)
        check_installed(wheel, folder)
    print(f"{sdist.name} and {wheel.name} are complete, and the tests pass")


if __name__ == "__main__":
    main(sys.argv[1:])
