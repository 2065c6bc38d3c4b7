# Along: the axis whose neighbours are neighbours in memory (or `inner` elements apart, where
# inner is small, such as three colours).  There is no second arithmetic here: samples are
# rearranged so that `combine` sees long rows of neighbours, and put back.
#
# Three ways, `inner` elements to a sample:
#
#   wide    inner is large enough to be a row of its own: one `combine` for each output.
#
#   narrow  a sample is 2, 3, 4, 8 or 16 elements, which is a vector or two.
#
#   phases  rows of a table that repeat, M outputs for every N samples.  Samples are dealt
#           into N streams, each of the M phases is a `combine` of streams with constant
#           weights, and the M results are merged:
#
#             x0 x1 x2 x3 x4 x5 …   deal (N = 2)    s0: x0 x2 x4 …     s1: x1 x3 x5 …
#             phase p:  y_p[q] = Σ w_pk · s_(k mod N)[q + k div N]
#             y0[0] y1[0] y2[0] y0[1] …             merge (M = 3)
#
#   lanes   any table, eight rows at a time, laid beside each other so that a sample is a
#           vector of the eight rows:  t[(j·inner + c)·8 + lane]
#
# Rows that fit none of these (borders, less than a few rows) are taken output by output.


cdef inline void deal(
    real* d, const real* x, Py_ssize_t streams, Py_ssize_t length, Py_ssize_t count,
    Py_ssize_t inner, uint64_t used,
) noexcept nogil:
    """d[r·length + q] = x[q·streams + r] for q < count: one stream for each remainder.

    Bit r of `used` tells whether stream r is read at all.
    """
    cdef Py_ssize_t q, r, c
    if inner == 1 and streams == 2:
        for q in range(count):
            d[q] = x[2 * q]
            d[length + q] = x[2 * q + 1]
    elif inner == 1 and streams == 3:
        for q in range(count):
            d[q] = x[3 * q]
            d[length + q] = x[3 * q + 1]
            d[2 * length + q] = x[3 * q + 2]
    elif inner == 1 and streams == 4:
        for q in range(count):
            d[q] = x[4 * q]
            d[length + q] = x[4 * q + 1]
            d[2 * length + q] = x[4 * q + 2]
            d[3 * length + q] = x[4 * q + 3]
    else:
        for r in range(streams):
            if not used >> r & 1:
                continue
            if inner == 1:
                for q in range(count):
                    d[r * length + q] = x[q * streams + r]
            else:
                for q in range(count):
                    for c in range(inner):
                        d[(r * length + q) * inner + c] = x[(q * streams + r) * inner + c]


cdef inline void merge(
    real* d, const real* x, Py_ssize_t streams, Py_ssize_t length, Py_ssize_t count,
    Py_ssize_t inner,
) noexcept nogil:
    """d[q·streams + r] = x[r·length + q] for q < count: the reverse of `deal`."""
    cdef Py_ssize_t q, r, c
    if inner == 1 and streams == 2:
        for q in range(count):
            d[2 * q] = x[q]
            d[2 * q + 1] = x[length + q]
    elif inner == 1 and streams == 3:
        for q in range(count):
            d[3 * q] = x[q]
            d[3 * q + 1] = x[length + q]
            d[3 * q + 2] = x[2 * length + q]
    elif inner == 1 and streams == 4:
        for q in range(count):
            d[4 * q] = x[q]
            d[4 * q + 1] = x[length + q]
            d[4 * q + 2] = x[2 * length + q]
            d[4 * q + 3] = x[3 * length + q]
    elif inner == 1:
        for r in range(streams):
            for q in range(count):
                d[q * streams + r] = x[r * length + q]
    else:
        for r in range(streams):
            for q in range(count):
                for c in range(inner):
                    d[(q * streams + r) * inner + c] = x[(r * length + q) * inner + c]


