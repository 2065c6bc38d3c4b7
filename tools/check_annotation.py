"""Fail if a line of a kernel talks to Python.

Cython's annotated listing gives every source line a score: how much the C code made of it calls
Python's API, or helpers of Cython that do.  Here every line inside a function, ``with`` block or
``prange`` loop that is marked ``nogil`` must have score 0.  Each run first shows on a sample that
it finds the rows that it should.

    python tools/check_annotation.py            all of upsample/_kernels/*.pyx
    python tools/check_annotation.py FILE ...   these files
"""

import re
import runpy
import subprocess
import sys
import tempfile
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCORE = re.compile(r'<pre class="cython line score-(\d+)"[^>]*>[^<]*<span[^>]*>(\d+)</span>')
INCLUDE = re.compile(r"""^\s*include\s+["'](.+?)["']""", re.MULTILINE)
SKIP = {tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}


# Rows that must be found are marked; the division checks for zero with the GIL, hence its score.
SAMPLE = """\
cimport cython
from cython.parallel cimport prange

cdef object seen = None

@cython.cdivision(False)
cdef int divided(int a,
                 int b) except? -1 nogil:
    cdef int c = a + b
    c = c // b  # bad
    return c

cdef int clean(int a) noexcept nogil:
    return a + 1

def outside(values):
    cdef int i, total = 0, n = len(values)
    for i in prange(n, nogil=True):
        total += clean(i)
        with gil:  # bad
            seen.append(i)  # bad
    with nogil:
        total += clean(n)
    return total + len(values)
"""


def logical_lines(path):
    """(first row, last row, indentation, words) of every logical line."""
    found, words = [], []
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
                if words:
                    text = [word.string for word in words]
                    found.append((words[0].start[0], words[-1].end[0], words[0].start[1], text))
                words = []
            elif token.type not in SKIP:
                words.append(token)
    return found


def opens_kernel(words):
    if words[-1] != ":" or "nogil" not in words:
        return False
    if words[0] in ("cdef", "cpdef"):
        return "extern" not in words
    if words[0] == "for":
        at = words.index("nogil")
        return words[at : at + 3] == ["nogil", "=", "True"]
    return words[0] == "with"


def kernel_rows(path):
    """Rows of the file that lie in code without the GIL.

    The rows that open a ``with`` block or a loop are left out: the GIL is given back there.
    """
    rows, openings = set(), []
    for first, last, indent, words in logical_lines(path):
        openings = [opening for opening in openings if opening < indent]
        if openings:
            rows.update(range(first, last + 1))
        if opens_kernel(words):
            openings.append(indent)
    return rows


def annotate(source, folder):
    """Annotate a .pyx file and return {path: {row: score}} for it and what it includes."""
    directives = runpy.run_path(str(ROOT / "setup.py"), run_name="settings")["DIRECTIVES"]
    command = [sys.executable, "-m", "cython", "--annotate", "-I", str(source.parent)]
    for name, value in directives.items():
        command += ["--directive", f"{name}={value}"]
    command += ["--output-file", str(folder / f"{source.stem}.c"), str(source)]
    subprocess.run(command, check=True)
    paths = [source]
    for path in paths:
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            included = path.parent / name
            if included not in paths:
                paths.append(included)
    scores = {}
    for path in paths:
        listing = (folder / f"{path.stem}.html").read_text(encoding="utf-8")
        scores[path] = {int(row): int(score) for score, row in SCORE.findall(listing)}
        if len(scores[path]) < len(path.read_text(encoding="utf-8").splitlines()) - 1:
            raise SystemExit(f"{path}: cannot make sense of Cython's annotated listing")
    return scores


def check(source):
    """Complaints about one .pyx file, and the number of kernel rows that were looked at."""
    complaints, looked = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for path, scores in annotate(source, Path(folder)).items():
            text = path.read_text(encoding="utf-8").splitlines()
            rows = kernel_rows(path)
            looked += len(rows)
            for row in sorted(rows):
                if scores.get(row, 0):
                    complaints.append(f"{path}:{row}: score {scores[row]}: {text[row - 1].strip()}")
    return complaints, looked


def prove():
    """Stop unless the sample gives exactly the complaints that it should."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sample.pyx"
        path.write_text(SAMPLE, encoding="utf-8")
        complaints, _ = check(path)
    found = [int(complaint.removeprefix(f"{path}:").split(":")[0]) for complaint in complaints]
    lines = SAMPLE.splitlines()
    expected = [row for row, line in enumerate(lines, 1) if line.endswith("# bad")]
    if found != expected:
        raise SystemExit(f"the sample has bad rows {expected}, but {found} were found")


def main(arguments):
    prove()
    sources = [Path(name) for name in arguments]
    sources = sources or sorted((ROOT / "upsample" / "_kernels").glob("*.pyx"))
    failed, total = False, 0
    for source in sources:
        complaints, looked = check(source)
        for complaint in complaints:
            print(complaint)
        print(f"{source.name}: {looked} rows of kernels, {len(complaints)} talk to Python")
        failed = failed or bool(complaints)
        total += looked
    # Nothing to look at means that the kernels have moved, not that all is well.
    return 1 if failed or not total else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
