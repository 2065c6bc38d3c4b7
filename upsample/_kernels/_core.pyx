"""The compiled part: tables of taps applied to strided arrays.

It sees tables, lengths and strides, and never the name of a mode.
"""

from cython.parallel cimport prange, threadid
from libc.stdint cimport (
    int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t,
)
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

cimport cython
cimport numpy as cnp

from upsample._kernels cimport _memory

import numpy as np

cnp.import_array()

cdef extern from *:
    """
    /* The inline functions here are called with constant lengths, and fast only where a compiler
     * really puts them in.  GCC and clang judge by length, and stop at limits of their own. */
    #undef CYTHON_INLINE
    #if defined(__GNUC__)
    #define CYTHON_INLINE inline __attribute__((always_inline))
    #elif defined(_MSC_VER)
    #define CYTHON_INLINE __forceinline
    #else
    #define CYTHON_INLINE inline
    #endif
    /* Elements of a short row that stay in registers; clang puts sixteen back into memory. */
    #ifdef __clang__
    #define UPSAMPLE_SHORT 8
    #else
    #define UPSAMPLE_SHORT 16
    #endif
    #ifdef _OPENMP
    #include <omp.h>
    #define UPSAMPLE_HAS_OPENMP 1
    #else
    #define UPSAMPLE_HAS_OPENMP 0
    static int omp_get_max_threads(void) { return 1; }
    #endif
    #if defined(__SSE2__) || defined(_M_X64)
    #include <emmintrin.h>
    /* Copy past the caches: a line that is written whole need not be read first. */
    static void stream_copy(char *d, const char *s, Py_ssize_t n) {
        Py_ssize_t i, head = (16 - (Py_ssize_t) ((size_t) d & 15)) & 15;
        if (head > n) head = n;
        memcpy(d, s, (size_t) head);
        for (i = head; i + 64 <= n; i += 64) {
            __m128i a = _mm_loadu_si128((const __m128i *) (s + i));
            __m128i b = _mm_loadu_si128((const __m128i *) (s + i + 16));
            __m128i c = _mm_loadu_si128((const __m128i *) (s + i + 32));
            __m128i e = _mm_loadu_si128((const __m128i *) (s + i + 48));
            _mm_stream_si128((__m128i *) (d + i), a);
            _mm_stream_si128((__m128i *) (d + i + 16), b);
            _mm_stream_si128((__m128i *) (d + i + 32), c);
            _mm_stream_si128((__m128i *) (d + i + 48), e);
        }
        memcpy(d + i, s + i, (size_t) (n - i));
    }
    static void stream_end(void) { _mm_sfence(); }
    #else
    static void stream_copy(char *d, const char *s, Py_ssize_t n) { memcpy(d, s, (size_t) n); }
    static void stream_end(void) {}
    #endif
    #include <stdio.h>
    #include <stdlib.h>
    #ifdef UPSAMPLE_BOUNDSCHECK
    #define UPSAMPLE_CHECKED 1
    #else
    #define UPSAMPLE_CHECKED 0
    #endif
    static void out_of_bounds(void) {
        fputs("upsample: a kernel was about to leave its arrays\\n", stderr);
        abort();
    }
    /* numpy/__init__.pxd declares the type as a Python object, which costs a look-up. */
    static PyObject *new_array(PyObject *descr, int ndim, Py_ssize_t *dims, Py_ssize_t *strides) {
        Py_INCREF(descr);
        return PyArray_NewFromDescr(
            &PyArray_Type, (PyArray_Descr *) descr, ndim, dims, strides, NULL, 0, NULL);
    }
    """
    void stream_copy(char* d, const char* s, Py_ssize_t n) nogil
    void stream_end() nogil
    object new_array(object descr, int ndim, Py_ssize_t* dims, Py_ssize_t* strides)
    int UPSAMPLE_SHORT
    int UPSAMPLE_CHECKED
    void out_of_bounds() nogil
    int UPSAMPLE_HAS_OPENMP
    int omp_get_max_threads() nogil