cdef inline void interleave(real* t, real** x, Py_ssize_t offset, Py_ssize_t n) noexcept nogil:
    """t[8·j + lane] = x[lane][offset + j]."""
    cdef Py_ssize_t j
    cdef const real* a = x[0] + offset
    cdef const real* b = x[1] + offset
    cdef const real* c = x[2] + offset
    cdef const real* d = x[3] + offset
    cdef const real* e = x[4] + offset
    cdef const real* f = x[5] + offset
    cdef const real* g = x[6] + offset
    cdef const real* h = x[7] + offset
    for j in range(n):
        t[8 * j] = a[j]
        t[8 * j + 1] = b[j]
        t[8 * j + 2] = c[j]
        t[8 * j + 3] = d[j]
        t[8 * j + 4] = e[j]
        t[8 * j + 5] = f[j]
        t[8 * j + 6] = g[j]
        t[8 * j + 7] = h[j]


cdef inline void separate(real** y, Py_ssize_t offset, real* t, Py_ssize_t n) noexcept nogil:
    """y[lane][offset + j] = t[8·j + lane]: the reverse of `interleave`.

    Eight samples of eight lanes at a time: turning such a square over is interleaving its rows,
    which compilers do with fewer shuffles than picking every eighth element.
    """
    cdef real square[LANES * LANES]
    cdef real* rows[LANES]
    cdef Py_ssize_t j = 0
    cdef int k, lane
    while j + LANES <= n:
        for k in range(LANES):
            rows[k] = t + (j + k) * LANES
        interleave(square, rows, 0, LANES)
        for lane in range(LANES):
            memcpy(y[lane] + offset + j, square + lane * LANES, LANES * sizeof(real))
        j += LANES
    while j < n:
        for lane in range(LANES):
            y[lane][offset + j] = t[LANES * j + lane]
        j += 1


cdef inline int gather_taps(
    real** rows, real* weights, const real* x, const real* w, int count, Py_ssize_t stride
) noexcept nogil:
    """Addresses and weights of the taps that are not zero; returns how many."""
    cdef int k, used = 0
    for k in range(count):
        if w[k] != 0:
            rows[used] = <real*> x + k * stride
            weights[used] = w[k]
            used += 1
    return used


cdef void along_single(
    real* y, const real* x, const TapsView* t, Py_ssize_t begin, Py_ssize_t end,
    Py_ssize_t c0, Py_ssize_t j0, Py_ssize_t inner,
) noexcept nogil:
    """Outputs begin … end-1 one by one; y holds output c0 first, x sample j0 first."""
    cdef const real* w = <const real*> t.weights + begin * t.width
    cdef const real* s
    cdef Py_ssize_t i, c
    cdef int count
    if inner > 1 or t.holes:
        for i in range(begin, end):
            s = x + (t.first[i] - j0) * inner
            for c in range(inner):
                y[(i - c0) * inner + c] = dot(s + c, w, t.count[i], inner)
            w += t.width
        return
    for i in range(begin, end):
        s = x + (t.first[i] - j0)
        count = t.count[i]
        if count == 2:
            y[i - c0] = w[0] * s[0] + w[1] * s[1]
        elif count == 1:
            y[i - c0] = w[0] * s[0]
        elif count == 3:
            y[i - c0] = (w[0] * s[0] + w[1] * s[1]) + w[2] * s[2]
        elif count == 4:
            y[i - c0] = ((w[0] * s[0] + w[1] * s[1]) + w[2] * s[2]) + w[3] * s[3]
        else:
            y[i - c0] = dot(s, w, count, 1)
        w += t.width


cdef void along_wide(
    real** y, real** x, int rows, const TapsView* t, Py_ssize_t c0, Py_ssize_t c1,
    Py_ssize_t j0, Py_ssize_t inner, char* scratch,
) noexcept nogil:
    cdef const real* weights = <const real*> t.weights
    cdef real** taps = <real**> scratch
    cdef real* used = <real*> (scratch + t.width * sizeof(void*))
    cdef Py_ssize_t i
    cdef int row, count
    for row in range(rows):
        for i in range(c0, c1):
            count = gather_taps(
                taps, used, x[row] + (t.first[i] - j0) * inner, weights + i * t.width,
                t.count[i], inner,
            )
            combine(y[row] + (i - c0) * inner, taps, used, count, inner)


