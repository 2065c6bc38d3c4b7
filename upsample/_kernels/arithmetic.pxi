# The arithmetic.  Everything that is computed is computed by `combine`, or by `dot` where
# there is too little for a vector; everything else in this file only moves samples.
#
# A sum is always taken in the same order, whichever path it takes through the kernels:
# the taps whose weight is not zero, in groups of four, each group from left to right and
# the groups from left to right.  So paths, block sizes and thread counts change no bit.
#
#     ((w0·x0 + w1·x1) + w2·x2) + w3·x3   +   ((w4·x4 + w5·x5) + w6·x6) + w7·x7   + …

ctypedef fused real:
    float
    double

ctypedef fused word:
    uint8_t
    uint16_t
    uint32_t
    uint64_t

cdef enum:
    LANES = 8     # rows that are interleaved to fill the lanes of a vector
    PIECE = 2048  # elements of a row that stay in the first cache while rows are added


cdef inline Py_ssize_t smaller(Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    return a if a < b else b


cdef inline Py_ssize_t larger(Py_ssize_t a, Py_ssize_t b) noexcept nogil:
    return a if a > b else b


cdef inline void combine_first(
    real* d, real** r, const real* w, int count, Py_ssize_t n
) noexcept nogil:
    """d = the sum of `count` (1 to 8) weighted rows of n elements."""
    cdef Py_ssize_t i
    cdef real* a = r[0]
    cdef real* b
    cdef real* c
    cdef real* e
    cdef real* f
    cdef real* g
    cdef real* h
    cdef real* k
    cdef real wa = w[0], wb, wc, we, wf, wg, wh, wk
    if count == 1:
        if wa == 1:
            memcpy(d, a, n * sizeof(real))
        else:
            for i in range(n):
                d[i] = wa * a[i]
        return
    b, wb = r[1], w[1]
    if count == 2:
        for i in range(n):
            d[i] = wa * a[i] + wb * b[i]
        return
    c, wc = r[2], w[2]
    if count == 3:
        for i in range(n):
            d[i] = (wa * a[i] + wb * b[i]) + wc * c[i]
        return
    e, we = r[3], w[3]
    if count == 4:
        for i in range(n):
            d[i] = ((wa * a[i] + wb * b[i]) + wc * c[i]) + we * e[i]
        return
    f, wf = r[4], w[4]
    if count == 5:
        for i in range(n):
            d[i] = (((wa * a[i] + wb * b[i]) + wc * c[i]) + we * e[i]) + wf * f[i]
        return
    g, wg = r[5], w[5]
    if count == 6:
        for i in range(n):
            d[i] = (((wa * a[i] + wb * b[i]) + wc * c[i]) + we * e[i]) + (
                wf * f[i] + wg * g[i]
            )
        return
    h, wh = r[6], w[6]
    if count == 7:
        for i in range(n):
            d[i] = (((wa * a[i] + wb * b[i]) + wc * c[i]) + we * e[i]) + (
                (wf * f[i] + wg * g[i]) + wh * h[i]
            )
        return
    k, wk = r[7], w[7]
    for i in range(n):
        d[i] = (((wa * a[i] + wb * b[i]) + wc * c[i]) + we * e[i]) + (
            ((wf * f[i] + wg * g[i]) + wh * h[i]) + wk * k[i]
        )


cdef inline void combine_more(
    real* d, real** r, const real* w, int count, Py_ssize_t n
) noexcept nogil:
    """d += one group of `count` (1 to 4) weighted rows."""
    cdef Py_ssize_t i
    cdef real* a = r[0]
    cdef real* b
    cdef real* c
    cdef real* e
    cdef real wa = w[0], wb, wc, we
    if count == 1:
        for i in range(n):
            d[i] = d[i] + wa * a[i]
        return
    b, wb = r[1], w[1]
    if count == 2:
        for i in range(n):
            d[i] = d[i] + (wa * a[i] + wb * b[i])
        return
    c, wc = r[2], w[2]
    if count == 3:
        for i in range(n):
            d[i] = d[i] + ((wa * a[i] + wb * b[i]) + wc * c[i])
        return
    e, we = r[3], w[3]
    for i in range(n):
        d[i] = d[i] + (((wa * a[i] + wb * b[i]) + wc * c[i]) + we * e[i])


cdef inline void combine_rows(
    real* d, real** r, const real* w, int count, Py_ssize_t n
) noexcept nogil:
    cdef int k = 8
    if count == 0:
        memset(d, 0, n * sizeof(real))
        return
    combine_first(d, r, w, count if count < 8 else 8, n)
    while k < count:
        combine_more(d, r + k, w + k, count - k if count - k < 4 else 4, n)
        k += 4


cdef void combine(
    real* d, real** r, const real* w, int count, Py_ssize_t n
) noexcept nogil:
    """d = sum of weighted rows, the *across* kernel: rows of n neighbours in memory.

    With many rows a piece of d stays in the first cache until all of them are added.
    """
    cdef Py_ssize_t begin, size
    cdef int k
    if count <= 8 or n <= PIECE:
        combine_rows(d, r, w, count, n)
        return
    begin = 0
    while begin < n:
        size = n - begin if n - begin < PIECE else PIECE
        for k in range(count):
            r[k] += begin
        combine_rows(d + begin, r, w, count, size)
        for k in range(count):
            r[k] -= begin
        begin += size


cdef inline real dot(
    const real* x, const real* w, int count, Py_ssize_t inner
) noexcept nogil:
    """The same sum for one output: samples `inner` elements apart."""
    cdef real total = 0, group = 0
    cdef int k, used = 0
    for k in range(count):
        if w[k] != 0:
            if used & 3:
                group = group + w[k] * x[k * inner]
            else:
                if used == 4:
                    total = group
                elif used > 4:
                    total = total + group
                group = w[k] * x[k * inner]
            used += 1
    if used <= 4:
        return group
    return total + group


cdef inline void combine_short(
    real* d, const real* x, const real* w, int count, const int n, const int stride
) noexcept nogil:
    """`combine` of rows of n ≤ 16 elements, `stride` apart, no zero among the weights.

    n and stride are constants where this is called, so that its loops become a few vectors.
    """
    cdef real t[16]  # a local array cannot overlap x, so it becomes registers
    cdef int i
    if count == 2:
        for i in range(n):
            t[i] = w[0] * x[i] + w[1] * x[stride + i]
    elif count >= 4:
        for i in range(n):
            t[i] = (
                (w[0] * x[i] + w[1] * x[stride + i]) + w[2] * x[2 * stride + i]
            ) + w[3] * x[3 * stride + i]
        w += 4
        x += 4 * stride
        count -= 4
        while count >= 4:
            for i in range(n):
                t[i] = t[i] + (
                    ((w[0] * x[i] + w[1] * x[stride + i]) + w[2] * x[2 * stride + i])
                    + w[3] * x[3 * stride + i]
                )
            w += 4
            x += 4 * stride
            count -= 4
        if count == 1:
            for i in range(n):
                t[i] = t[i] + w[0] * x[i]
        elif count == 2:
            for i in range(n):
                t[i] = t[i] + (w[0] * x[i] + w[1] * x[stride + i])
        elif count == 3:
            for i in range(n):
                t[i] = t[i] + (
                    (w[0] * x[i] + w[1] * x[stride + i]) + w[2] * x[2 * stride + i]
                )
    elif count == 1:
        for i in range(n):
            t[i] = w[0] * x[i]
    elif count == 3:
        for i in range(n):
            t[i] = (w[0] * x[i] + w[1] * x[stride + i]) + w[2] * x[2 * stride + i]
    else:
        for i in range(n):
            t[i] = 0
    for i in range(n):
        d[i] = t[i]
