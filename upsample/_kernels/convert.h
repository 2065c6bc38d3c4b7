/* Numbers of sixteen bits: IEEE 754 binary16 and bfloat16, to float and back.
 *
 *     binary16   s eeeee mmmmmmmmmm          bias 15
 *     bfloat16   s eeeeeeee mmmmmmm          the upper half of a float
 *     float      s eeeeeeee mmmmmmmmmmmmmmmmmmmmmmm   bias 127
 *
 * Rounded to nearest, ties to even; what is too large becomes infinite; NaN stays NaN.  And bytes,
 * which compilers do not pack well.
 */
#ifndef UPSAMPLE_CONVERT_H
#define UPSAMPLE_CONVERT_H

#include <stdint.h>
#include <string.h>
#if defined(__F16C__)
#include <immintrin.h>
#elif defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#endif

static inline float float_of_bits(uint32_t bits) {
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static inline uint32_t bits_of_float(float f) {
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

static inline float float_of_half(uint16_t h) {
    uint32_t bits = (uint32_t) (h & 0x7fff) << 13;
    const uint32_t sign = (uint32_t) (h & 0x8000) << 16;
    if ((h & 0x7c00) == 0x7c00) return float_of_bits(sign | bits | 0x7f800000);
    /* The exponent is right but for the biases, 2 to the power of 127 - 15; also for subnormals. */
    return float_of_bits(sign | bits_of_float(float_of_bits(bits) * 0x1p112f));
}

static inline uint16_t half_of_float(float f) {
    const uint32_t bits = bits_of_float(f), size = bits & 0x7fffffff;
    const uint16_t sign = (uint16_t) (bits >> 16 & 0x8000);
    if (size > 0x7f800000) return sign | 0x7e00 | (uint16_t) (size >> 13 & 0x1ff);
    if (size >= 0x47800000) return sign | 0x7c00;
    if (size < 0x38800000) /* subnormal: beside 1/2 a float has just its resolution */
        return sign | (uint16_t) (bits_of_float(float_of_bits(size) + 0.5f) - 0x3f000000);
    return sign | (uint16_t) ((size - 0x38000000 + 0xfff + (size >> 13 & 1)) >> 13);
}

static inline float float_of_bfloat(uint16_t b) { return float_of_bits((uint32_t) b << 16); }

static inline uint16_t bfloat_of_float(float f) {
    const uint32_t bits = bits_of_float(f);
    if ((bits & 0x7fffffff) > 0x7f800000) return (uint16_t) (bits >> 16 | 0x40);
    return (uint16_t) ((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline void floats_of_halves(float *d, const uint16_t *s, Py_ssize_t n) {
    Py_ssize_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm256_storeu_ps(d + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *) (s + i))));
#endif
    for (; i < n; i++) d[i] = float_of_half(s[i]);
}

static inline void halves_of_floats(uint16_t *d, const float *s, Py_ssize_t n) {
    Py_ssize_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128(
            (__m128i *) (d + i),
            _mm256_cvtps_ph(_mm256_loadu_ps(s + i), _MM_FROUND_TO_NEAREST_INT));
#endif
    for (; i < n; i++) d[i] = half_of_float(s[i]);
}

/* Bytes, rounded half to even and saturated; as `integers_of` in convert.pxi, but packed. */
static inline void bytes_of_floats(uint8_t *d, const float *s, Py_ssize_t n) {
    Py_ssize_t i = 0;
#if defined(__SSE2__) || defined(_M_X64)
    const __m128 most = _mm_set1_ps(255.0f), least = _mm_setzero_ps();
#define UPSAMPLE_ROUNDED(k) \
    _mm_cvtps_epi32(_mm_max_ps(_mm_min_ps(_mm_loadu_ps(s + i + 4 * k), most), least))
    for (; i + 16 <= n; i += 16)
        _mm_storeu_si128(
            (__m128i *) (d + i),
            _mm_packus_epi16(
                _mm_packs_epi32(UPSAMPLE_ROUNDED(0), UPSAMPLE_ROUNDED(1)),
                _mm_packs_epi32(UPSAMPLE_ROUNDED(2), UPSAMPLE_ROUNDED(3))));
#undef UPSAMPLE_ROUNDED
#endif
    for (; i < n; i++) {
        float v = s[i] < 0.0f ? 0.0f : s[i];
        v = v > 255.0f ? 255.0f : v;
        d[i] = (uint8_t) (int32_t) ((v + 12582912.0f) - 12582912.0f);
    }
}

static inline void floats_of_bfloats(float *d, const uint16_t *s, Py_ssize_t n) {
    for (Py_ssize_t i = 0; i < n; i++) d[i] = float_of_bfloat(s[i]);
}

static inline void bfloats_of_floats(uint16_t *d, const float *s, Py_ssize_t n) {
    for (Py_ssize_t i = 0; i < n; i++) d[i] = bfloat_of_float(s[i]);
}
#endif