cdef extern from "vectors.h":
    int UPSAMPLE_VECTOR_BYTES
    void window_wide_float(
        float** y, float** x, Py_ssize_t to, Py_ssize_t frm, int rows,
        const uint8_t* index, const float* w, int taps, int full, Py_ssize_t left) noexcept nogil
    void window_half_float(
        float** y, float** x, Py_ssize_t to, Py_ssize_t frm, int rows,
        const uint8_t* index, const float* w, int taps, int full, Py_ssize_t left) noexcept nogil
    void window_wide_double(
        double** y, double** x, Py_ssize_t to, Py_ssize_t frm, int rows,
        const uint8_t* index, const double* w, int taps, int full, Py_ssize_t left) noexcept nogil
    void window_half_double(
        double** y, double** x, Py_ssize_t to, Py_ssize_t frm, int rows,
        const uint8_t* index, const double* w, int taps, int full, Py_ssize_t left) noexcept nogil
    Py_ssize_t rows_of_four_by_two(
        float* y, const float* x, const int64_t* first, const float* w, Py_ssize_t width,
        int count, int stride, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
    void pick_window(void* y, const void* x, const uint8_t* index, int half) noexcept nogil

cdef extern from "convert.h":
    void floats_of_halves(float* d, const uint16_t* s, Py_ssize_t n) noexcept nogil
    void halves_of_floats(uint16_t* d, const float* s, Py_ssize_t n) noexcept nogil
    void bytes_of_floats(uint8_t* d, const float* s, Py_ssize_t n) noexcept nogil
    void floats_of_bfloats(float* d, const uint16_t* s, Py_ssize_t n) noexcept nogil
    void bfloats_of_floats(uint16_t* d, const float* s, Py_ssize_t n) noexcept nogil

cdef enum:
    REACHES = 7  # lengths of tiles for which a table knows how many samples they read: 8 … 512

HAS_OPENMP = bool(UPSAMPLE_HAS_OPENMP)
CHECKED = bool(UPSAMPLE_CHECKED)  # built with UPSAMPLE_BOUNDSCHECK=1
VECTOR_BYTES = UPSAMPLE_VECTOR_BYTES  # of a register that picks by variable numbers, or 0

cdef struct WindowsView:
    Py_ssize_t size  # outputs of a window; 0: there are none
    Py_ssize_t lanes  # samples of a window
    const int64_t* base  # its first sample; -1: take these outputs one by one
    const uint8_t* index  # eight numbers for each window
    const char* weights  # of all outputs of a window for the first tap, for the second, …
    const uint8_t* full  # whether all outputs have all taps

cdef struct TapsView:
    Py_ssize_t n, m, width
    const int64_t* first
    const int32_t* count
    const int64_t* low  # first sample that any row from here on reads
    const int64_t* high  # end of the samples that rows up to here read
    Py_ssize_t window  # most samples between the two
    const char* weights
    bint holes
    Py_ssize_t period, step, lo, hi, span  # rows that repeat
    Py_ssize_t even_lo, even_hi, even_count  # rows of equal count
    Py_ssize_t tail  # no row before it reads the last sample
    Py_ssize_t tile, reach  # outputs of a tile of `along_lanes`, samples that they read
    WindowsView windows[2]  # for elements of four and of eight bytes


include "arithmetic.pxi"
include "along.pxi"
include "convert.pxi"
include "driver.pxi"


def empty_like(cnp.ndarray x, shape, dtype):
    """A new array whose axes are in the same order in memory as those of `x`."""
    cdef Py_ssize_t size = dtype.itemsize
    for n in shape:
        size *= n
    before = _memory.enter(size)
    try:
        return np.empty_like(x, dtype=dtype, shape=shape, order="K", subok=False)
    finally:
        _memory.leave(before)


def max_threads():
    """Threads that OpenMP would use: its environment, affinity and limits set in the process."""
    return omp_get_max_threads()
