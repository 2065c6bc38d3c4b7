/* What one vector register does that a compiler does not find by itself: it picks samples by
 * number.  See `along_windows` in along.pxi for what it is used for.
 *
 * Only instruction sets that pick by a variable number in one step have it; elsewhere
 * UPSAMPLE_VECTOR_BYTES is 0, and the kernels take other ways.
 *
 *     x + from            a  b  c  d  e  f  g  h        one load, 8 floats or 4 doubles
 *     index               0  0  1  2  2  3  4  4
 *     picked              a  a  b  c  c  d  e  e        one step
 */
#ifndef UPSAMPLE_VECTORS_H
#define UPSAMPLE_VECTORS_H

#include <stdint.h>
#include <string.h>

#if defined(__AVX2__)
#include <immintrin.h>
#define UPSAMPLE_VECTOR_BYTES 32

static inline __m256i index_of(const uint8_t *index) {
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *) index));
}
/* Eight elements of four bytes; a number of eight bytes is two of them.  Nothing is read behind
 * the first `bytes`, if there are fewer than 32. */
static inline __m256 pick(const void *x, __m256i index, Py_ssize_t bytes) {
    __m256 v;
    if (bytes >= 32) {
        v = _mm256_loadu_ps((const float *) x);
    } else {
        const __m256i places = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
        v = _mm256_maskload_ps(
            (const float *) x, _mm256_cmpgt_epi32(_mm256_set1_epi32((int) bytes), places));
    }
    return _mm256_permutevar8x32_ps(v, index);
}
static inline __m256 pick_wide_float(const float *x, __m256i i, Py_ssize_t bytes) {
    return pick(x, i, bytes);
}
static inline __m128 pick_half_float(const float *x, __m256i i, Py_ssize_t bytes) {
    return _mm256_castps256_ps128(pick(x, i, bytes));
}
static inline __m256d pick_wide_double(const double *x, __m256i i, Py_ssize_t bytes) {
    return _mm256_castps_pd(pick(x, i, bytes));
}
static inline __m128d pick_half_double(const double *x, __m256i i, Py_ssize_t bytes) {
    return _mm256_castpd256_pd128(_mm256_castps_pd(pick(x, i, bytes)));
}
/* A product where there is a weight; elsewhere −0, which changes no sum. */
static inline __m256 where_wide_float(__m256 w, __m256 v) {
    return _mm256_blendv_ps(
        _mm256_set1_ps(-0.0f), v, _mm256_cmp_ps(w, _mm256_setzero_ps(), _CMP_NEQ_UQ));
}
static inline __m128 where_half_float(__m128 w, __m128 v) {
    return _mm_blendv_ps(_mm_set1_ps(-0.0f), v, _mm_cmpneq_ps(w, _mm_setzero_ps()));
}
static inline __m256d where_wide_double(__m256d w, __m256d v) {
    return _mm256_blendv_pd(
        _mm256_set1_pd(-0.0), v, _mm256_cmp_pd(w, _mm256_setzero_pd(), _CMP_NEQ_UQ));
}
static inline __m128d where_half_double(__m128d w, __m128d v) {
    return _mm_blendv_pd(_mm_set1_pd(-0.0), v, _mm_cmpneq_pd(w, _mm_setzero_pd()));
}

/* y[row][to …] = Σ w[k·size + i] · x[row][from + k + index[i]], in the order of `combine`.
 * `left` samples may be read from `from` on.  `rows`, `full` and mostly `taps` are constants
 * where this is called; `full` promises that no weight is 0 and every load is whole. */
#define UPSAMPLE_WINDOW(NAME, REAL, VECTOR, SIZE, KIND, PREFIX, SUFFIX) \
    static inline void NAME( \
        REAL **y, REAL **x, Py_ssize_t to, Py_ssize_t from, const int rows, \
        const uint8_t *index, const REAL *w, const int taps, const int full, Py_ssize_t left) { \
        const __m256i i = index_of(index); \
        VECTOR total[4], group[4]; \
        for (int r = 0; r < rows; r++) total[r] = group[r] = PREFIX##_setzero_##SUFFIX(); \
        for (int k = 0; k < taps; k++) { \
            const VECTOR wk = PREFIX##_loadu_##SUFFIX(w + k * SIZE); \
            for (int r = 0; r < rows; r++) { \
                const Py_ssize_t bytes = full ? 32 : (left - k) * (Py_ssize_t) sizeof(REAL); \
                VECTOR term = \
                    PREFIX##_mul_##SUFFIX(wk, pick_##KIND(x[r] + from + k, i, bytes)); \
                if (!full) term = where_##KIND(wk, term); \
                if (k & 3) { \
                    group[r] = PREFIX##_add_##SUFFIX(group[r], term); \
                } else { \
                    if (k == 4) total[r] = group[r]; \
                    if (k > 4) total[r] = PREFIX##_add_##SUFFIX(total[r], group[r]); \
                    group[r] = term; \
                } \
            } \
        } \
        for (int r = 0; r < rows; r++) \
            PREFIX##_storeu_##SUFFIX( \
                y[r] + to, taps > 4 ? PREFIX##_add_##SUFFIX(total[r], group[r]) : group[r]); \
    }

UPSAMPLE_WINDOW(window_wide_float, float, __m256, 8, wide_float, _mm256, ps)
UPSAMPLE_WINDOW(window_half_float, float, __m128, 4, half_float, _mm, ps)
UPSAMPLE_WINDOW(window_wide_double, double, __m256d, 4, wide_double, _mm256, pd)
UPSAMPLE_WINDOW(window_half_double, double, __m128d, 2, half_double, _mm, pd)

/* Elements picked and nothing else: 32 bytes of them, or 16. */
static inline void pick_window(void *y, const void *x, const uint8_t *index, const int half) {
    const __m256 v = pick(x, index_of(index), 32);
    if (half) _mm_storeu_ps((float *) y, _mm256_castps256_ps128(v));
    else _mm256_storeu_ps((float *) y, v);
}

#else
#define UPSAMPLE_VECTOR_BYTES 0
#define UPSAMPLE_WINDOW(NAME, REAL) \
    static inline void NAME( \
        REAL **y, REAL **x, Py_ssize_t to, Py_ssize_t from, const int rows, \
        const uint8_t *index, const REAL *w, const int taps, const int full, Py_ssize_t left) {}
UPSAMPLE_WINDOW(window_wide_float, float)
UPSAMPLE_WINDOW(window_half_float, float)
UPSAMPLE_WINDOW(window_wide_double, double)
UPSAMPLE_WINDOW(window_half_double, double)
static inline void pick_window(void *y, const void *x, const uint8_t *index, const int half) {}
#endif
#endif
