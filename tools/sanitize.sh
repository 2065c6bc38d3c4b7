#!/usr/bin/env bash
# Build the kernels with checks, and run the tests and the fuzzer on them.
#
#     tools/sanitize.sh bounds  [calls]   every row that a kernel reads or writes lies in an array
#     tools/sanitize.sh address [calls]   AddressSanitizer and UndefinedBehaviorSanitizer, serial
#
# `calls` (20,000) are those of tools/fuzz.py. PYTEST names other tests than all. Works in a
# copy and a virtual environment of its own; needs GCC, and a package index.
set -euo pipefail
kind=${1:?bounds or address}
calls=${2:-20000}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1
unset PYTHONPATH

mkdir "$work/copy"
tar -C "$root" --exclude=./.git --exclude=./.venv --exclude=./build --exclude='*.so' -cf - . |
    tar -C "$work/copy" -xf -
cd "$work/copy"
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet 'setuptools>=77' 'cython>=3.1' numpy scipy 'pytest>=8.2' \
    'hypothesis>=6.100' Pillow ml_dtypes

case $kind in
bounds)
    UPSAMPLE_BOUNDSCHECK=1 "$work/venv/bin/python" setup.py --quiet build_ext --inplace
    checked='import upsample; from upsample._kernels import _loaded; assert _loaded.CHECKED'
    preload=
    ;;
address)
    flags='-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all'
    CFLAGS=$flags LDFLAGS='-fsanitize=address,undefined' UPSAMPLE_OPENMP=0 \
        "$work/venv/bin/python" setup.py --quiet build_ext --inplace
    checked='import upsample; assert "libasan" in open("/proc/self/maps").read()'
    preload="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
    # Leaks are those of the interpreter. Memory of results must be malloc's, or overruns of
    # it are not seen.
    export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 UPSAMPLE_KEEP_MIB=0
    ;;
*)
    echo "unknown check $kind: bounds or address" >&2
    exit 2
    ;;
esac
export PYTHONPATH=$work/copy

started=$SECONDS
env ${preload:+LD_PRELOAD="$preload"} "$work/venv/bin/python" -c "$checked"
# Tests that need the ordinary build, or start many interpreters, are left out.
# shellcheck disable=SC2086
env ${preload:+LD_PRELOAD="$preload"} "$work/venv/bin/python" -m pytest -q -x -p no:cacheprovider \
    ${PYTEST:-tests --ignore=tests/test_packaging.py --ignore=tests/test_peak_memory.py \
        --ignore=tests/test_sizes.py --ignore=tests/test_processes.py \
        --ignore=tests/test_simd.py --ignore=tests/test_memory.py --ignore=tests/test_main.py}
env ${preload:+LD_PRELOAD="$preload"} "$work/venv/bin/python" tools/fuzz.py --calls "$calls"
echo "$kind: clean, in $((SECONDS - started)) s"