cdef inline void even_rows(
    real* y, const real* x, const TapsView* t, Py_ssize_t begin, Py_ssize_t end,
    const int count, const int n, const int stride,
) noexcept nogil:
    """`short_rows` for outputs that all have `count` taps, at least two."""
    cdef const real* w = <const real*> t.weights
    cdef Py_ssize_t i = begin
    if real is float and n == 4:
        i = rows_of_four_by_two(y, x, t.first, w, t.width, count, stride, begin, end)
        y += (i - begin) * stride
    while i < end:
        combine_short(y, x + t.first[i] * stride, w + i * t.width, count, n, stride)
        y += stride
        i += 1


cdef inline void short_rows(
    real* y, const real* x, const TapsView* t, Py_ssize_t begin, Py_ssize_t end,
    const int n, const int stride,
) noexcept nogil:
    """Outputs begin … end-1 of n elements each, samples and outputs `stride` apart.

    x is the address of sample 0, y that of output `begin`.  Where all rows of the table have
    equally many taps, nothing is decided in the loop.
    """
    cdef const real* w = <const real*> t.weights
    cdef Py_ssize_t i = begin, even = smaller(end, t.even_hi)
    if t.even_count >= 2:
        while i < end and i < t.even_lo:
            combine_short(y, x + t.first[i] * stride, w + i * t.width, t.count[i], n, stride)
            y += stride
            i += 1
        if i < even:
            if t.even_count == 2:
                even_rows(y, x, t, i, even, 2, n, stride)
            elif t.even_count == 4:
                even_rows(y, x, t, i, even, 4, n, stride)
            else:
                even_rows(y, x, t, i, even, t.even_count, n, stride)
            y += (even - i) * stride
            i = even
    while i < end:
        combine_short(y, x + t.first[i] * stride, w + i * t.width, t.count[i], n, stride)
        y += stride
        i += 1


cdef inline void narrow_row(
    real* y, const real* x, const TapsView* t, Py_ssize_t c0, Py_ssize_t c1, Py_ssize_t j0,
    const int inner, const int n,
) noexcept nogil:
    """One row of samples of `inner` elements, n of them at a time.

    Three are taken as four: what is written too much are elements of the next output.
    Where there is none, or nothing left to be read, outputs are taken one by one.
    """
    cdef Py_ssize_t end = c1
    if n > inner:
        end = larger(smaller(c1 - 1, t.tail), c0)
    short_rows(y, x - j0 * inner, t, c0, end, n, inner)
    if end < c1:
        along_single(y, x, t, end, c1, c0, j0, inner)


cdef void along_narrow(
    real** y, real** x, int rows, const TapsView* t, Py_ssize_t c0, Py_ssize_t c1,
    Py_ssize_t j0, Py_ssize_t inner, char* scratch,
) noexcept nogil:
    cdef int row
    for row in range(rows):
        if inner == 2:
            narrow_row(y[row], x[row], t, c0, c1, j0, 2, 2)
        elif inner == 3:
            narrow_row(y[row], x[row], t, c0, c1, j0, 3, 4)
        elif inner == 4:
            narrow_row(y[row], x[row], t, c0, c1, j0, 4, 4)
        elif inner == 8:
            narrow_row(y[row], x[row], t, c0, c1, j0, 8, 8)
        elif UPSAMPLE_SHORT == 16:
            narrow_row(y[row], x[row], t, c0, c1, j0, 16, 16)
        else:
            narrow_row(y[row], x[row], t, c0, c1, j0, 16, 8)
            narrow_row(y[row] + 8, x[row] + 8, t, c0, c1, j0, 16, 8)


