/* What a vector register does that a compiler does not find by itself: it picks samples by number
 * (see `along_windows` in along.pxi), and it holds two short outputs from different places.
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

/* Two outputs of four elements in one register: `combine_short` for outputs that all have `count`
 * taps, at least two.  Samples and outputs are `stride` elements apart, three or four; with three,
 * two elements of the output behind are written too, so there must be one, made afterwards.
 *
 *     sum         a0 a1 a2 a3 | b0 b1 b2 b3       outputs i and i + 1
 *     weights     u  u  u  u  | v  v  v  v        of one tap of either
 */
static inline __m256 both(const float *a, const float *b) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(a)), _mm_loadu_ps(b), 1);
}
static inline __m256 few_taps_of_two(
    const float *a, const float *b, const float *u, const float *v, const int count,
    const int stride, const int adjacent) {
    __m256 sum = _mm256_setzero_ps();
    if (count == 4) {
        const __m256 w = both(u, v);
        sum = _mm256_mul_ps(_mm256_permute_ps(w, 0x00), both(a, b));
        sum = _mm256_add_ps(
            sum, _mm256_mul_ps(_mm256_permute_ps(w, 0x55), both(a + stride, b + stride)));
        sum = _mm256_add_ps(
            sum, _mm256_mul_ps(_mm256_permute_ps(w, 0xAA), both(a + 2 * stride, b + 2 * stride)));
        return _mm256_add_ps(
            sum, _mm256_mul_ps(_mm256_permute_ps(w, 0xFF), both(a + 3 * stride, b + 3 * stride)));
    }
    if (count == 2) {
        __m256 w, first, second;
        if (adjacent) {
            w = _mm256_castps128_ps256(_mm_loadu_ps(u));
        } else {
            const __m128d pairs = _mm_load_sd((const double *) (const void *) u);
            w = _mm256_castps128_ps256(_mm_castpd_ps(
                _mm_loadh_pd(pairs, (const double *) (const void *) v)));
        }
        if (stride == 4) {
            const __m256 c = _mm256_loadu_ps(a), d = _mm256_loadu_ps(b);
            first = _mm256_permute2f128_ps(c, d, 0x20);
            second = _mm256_permute2f128_ps(c, d, 0x31);
        } else {
            first = both(a, b);
            second = both(a + stride, b + stride);
        }
        return _mm256_add_ps(
            _mm256_mul_ps(
                _mm256_permutevar8x32_ps(w, _mm256_setr_epi32(0, 0, 0, 0, 2, 2, 2, 2)), first),
            _mm256_mul_ps(
                _mm256_permutevar8x32_ps(w, _mm256_setr_epi32(1, 1, 1, 1, 3, 3, 3, 3)), second));
    }
    for (int k = 0; k < count; k++) {
        const __m256 w = _mm256_insertf128_ps(
            _mm256_castps128_ps256(_mm_set1_ps(u[k])), _mm_set1_ps(v[k]), 1);
        const __m256 term = _mm256_mul_ps(w, both(a + k * stride, b + k * stride));
        sum = k ? _mm256_add_ps(sum, term) : term;
    }
    return sum;
}
/* Returns the first output that is left. */
static inline Py_ssize_t rows_of_four_by_two(
    float *y, const float *x, const int64_t *first, const float *w, Py_ssize_t width,
    const int count, const int stride, Py_ssize_t begin, Py_ssize_t end) {
    Py_ssize_t i = begin;
    const int adjacent = width == 2;
    for (; i + 2 <= end; i += 2) {
        const float *a = x + first[i] * stride, *b = x + first[i + 1] * stride;
        const float *u = w + i * width, *v = u + width;
        __m256 sum = few_taps_of_two(a, b, u, v, count < 4 ? count : 4, stride, adjacent);
        for (int k = 4; k < count; k += 4)
            sum = _mm256_add_ps(
                sum, few_taps_of_two(
                    a + k * stride, b + k * stride, u + k, v + k,
                    count - k < 4 ? count - k : 4, stride, 0));
        if (stride == 4) {
            _mm256_storeu_ps(y, sum);
        } else {
            _mm256_storeu_ps(
                y, _mm256_permutevar8x32_ps(sum, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7)));
        }
        y += 2 * stride;
    }
    return i;
}

#else
#define UPSAMPLE_VECTOR_BYTES 0
static inline Py_ssize_t rows_of_four_by_two(
    float *y, const float *x, const int64_t *first, const float *w, Py_ssize_t width,
    const int count, const int stride, Py_ssize_t begin, Py_ssize_t end) { return begin; }
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