cdef inline int rows_in_line(
    real** y, real** x, int row, int rows, Py_ssize_t n, Py_ssize_t m
) noexcept nogil:
    """How many rows from `row` on lie one behind the other, in input and output."""
    cdef int k = 1
    while row + k < rows and x[row + k] == x[row] + k * n and y[row + k] == y[row] + k * m:
        k += 1
    return k


cdef void along_phases(
    real** y, real** x, int rows, const TapsView* t, Py_ssize_t c0, Py_ssize_t c1,
    Py_ssize_t j0, Py_ssize_t inner, char* scratch,
) noexcept nogil:
    """Whole periods by streams, what is before and after them one by one.

    Rows that lie one behind the other are done as one long row, if every row is a whole
    number of periods; what that makes wrong at their ends is then written once more.
    """
    cdef Py_ssize_t begin = c0 if c0 > t.lo else t.lo
    cdef Py_ssize_t end = c1 if c1 < t.hi else t.hi
    cdef Py_ssize_t periods = (end - begin) // t.period if end > begin else 0
    cdef bint in_line = (
        c0 == 0 and c1 == t.m and j0 == 0
        and t.m % t.period == 0 and t.m // t.period * t.step == t.n
    )
    cdef int row = 0, line, k
    end = begin + periods * t.period
    if periods == 0:
        begin = c1
        end = c1
    while row < rows:
        line = 1
        if in_line:
            line = rows_in_line(y, x, row, rows, t.n * inner, t.m * inner)
        if periods:
            stream(
                y[row] + (begin - c0) * inner, x[row] - j0 * inner, t, begin,
                periods + (line - 1) * (t.m // t.period), inner, scratch,
            )
        for k in range(row, row + line):
            along_single(y[k], x[k], t, c0, begin, c0, j0, inner)
            along_single(y[k], x[k], t, end, c1, c0, j0, inner)
        row += line


cdef inline void halve_pairs(
    real* y, const real* x, real a, real b, Py_ssize_t count, const int inner, const int n
) noexcept nogil:
    """Weighted sums of pairs of samples of a constant number of elements, n of them at a time.

    Three are taken as four, as in `narrow_row`; the last sample must then be one of three.
    """
    cdef Py_ssize_t q
    cdef int c
    cdef real t[4]
    for q in range(count):
        for c in range(n):
            t[c] = a * x[2 * inner * q + c] + b * x[2 * inner * q + inner + c]
        for c in range(n):
            y[inner * q + c] = t[c]


cdef inline void halve_squares_of(
    real* y, const real* x, const real* z, const real* u, const real* v, Py_ssize_t count,
    const int inner, const int n,
) noexcept nogil:
    """Pairs of samples of pairs of rows: `combine` with weights u, then `halve_pairs` with v.

    Three elements are taken as four, as there.
    """
    cdef Py_ssize_t q
    cdef int c
    cdef real u0 = u[0], u1 = u[1], v0 = v[0], v1 = v[1]
    cdef real t[4]
    for q in range(count):
        for c in range(n):
            t[c] = v0 * (u0 * x[c] + u1 * z[c]) + v1 * (u0 * x[inner + c] + u1 * z[inner + c])
        for c in range(n):
            y[c] = t[c]
        x += 2 * inner
        z += 2 * inner
        y += inner


cdef void halve_squares(
    real* y, const real* x, const real* z, const real* u, const real* v, Py_ssize_t count,
    Py_ssize_t inner,
) noexcept nogil:
    """One output row of two input rows, x and z, where both axes are sums of pairs."""
    cdef Py_ssize_t q = 0
    cdef int k
    cdef real u0 = u[0], u1 = u[1], v0 = v[0], v1 = v[1]
    cdef real t[32]
    if inner == 1:
        # By blocks: whole vectors are added before pairs are picked out of them.
        while q + 16 <= count:
            for k in range(32):
                t[k] = u0 * x[2 * q + k] + u1 * z[2 * q + k]
            for k in range(16):
                y[q + k] = v0 * t[2 * k] + v1 * t[2 * k + 1]
            q += 16
        halve_squares_of(y + q, x + 2 * q, z + 2 * q, u, v, count - q, 1, 1)
    elif inner == 2:
        halve_squares_of(y, x, z, u, v, count, 2, 2)
    elif inner == 3:
        q = count - 1
        halve_squares_of(y, x, z, u, v, q, 3, 4)
        halve_squares_of(y + 3 * q, x + 6 * q, z + 6 * q, u, v, 1, 3, 3)
    else:
        halve_squares_of(y, x, z, u, v, count, 4, 4)


cdef void stream(
    real* y, const real* x, const TapsView* t, Py_ssize_t begin, Py_ssize_t periods,
    Py_ssize_t inner, char* scratch,
) noexcept nogil:
    """`periods` whole periods from row `begin` of the table on; y holds output `begin` first."""
    cdef const real* weights = <const real*> t.weights + begin * t.width
    cdef Py_ssize_t M = t.period, N = t.step
    cdef Py_ssize_t block = STREAM // ((M + N) * inner)
    cdef Py_ssize_t q0 = 0, q, low, high, length, p, r, whole
    cdef int k, count
    cdef uint64_t streams = 0
    cdef real** taps = <real**> scratch
    cdef real* used = <real*> (scratch + t.width * sizeof(void*))
    cdef real* dealt = used + t.width
    cdef real* merged
    cdef real* target
    cdef const real* w
    # Samples that one period reads, from its own beginning.
    low = t.first[begin]
    high = low
    for p in range(begin, begin + M):
        if t.count[p] and t.first[p] < low:
            low = t.first[p]
        if t.first[p] + t.count[p] > high:
            high = t.first[p] + t.count[p]
    for p in range(begin, begin + M):
        for k in range(t.count[p]):
            streams |= <uint64_t> 1 << ((t.first[p] - low + k) % N)
    if block < 16:
        block = 16
    length = block + (high - low + N - 1) // N + 1
    merged = dealt if N == 1 else dealt + N * length * inner
    x += low * inner
    while q0 < periods:
        q = periods - q0 if periods - q0 < block else block
        if N == 2 and M == 1 and inner == 1 and t.count[begin] == 2 and not t.holes:
            # Halving by pairs: the shuffles of dealing are part of the sum.
            for r in range(q):
                y[r] = weights[0] * x[2 * r] + weights[1] * x[2 * r + 1]
            y += q
            x += 2 * q
            q0 += q
            continue
        if N == 2 and M == 1 and 2 <= inner <= 4 and t.count[begin] == 2 and not t.holes:
            if inner == 2:
                halve_pairs(y, x, weights[0], weights[1], q, 2, 2)
            elif inner == 3:
                halve_pairs(y, x, weights[0], weights[1], q - 1, 3, 4)
                halve_pairs(y + 3 * (q - 1), x + 6 * (q - 1), weights[0], weights[1], 1, 3, 3)
            else:
                halve_pairs(y, x, weights[0], weights[1], q, 4, 4)
            y += q * inner
            x += 2 * q * inner
            q0 += q
            continue
        if N > 1:
            # All streams up to the last sample that is read, and none beyond.
            r = (high - low) + (q - 1) * N
            whole = r // N
            deal(dealt, x, N, length, whole, inner, streams)
            for p in range(r - whole * N):
                memcpy(
                    dealt + (p * length + whole) * inner, x + (whole * N + p) * inner,
                    inner * sizeof(real),
                )
        for p in range(M):
            w = weights + p * t.width
            count = 0
            for k in range(t.count[begin + p]):
                if w[k] != 0:
                    r = t.first[begin + p] - low + k
                    if N > 1:
                        taps[count] = dealt + ((r % N) * length + r // N) * inner
                    else:
                        taps[count] = <real*> x + r * inner
                    used[count] = w[k]
                    count += 1
            target = y if M == 1 else merged + p * block * inner
            combine(target, taps, used, count, q * inner)
        if M > 1:
            merge(y, merged, M, block, q, inner)
        y += q * M * inner
        x += q * N * inner
        q0 += q


cdef void along_lanes(
    real** y, real** x, int rows, const TapsView* t, Py_ssize_t c0, Py_ssize_t c1,
    Py_ssize_t j0, Py_ssize_t inner, char* scratch,
) noexcept nogil:
    """Eight rows at a time; fewer are filled up with the last one."""
    cdef const real* weights = <const real*> t.weights
    cdef real* source[LANES]
    cdef real* target[LANES]
    cdef real** taps = <real**> scratch
    cdef real* used = <real*> (scratch + t.width * sizeof(void*))
    cdef real* tile = used + t.width
    cdef real* made
    cdef Py_ssize_t begin, end, low, high, i, c, k
    cdef Py_ssize_t limit = t.tile
    cdef int row = 0, lane, count
    made = tile + (t.reach * inner) * LANES
    while row < rows:
        for lane in range(LANES):
            source[lane] = x[row + lane if row + lane < rows else rows - 1]
        begin = c0
        while begin < c1:
            # As many outputs as the tile holds, with the samples that they read.
            end = begin + limit if begin + limit < c1 else c1
            low = t.low[begin]
            high = larger(t.high[end - 1], low)
            interleave(tile, source, (low - j0) * inner, (high - low) * inner)
            if inner == 1 and not t.holes:
                short_rows(made, tile - low * LANES, t, begin, end, LANES, LANES)
            else:
                for i in range(begin, end):
                    count = gather_taps(
                        taps, used, tile + (t.first[i] - low) * inner * LANES,
                        weights + i * t.width, t.count[i], inner * LANES,
                    )
                    combine(made + (i - begin) * inner * LANES, taps, used, count, inner * LANES)
            for lane in range(LANES):
                target[lane] = y[row + lane if row + lane < rows else rows - 1]
            if rows - row >= LANES:
                separate(target, (begin - c0) * inner, made, (end - begin) * inner)
            else:
                for lane in range(rows - row):
                    for c in range((end - begin) * inner):
                        target[lane][(begin - c0) * inner + c] = made[c * LANES + lane]
            begin = end
        row += LANES


cdef inline void window(
    real** y, real** x, Py_ssize_t to, Py_ssize_t frm, const int rows, const uint8_t* index,
    const real* w, const int taps, const int full, Py_ssize_t left, const bint half,
) noexcept nogil:
    """One window of some rows: the kernel of the element's type and the window's size."""
    if real is float:
        if half:
            window_half_float(y, x, to, frm, rows, index, w, taps, full, left)
        else:
            window_wide_float(y, x, to, frm, rows, index, w, taps, full, left)
    else:
        if half:
            window_half_double(y, x, to, frm, rows, index, w, taps, full, left)
        else:
            window_wide_double(y, x, to, frm, rows, index, w, taps, full, left)


cdef inline void windows_of_rows(
    real** y, real** x, const int rows, const TapsView* t, const WindowsView* s,
    Py_ssize_t begin, Py_ssize_t end, Py_ssize_t c0, Py_ssize_t j0, Py_ssize_t j1,
    const bint half,
) noexcept nogil:
    """Whole windows of 1, 2 or 4 rows, which share the loads of the weights."""
    # Copies, since a store of a vector may change anything that is reached by an address.
    cdef const real* w = <const real*> s.weights + begin * t.width
    cdef const int64_t* base = s.base
    cdef const uint8_t* full = s.full
    cdef const uint8_t* index = s.index + begin // s.size * 8
    cdef Py_ssize_t q, size = s.size, to = begin - c0, frm, left, whole = s.lanes + t.width - 1
    cdef int r, taps = <int> t.width
    for q in range(begin // size, end // size):
        frm = base[q] - j0
        left = j1 - base[q]
        if base[q] < 0:
            for r in range(rows):
                along_single(y[r], x[r], t, q * size, (q + 1) * size, c0, j0, 1)
        elif not full[q] or left < whole:
            window(y, x, to, frm, rows, index, w, taps, 0, left, half)
        elif taps == 2:
            window(y, x, to, frm, rows, index, w, 2, 1, left, half)
        elif taps == 4:
            window(y, x, to, frm, rows, index, w, 4, 1, left, half)
        else:
            window(y, x, to, frm, rows, index, w, taps, 1, left, half)
        index += 8
        w += size * taps
        to += size


cdef inline Py_ssize_t end_of_piece(
    const TapsView* t, Py_ssize_t c0, Py_ssize_t c1
) noexcept nogil:
    """End of the samples that are there for outputs c0 … c1-1, see `place`."""
    return t.n if c0 == 0 and c1 == t.m else larger(t.high[c1 - 1], t.low[c0])


cdef inline void find_windows(
    const WindowsView* s, Py_ssize_t c0, Py_ssize_t c1, Py_ssize_t j0, Py_ssize_t j1,
    Py_ssize_t* begin, Py_ssize_t* end,
) noexcept nogil:
    """Outputs from c0 to c1 in whole windows that read nothing before j0 or behind j1.

    Without any, both ends are c1.
    """
    cdef Py_ssize_t b = (c0 + s.size - 1) // s.size, e = c1 // s.size
    while b < e and s.base[b] < j0:
        b += 1
    while b < e and (s.base[e - 1] < 0 or s.base[e - 1] + s.lanes > j1):
        e -= 1
    begin[0] = b * s.size if b < e else c1
    end[0] = e * s.size if b < e else c1


cdef void along_windows(
    real** y, real** x, int rows, const TapsView* t, Py_ssize_t c0, Py_ssize_t c1,
    Py_ssize_t j0, Py_ssize_t inner, char* scratch,
) noexcept nogil:
    """Outputs whose samples lie in one register; what is before and after one by one."""
    cdef const WindowsView* s = &t.windows[sizeof(real) == 8]
    cdef Py_ssize_t begin, end, j1 = end_of_piece(t, c0, c1)
    cdef bint half = s.size < s.lanes
    cdef int row = 0, k
    find_windows(s, c0, c1, j0, j1, &begin, &end)
    while row < rows:
        if rows - row >= 4:
            k = 4
            if half:
                windows_of_rows(y + row, x + row, 4, t, s, begin, end, c0, j0, j1, True)
            else:
                windows_of_rows(y + row, x + row, 4, t, s, begin, end, c0, j0, j1, False)
        elif rows - row >= 2:
            k = 2
            if half:
                windows_of_rows(y + row, x + row, 2, t, s, begin, end, c0, j0, j1, True)
            else:
                windows_of_rows(y + row, x + row, 2, t, s, begin, end, c0, j0, j1, False)
        else:
            k = 1
            if half:
                windows_of_rows(y + row, x + row, 1, t, s, begin, end, c0, j0, j1, True)
            else:
                windows_of_rows(y + row, x + row, 1, t, s, begin, end, c0, j0, j1, False)
        row += k
    for k in range(rows):
        along_single(y[k], x[k], t, c0, begin, c0, j0, 1)
        along_single(y[k], x[k], t, end, c1, c0, j0, 1)


cdef void along_rows(
    real** y, real** x, int rows, const TapsView* t, Py_ssize_t c0, Py_ssize_t c1,
    Py_ssize_t j0, Py_ssize_t inner, char* scratch,
) noexcept nogil:
    """Output by output: few rows, and no repetition."""
    cdef int row
    for row in range(rows):
        along_single(y[row], x[row], t, c0, c1, c0, j0, inner)


cdef void pick_rows(
    word* d, word** r, const word* w, int count, Py_ssize_t n
) noexcept nogil:
    """`combine` of a table that selects: the one row."""
    memcpy(d, r[0], n * sizeof(word))


cdef inline void pick_row(
    word* d, const word* s, const int64_t* first, Py_ssize_t count, const int inner
) noexcept nogil:
    """Samples of a constant number of elements: each is a move or two."""
    cdef Py_ssize_t i
    for i in range(count):
        memcpy(d, s + first[i] * inner, inner * sizeof(word))
        d += inner


cdef inline void pick_windows(
    word* d, const word* s, const TapsView* t, const WindowsView* v, Py_ssize_t c0,
    Py_ssize_t c1, Py_ssize_t j0,
) noexcept nogil:
    """`along_windows` of a table that selects; d and s are the addresses of sample 0."""
    cdef Py_ssize_t begin = c1, end = c1, i, q, size = v.size
    cdef const int64_t* first = t.first
    cdef const int64_t* base = v.base
    cdef const uint8_t* index = v.index
    cdef bint half = v.size < v.lanes
    if size:
        find_windows(v, c0, c1, j0, end_of_piece(t, c0, c1), &begin, &end)
        for q in range(begin // size, end // size):
            if base[q] < 0:
                for i in range(q * size, (q + 1) * size):
                    d[i] = s[first[i]]
            else:
                pick_window(d + q * size, s + base[q], index + 8 * q, half)
    for i in range(c0, begin):
        d[i] = s[first[i]]
    for i in range(end, c1):
        d[i] = s[first[i]]


cdef void pick_along(
    word** y, word** x, int rows, const TapsView* t, Py_ssize_t c0, Py_ssize_t c1,
    Py_ssize_t j0, Py_ssize_t inner, char* scratch,
) noexcept nogil:
    """The samples that the table selects."""
    cdef const int64_t* first = t.first + c0
    cdef Py_ssize_t M = t.period, N = t.step
    cdef Py_ssize_t i, c, q, count = c1 - c0
    cdef int row
    cdef word* d
    cdef const word* s
    cdef word v
    for row in range(rows):
        d = y[row]
        s = x[row] - j0 * inner
        if inner == 1:
            if M == 2 and N == 1 and t.lo == 0 and t.hi == t.m and first[0] == first[count > 1]:
                s += first[0]
                for q in range(count >> 1):
                    v = s[q]
                    d[2 * q] = v
                    d[2 * q + 1] = v
                if count & 1:
                    d[count - 1] = s[count >> 1]
            elif M == 1 and N == 2 and t.lo <= c0 and c1 <= t.hi:
                s += first[0]
                for i in range(count):
                    d[i] = s[2 * i]
            elif sizeof(word) >= 4:
                pick_windows(d - c0, s, t, &t.windows[sizeof(word) == 8], c0, c1, j0)
            else:
                for i in range(count):
                    d[i] = s[first[i]]
        elif inner == 2:
            pick_row(d, s, first, count, 2)
        elif inner == 3:
            pick_row(d, s, first, count, 3)
        elif inner == 4:
            pick_row(d, s, first, count, 4)
        elif inner <= 16:
            for i in range(count):
                for c in range(inner):
                    d[i * inner + c] = s[first[i] * inner + c]
        else:
            for i in range(count):
                memcpy(d + i * inner, s + first[i] * inner, inner * sizeof(word))


ctypedef void (*move_t)(
    char*, Py_ssize_t, Py_ssize_t, const char*, Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t
) noexcept nogil


cdef void move(
    word* d, Py_ssize_t d_sample, Py_ssize_t d_inner,
    const word* s, Py_ssize_t s_sample, Py_ssize_t s_inner,
    Py_ssize_t samples, Py_ssize_t inner,
) noexcept nogil:
    """Copy between strided rows (strides in bytes; addresses need no alignment)."""
    cdef Py_ssize_t j, c
    cdef char* to = <char*> d
    cdef const char* frm = <const char*> s
    if inner == 1:
        for j in range(samples):
            memcpy(to + j * d_sample, frm + j * s_sample, sizeof(word))
    elif d_inner == sizeof(word) and s_inner == sizeof(word):
        for j in range(samples):
            memcpy(to + j * d_sample, frm + j * s_sample, inner * sizeof(word))
    else:
        for j in range(samples):
            for c in range(inner):
                memcpy(
                    to + j * d_sample + c * d_inner, frm + j * s_sample + c * s_inner,
                    sizeof(word),
                )
