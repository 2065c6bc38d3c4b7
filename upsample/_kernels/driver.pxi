# The driver: one call resamples one or two axes of an array.
#
# Axes are put in the order of their strides.  The last axis to be resampled that has few
# elements behind it is *along*; an axis with whole rows behind it is *across*:
#
#     batch …, | across axis: n_a rows | along axis: n_b samples | inner |
#                                       └──────── one row ────────────┘
#
# With two axes the work is fused, row by row, so that no intermediate array exists:
#
#     along first    input rows ─ along ─> ring of rows ─ combine ─> output row
#     across first   input rows ─ combine ─> a few rows ─ along ─> output rows
#
# The ring holds, for each thread, the rows that the next output rows still need.  The same
# ring holds rows that first have to be gathered, because their samples are not neighbours.
#
# Work is split into units: (batch, block of output rows, block of columns).  Every output
# sample belongs to one unit, and is summed in one order, so no bit depends on the threads.

cdef enum:
    MAXDIM = 66  # NumPy's limit of 64, one more for complex parts and one for wide items
    ALIGN = 64
    STREAM = 4096  # elements of all the streams of `along_phases` together
    WINDOW_ROWS = 4  # rows that share the loads of weights in `along_windows`
    WIDE = 24  # elements behind an axis from which each sample is a row of its own
    BATCH_BYTES = 24576  # one tile of `along_lanes`, input and output
    SMALL_SCRATCH = 16384  # of all threads together: on the stack
    STREAM_BYTES = 41943040  # results from this size on are written past the caches,
    STREAM_ROW_BYTES = 4096  # if their rows are at least so long
    RING_BYTES = 262144  # a part of the second cache
    ACROSS_BYTES = 32768  # a block of columns where nothing but `combine` is done

ctypedef void (*along_t)(
    char**, char**, int, const TapsView*, Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t, char*
) noexcept nogil

# `halve_squares`
ctypedef void (*squares_t)(
    char*, const char*, const char*, const char*, const char*, Py_ssize_t, Py_ssize_t
) noexcept nogil


cdef struct Dim:
    Py_ssize_t n, m  # length in the input and in the output
    Py_ssize_t x, y  # strides in bytes
    int role  # 0: batch, 1 or 2: the first or second resampled axis


cdef struct Job:
    char* x
    char* y
    Py_ssize_t low_x, high_x, low_y, high_y  # first byte and end of the arrays, from x and y
    Py_ssize_t item, weight_item  # bytes of an element of the rows, of a weight
    Stored stored_x, stored_y  # elements of the arrays
    bint selects  # every table selects: samples of any kind are copied
    combine_t combine
    along_t along
    squares_t squares  # NULL: not every output is a square of two by two samples
    int batch_dims
    Dim batch[MAXDIM]
    Py_ssize_t batches
    bint has_a, has_b, along_first
    int way  # of the along axis
    TapsView a, b
    Dim rows, columns, inner
    bint direct_x, direct_y
    bint stored_rows  # `combine` converts the elements that it reads
    bint streams  # the result is larger than the caches: write past them
    Py_ssize_t row_block, row_blocks, column_block, column_blocks
    Py_ssize_t slots, mask  # rows of the ring, a power of two, and that less 1
    Py_ssize_t group  # rows of one call of `along`
    Py_ssize_t longest  # samples of the longest piece of an input row
    # Scratch of a thread, as offsets.
    Py_ssize_t at_tags, at_pointers, at_weights, at_ring, at_middle, at_out, at_along, scratch


cdef void find_reaches(
    TapsView* t, int64_t* low, int64_t* high, Py_ssize_t* reaches
) noexcept nogil:
    """Bounds of what rows read: from each row on, up to it, and by tiles of 8, 16, 32, … rows."""
    cdef Py_ssize_t i, k, tile
    low[t.m - 1] = t.first[t.m - 1]
    for i in range(t.m - 2, -1, -1):
        low[i] = smaller(t.first[i], low[i + 1])
    high[0] = t.first[0] + t.count[0]
    for i in range(1, t.m):
        high[i] = larger(t.first[i] + t.count[i], high[i - 1])
    t.window = 0
    for i in range(t.m):
        t.window = larger(t.window, high[i] - low[i])
    for k in range(REACHES):
        tile = smaller(8 << k, t.m)
        reaches[k] = 0
        for i in range(t.m - tile + 1):
            reaches[k] = larger(reaches[k], high[i + tile - 1] - low[i])


@cython.final
cdef class Table:
    """A packed table of taps for the kernels.

    Parameters
    ----------
    n : int
        Samples of the input.
    first : ndarray of int64, shape (m,)
    count : ndarray of int32, shape (m,)
    weights : ndarray of float32 or float64, shape (m, width)
    holes : bool
        Whether a weight between the first and the last of a row is zero.
    selection : bool
        Whether each row is one weight of 1.
    hints : tuple of int
        (period, step, lo, hi, span, even_lo, even_hi, even_count, tail), see `Packed`.
    windows : tuple
        The rows in groups for elements of four and of eight bytes, see `Windows`, or None.
    """

    cdef TapsView view
    cdef Py_ssize_t reaches[REACHES]
    cdef object _keep
    cdef readonly bint selection
    cdef readonly object dtype

    def __init__(
        self, n, first, count, weights, holes, selection, hints, windows=()
    ):
        cdef cnp.ndarray first_ = first, count_ = count, weights_ = weights
        cdef Py_ssize_t m = len(first), i
        if first_.dtype != np.int64 or count_.dtype != np.int32 or count_.shape[0] != m:
            raise TypeError("first must be int64, count int32, of equal length")
        if weights_.dtype not in (np.float32, np.float64) or weights_.ndim != 2:
            raise TypeError("weights must be a matrix of float32 or float64")
        for array in (first_, count_, weights_):
            if not array.flags.c_contiguous or not array.flags.aligned:
                raise ValueError("arrays of a table must be contiguous")
        # The kernels trust a table; this is the one place where it is checked.
        if m != weights_.shape[0] or m == 0:
            raise ValueError("a table needs one row of weights for each output")
        if (
            first_.min() < 0
            or count_.min() < 0
            or count_.max() > weights_.shape[1]
            or (first_ + count_).max() > n
        ):
            raise ValueError("taps outside the array")
        low, high = np.empty_like(first), np.empty_like(first)
        self._keep = (first, count, weights, low, high)
        self.view.low = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> low)
        self.view.high = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> high)
        self.dtype = weights_.dtype
        self.selection = selection
        self.view.n = n
        self.view.m = m
        self.view.width = weights_.shape[1]
        self.view.first = <const int64_t*> cnp.PyArray_DATA(first_)
        self.view.count = <const int32_t*> cnp.PyArray_DATA(count_)
        self.view.weights = <const char*> cnp.PyArray_DATA(weights_)
        find_reaches(
            &self.view, <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> low),
            <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> high), self.reaches,
        )
        self.view.holes = holes
        (
            self.view.period, self.view.step, self.view.lo, self.view.hi, self.view.span,
            self.view.even_lo, self.view.even_hi, self.view.even_count, self.view.tail,
        ) = hints
        memset(self.view.windows, 0, sizeof(self.view.windows))
        for i in range(len(windows)):
            if windows[i] is not None:
                self._set_windows(&self.view.windows[i], windows[i], 4 << i)

    cdef int _set_windows(self, WindowsView* view, windows, Py_ssize_t item) except -1:
        cdef Py_ssize_t size = windows[0], lanes = windows[1]
        cdef Py_ssize_t groups = self.view.m // larger(size, 1)
        base, index, weights, full = windows[2:]
        if lanes * item != UPSAMPLE_VECTOR_BYTES or size not in (lanes, lanes // 2):
            raise ValueError("windows do not fit the registers")
        for array, dtype, shape in (
            (base, np.int64, (groups,)),
            (index, np.uint8, (groups, 8)),
            (weights, self.dtype, (groups, self.view.width, size)),
            (full, np.uint8, (groups,)),
        ):
            if array.dtype != dtype or array.shape != shape or not array.flags.c_contiguous:
                raise ValueError("an array of the windows has the wrong type or shape")
        if (
            base.max() + lanes > self.view.n
            or index.max() >= 8
        ):
            raise ValueError("windows outside the array")
        self._keep += (base, index, weights, full)
        view.size = size
        view.lanes = lanes
        view.base = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> base)
        view.index = <const uint8_t*> cnp.PyArray_DATA(<cnp.ndarray> index)
        view.weights = <const char*> cnp.PyArray_DATA(<cnp.ndarray> weights)
        view.full = <const uint8_t*> cnp.PyArray_DATA(<cnp.ndarray> full)
        return 0

    @property
    def shape(self):
        """(outputs, inputs)."""
        return self.view.m, self.view.n

    @property
    def index(self):
        """The first sample of each row: the selected one, if the table selects."""
        return self._keep[0]


# ---------------------------------------------------------------------------------------
# One unit of work.

cdef struct Piece:
    char* x  # corner of the unit
    char* y
    Py_ssize_t i0, i1  # output rows
    Py_ssize_t c0, c1  # output samples of the along axis (elements of `inner` without one)
    Py_ssize_t j0, j1  # input samples that they read
    Py_ssize_t inner  # elements of a sample
    Py_ssize_t length_x, length_y  # elements of a row's piece


cdef inline void find_columns(
    const TapsView* t, Py_ssize_t c0, Py_ssize_t c1, Py_ssize_t* j0, Py_ssize_t* j1
) noexcept nogil:
    """Samples that outputs c0 … c1-1 read."""
    j0[0] = t.low[c0]
    j1[0] = larger(t.high[c1 - 1], t.low[c0])


cdef void place(const Job* job, Py_ssize_t unit, Piece* p) noexcept nogil:
    cdef Py_ssize_t column = unit % job.column_blocks
    cdef Py_ssize_t row = (unit // job.column_blocks) % job.row_blocks
    cdef Py_ssize_t batch = unit // (job.column_blocks * job.row_blocks)
    cdef Py_ssize_t index
    cdef int d
    p.x = job.x
    p.y = job.y
    for d in range(job.batch_dims - 1, -1, -1):
        index = batch % job.batch[d].n
        batch //= job.batch[d].n
        p.x += index * job.batch[d].x
        p.y += index * job.batch[d].y
    p.i0 = row * job.row_block
    p.i1 = smaller(p.i0 + job.row_block, job.rows.m)
    p.c0 = column * job.column_block
    if job.has_b:
        p.c1 = smaller(p.c0 + job.column_block, job.columns.m)
        p.inner = job.inner.n
        if job.column_blocks == 1:
            p.j0 = 0
            p.j1 = job.columns.n
        else:
            find_columns(&job.b, p.c0, p.c1, &p.j0, &p.j1)
        p.x += p.j0 * job.columns.x
        p.y += p.c0 * job.columns.y
        p.length_x = (p.j1 - p.j0) * p.inner
        p.length_y = (p.c1 - p.c0) * p.inner
    else:
        p.c1 = smaller(p.c0 + job.column_block, job.inner.n)
        p.j0, p.j1 = p.c0, p.c1
        p.x += p.c0 * job.inner.x
        p.y += p.c0 * job.inner.y
        p.inner = p.c1 - p.c0
        p.length_x = p.length_y = p.inner


cdef inline void check_row(
    const Job* job, const char* scratch, const char* p, Py_ssize_t bytes, bint reading
) noexcept nogil:
    """In checked builds: a row of neighbours lies in the scratch, or in the array."""
    cdef const char* begin = job.x + job.low_x if reading else job.y + job.low_y
    cdef const char* end = job.x + job.high_x if reading else job.y + job.high_y
    if not UPSAMPLE_CHECKED or (begin <= p and p + bytes <= end):
        return
    if p < scratch or p + bytes > scratch + job.scratch:
        out_of_bounds()


cdef inline void check_samples(
    const Job* job, const char* p, Py_ssize_t column, Py_ssize_t inner, Py_ssize_t samples,
    Py_ssize_t elements, bint reading,
) noexcept nogil:
    """In checked builds: samples of a row that has strides lie in the array."""
    cdef const char* begin = job.x + job.low_x if reading else job.y + job.low_y
    cdef const char* end = job.x + job.high_x if reading else job.y + job.high_y
    cdef Py_ssize_t item = job.stored_x.item if reading else job.stored_y.item
    cdef const char* first = p
    if not UPSAMPLE_CHECKED or samples == 0 or elements == 0:
        return
    p += (samples - 1) * column if column > 0 else 0
    p += (elements - 1) * inner if inner > 0 else 0
    first += (samples - 1) * column if column < 0 else 0
    first += (elements - 1) * inner if inner < 0 else 0
    if first < begin or p + item > end:
        out_of_bounds()


cdef inline void read_row(const Job* job, const Piece* p, Py_ssize_t row, char* to) noexcept nogil:
    """A piece of an input row, its samples made neighbours."""
    cdef Py_ssize_t samples = p.j1 - p.j0 if job.has_b else 1
    check_samples(
        job, p.x + row * job.rows.x, job.columns.x, job.inner.x, samples, p.inner, True
    )
    load_row(
        &job.stored_x, to, job.item, p.x + row * job.rows.x, job.columns.x, job.inner.x,
        samples, p.inner,
    )


cdef inline void write_row(
    const Job* job, const Piece* p, Py_ssize_t row, const char* frm
) noexcept nogil:
    cdef Py_ssize_t samples = p.c1 - p.c0 if job.has_b else 1
    check_samples(
        job, p.y + row * job.rows.y, job.columns.y, job.inner.y, samples, p.inner, False
    )
    store_row(
        &job.stored_y, p.y + row * job.rows.y, job.columns.y, job.inner.y, frm, job.item,
        samples, p.inner,
    )


cdef inline void along_group(
    const Job* job, const Piece* p, char** to, char** frm, int rows, char* scratch
) noexcept nogil:
    cdef int k
    if UPSAMPLE_CHECKED:
        for k in range(rows):
            check_row(job, scratch, frm[k], p.length_x * job.item, True)
            check_row(job, scratch, to[k], p.length_y * job.item, False)
    job.along(
        to, frm, rows, &job.b, p.c0, p.c1, p.j0, p.inner, scratch + job.at_along
    )


cdef void unit_along(const Job* job, const Piece* p, char* scratch) noexcept nogil:
    """The rows are independent: only the along axis is resampled."""
    cdef char* source[LANES]
    cdef char* target[LANES]
    cdef Py_ssize_t row = p.i0
    cdef int k, rows
    while row < p.i1:
        rows = <int> smaller(job.group, p.i1 - row)
        for k in range(rows):
            if job.direct_x:
                source[k] = p.x + (row + k) * job.rows.x
            else:
                source[k] = scratch + job.at_middle + k * p.length_x * job.item
                read_row(job, p, row + k, source[k])
            if job.direct_y:
                target[k] = p.y + (row + k) * job.rows.y
            else:
                target[k] = scratch + job.at_out + k * p.length_y * job.item
        along_group(job, p, target, source, rows, scratch)
        if not job.direct_y:
            for k in range(rows):
                write_row(job, p, row + k, target[k])
        row += rows


cdef int missing_rows(
    const Job* job, const Piece* p, Py_ssize_t row, Py_ssize_t* tags, Py_ssize_t* found
) noexcept nogil:
    """Input rows that output `row` needs and the ring lacks, and then those of later outputs.

    At most `group` rows, all within the ring's length from the first that any output from `row`
    on needs, so that none takes the place of another.  They are entered in `tags`, and behind
    the tags the output up to which everything is there.
    """
    cdef Py_ssize_t end = job.a.low[row] + job.slots
    cdef Py_ssize_t i, j
    cdef int k, count = 0
    for i in range(row, p.i1):
        for k in range(job.a.count[i]):
            j = job.a.first[i] + k
            if tags[j & job.mask] != j:
                if j >= end or count == job.group:
                    return count
                tags[j & job.mask] = j
                found[count] = j
                count += 1
        tags[job.slots] = i + 1
    return count


cdef inline void fill_ring(
    const Job* job, const Piece* p, Py_ssize_t row, char* scratch
) noexcept nogil:
    """See that the ring holds every input row of output `row`."""
    cdef Py_ssize_t* tags = <Py_ssize_t*> (scratch + job.at_tags)
    while tags[job.slots] <= row:
        extend_ring(job, p, row, tags, scratch)


cdef void extend_ring(
    const Job* job, const Piece* p, Py_ssize_t row, Py_ssize_t* tags, char* scratch
) noexcept nogil:
    cdef char* ring = scratch + job.at_ring
    cdef Py_ssize_t length = (p.length_y if job.along_first else p.length_x) * job.item
    cdef Py_ssize_t found[LANES]
    cdef char* source[LANES]
    cdef char* target[LANES]
    cdef int k, count = missing_rows(job, p, row, tags, found)
    for k in range(count):
        target[k] = ring + (found[k] & job.mask) * length
        if not job.along_first:
            read_row(job, p, found[k], target[k])
        elif job.direct_x:
            source[k] = p.x + found[k] * job.rows.x
        else:
            source[k] = scratch + job.at_middle + k * p.length_x * job.item
            read_row(job, p, found[k], source[k])
    if job.along_first and count:
        along_group(job, p, target, source, count, scratch)


cdef inline void across(
    const Job* job, const Piece* p, Py_ssize_t row, char* to, char* scratch
) noexcept nogil:
    """Make one row of the across axis: from the ring, or from the input where it lies."""
    cdef char** taps = <char**> (scratch + job.at_pointers)
    cdef const char* weights = job.a.weights + row * job.a.width * job.weight_item
    cdef Py_ssize_t length = p.length_y if job.along_first else p.length_x
    cdef Py_ssize_t j = job.a.first[row], mask = job.mask, stride = length * job.item
    cdef char* base = scratch + job.at_ring
    cdef int k, count = job.a.count[row]
    if job.along_first or not job.direct_x:
        fill_ring(job, p, row, scratch)
    else:
        base, mask, stride = p.x, -1, job.rows.x
    for k in range(count):
        taps[k] = base + ((j + k) & mask) * stride
    if UPSAMPLE_CHECKED:
        for k in range(count):
            check_row(
                job, scratch, taps[k],
                length * (job.stored_x.item if job.stored_rows else job.item), True,
            )
        check_row(job, scratch, to, length * job.item, False)
    if job.a.holes:
        count = leave_out_holes(job, taps, &weights, count, scratch + job.at_weights)
    job.combine(to, taps, weights, count, length)


cdef int leave_out_holes(
    const Job* job, char** taps, const char** weights, int count, char* kept
) noexcept nogil:
    """Only the taps whose weight is not zero; returns how many."""
    cdef Py_ssize_t item = job.weight_item
    cdef int k, used = 0
    for k in range(count):
        if weight_used(weights[0], k, item):
            taps[used] = taps[k]
            memcpy(kept + used * item, weights[0] + k * item, item)
            used += 1
    weights[0] = kept
    return used


cdef inline bint is_copy(const Job* job, Py_ssize_t row) noexcept nogil:
    """Whether a row of the across axis is an input row as it lies there."""
    if job.a.count[row] != 1 or not job.direct_x or job.stored_rows:
        return False
    if job.weight_item == 8:
        return (<const double*> job.a.weights)[row * job.a.width] == 1
    return (<const float*> job.a.weights)[row * job.a.width] == 1


cdef inline bint weight_used(const char* weights, int k, Py_ssize_t item) noexcept nogil:
    if item == 8:
        return (<const double*> weights)[k] != 0
    return (<const float*> weights)[k] != 0


cdef void unit_across_last(const Job* job, const Piece* p, char* scratch) noexcept nogil:
    """Output rows straight from the ring (along first), or from input rows alone."""
    cdef char* target
    cdef Py_ssize_t row
    for row in range(p.i0, p.i1):
        if job.direct_y and not job.streams:
            target = p.y + row * job.rows.y
        else:
            target = scratch + job.at_out
        across(job, p, row, target, scratch)
        if job.streams:
            check_row(job, scratch, p.y + row * job.rows.y, p.length_y * job.item, False)
            stream_copy(p.y + row * job.rows.y, target, p.length_y * job.item)
        elif not job.direct_y:
            write_row(job, p, row, target)
    if job.streams:
        stream_end()


cdef void unit_across_first(const Job* job, const Piece* p, char* scratch) noexcept nogil:
    """A few rows of the across axis, then along them."""
    cdef char* middle[LANES]
    cdef char* target[LANES]
    cdef Py_ssize_t row = p.i0
    cdef int k, rows
    while row < p.i1:
        rows = <int> smaller(job.group, p.i1 - row)
        for k in range(rows):
            middle[k] = scratch + job.at_middle + k * p.length_x * job.item
            if is_copy(job, row + k):
                middle[k] = p.x + job.a.first[row + k] * job.rows.x
            else:
                across(job, p, row + k, middle[k], scratch)
            if job.direct_y:
                target[k] = p.y + (row + k) * job.rows.y
            else:
                target[k] = scratch + job.at_out + k * p.length_y * job.item
        along_group(job, p, target, middle, rows, scratch)
        if not job.direct_y:
            for k in range(rows):
                write_row(job, p, row + k, target[k])
        row += rows


cdef void unit_squares(const Job* job, const Piece* p) noexcept nogil:
    """Two rows and two samples make one, with no row between: halving, mostly."""
    cdef Py_ssize_t row, begin = (job.b.first[p.c0] - p.j0) * p.inner * job.item
    cdef const char* x
    cdef char* y
    for row in range(p.i0, p.i1):
        x = p.x + job.a.first[row] * job.rows.x + begin
        y = p.y + row * job.rows.y
        if UPSAMPLE_CHECKED:
            check_row(job, NULL, x, 2 * p.length_y * job.item, True)
            check_row(job, NULL, x + job.rows.x, 2 * p.length_y * job.item, True)
            check_row(job, NULL, y, p.length_y * job.item, False)
        job.squares(
            y, x, x + job.rows.x, job.a.weights + row * job.a.width * job.weight_item,
            job.b.weights, p.c1 - p.c0, p.inner,
        )


cdef void unit_selected(const Job* job, const Piece* p, char* scratch) noexcept nogil:
    """Samples are copied: along the input row that is selected, or from the row just made."""
    cdef bint in_place = job.direct_y and not job.streams
    cdef char* made = scratch + job.at_out
    cdef char* source = scratch + job.at_middle
    cdef char* target
    cdef Py_ssize_t row, last = -1, size = p.length_y * job.item
    for row in range(p.i0, p.i1):
        target = p.y + row * job.rows.y
        if job.a.first[row] != last:
            last = job.a.first[row]
            if job.direct_x:
                source = p.x + last * job.rows.x
            else:
                read_row(job, p, last, source)
            if not job.has_b:
                made = source
            else:
                if in_place:
                    made = target
                along_group(job, p, &made, &source, 1, scratch)
        if job.direct_y:
            check_row(job, scratch, target, size, False)
        if job.streams:
            stream_copy(target, made, size)
        elif not job.direct_y:
            write_row(job, p, row, made)
        elif made != target:
            memcpy(target, made, size)
    if job.streams:
        stream_end()


cdef void work(const Job* job, Py_ssize_t begin, Py_ssize_t end, char* scratch) noexcept nogil:
    """Units begin … end-1, by one thread."""
    cdef Piece p
    cdef Py_ssize_t unit, k
    cdef Py_ssize_t* tags = <Py_ssize_t*> (scratch + job.at_tags)
    for unit in range(begin, end):
        place(job, unit, &p)
        if not job.has_a:
            unit_along(job, &p, scratch)
            continue
        if job.selects:
            unit_selected(job, &p, scratch)
            continue
        if job.squares != NULL:
            unit_squares(job, &p)
            continue
        for k in range(job.slots):
            tags[k] = -1
        tags[job.slots] = p.i0
        if job.has_b and not job.along_first:
            unit_across_first(job, &p, scratch)
        else:
            unit_across_last(job, &p, scratch)


# ---------------------------------------------------------------------------------------
# Planning: from arrays to a job.

cdef int by_stride(Dim* dims, int ndim) noexcept nogil:
    """Order axes by falling stride of the input, as NumPy's order 'K' does.

    Axes of length 1 and of stride 0 say nothing about the order and stay where they are.
    """
    cdef int i, j, k
    cdef Dim dim
    for i in range(1, ndim):
        dim = dims[i]
        if dim.n == 1 or dim.x == 0:
            continue
        j = i
        for k in range(i - 1, -1, -1):
            if dims[k].n == 1 or dims[k].x == 0:
                continue
            if magnitude(dims[k].x) >= magnitude(dim.x):
                break
            j = k
        for k in range(i, j, -1):
            dims[k] = dims[k - 1]
        dims[j] = dim
    return 0


cdef inline Py_ssize_t magnitude(Py_ssize_t a) noexcept nogil:
    return -a if a < 0 else a


cdef int coalesce(Dim* dims, int ndim) noexcept nogil:
    """Merge neighbouring batch axes that lie one behind the other, and drop those of length 1."""
    cdef int i, kept = 0
    for i in range(ndim):
        if dims[i].role == 0 and dims[i].n == 1:
            continue
        if (
            kept
            and dims[i].role == 0
            and dims[kept - 1].role == 0
            and dims[kept - 1].x == dims[i].x * dims[i].n
            and dims[kept - 1].y == dims[i].y * dims[i].n
        ):
            dims[kept - 1].n *= dims[i].n
            dims[kept - 1].m = dims[kept - 1].n
            dims[kept - 1].x = dims[i].x
            dims[kept - 1].y = dims[i].y
            continue
        dims[kept] = dims[i]
        kept += 1
    return kept


cdef double pass_cost(const TapsView* t, double lines, bint along) noexcept nogil:
    """Rough cost of a pass: `lines` samples for each output, `along` dearer by moving them."""
    cdef double taps = t.width
    return lines * t.m * (taps + (3.0 if along else 1.0))


cdef bint second_goes_first(const TapsView* first, const TapsView* second) noexcept nogil:
    """Whether the second axis is resampled before the first.

    By cost for an array in C order, and by that alone: the order of the two passes decides
    how sums are rounded, and the layout of an array is not to change a bit.
    """
    cdef double used = smaller(first.n, first.m * first.width)
    cdef double before = pass_cost(second, used, True) + pass_cost(first, second.m, False)
    cdef double after = pass_cost(first, second.n, False) + pass_cost(second, first.m, True)
    return before <= after


cdef Py_ssize_t aligned(Py_ssize_t size) noexcept nogil:
    return (size + ALIGN - 1) // ALIGN * ALIGN


cdef int plan(Job* job, Dim* dims, int ndim, Table first, Table second, int threads) except -1:
    """Give every axis its part; choose kernels, blocks and scratch."""
    cdef Dim one, rows, columns, inner
    cdef int i, at_a = -1, at_b = -1, kept
    cdef Table a = None, b = None
    one.n = one.m = 1
    one.x = one.y = 0
    one.role = 0
    rows = columns = inner = one

    by_stride(dims, ndim)
    kept = coalesce(dims, ndim)
    for i in range(kept):
        if dims[i].role:
            if at_a < 0:
                at_a = i
            else:
                at_b = i
    if at_b < 0:
        # One axis: across if there are rows behind it, along otherwise.
        at_b = at_a
        at_a = -1
        if at_b == kept - 2 and dims[kept - 1].n >= WIDE:
            at_a = at_b
            at_b = -1
    if at_a >= 0:
        a = first if dims[at_a].role == 1 else second
        rows = dims[at_a]
    if at_b >= 0:
        b = first if dims[at_b].role == 1 else second
        columns = dims[at_b]
    # The last axis in memory is `inner`, unless it is resampled itself.
    cdef int at_inner = kept - 1 if dims[kept - 1].role == 0 else -1
    if at_inner >= 0:
        inner = dims[at_inner]
    # Without an across axis the last batch axis gives the rows.
    cdef int at_rows = at_a
    if a is None:
        for i in range(kept):
            if dims[i].role == 0 and i != at_inner:
                at_rows = i
        if at_rows >= 0:
            rows = dims[at_rows]
    job.batch_dims = 0
    job.batches = 1
    for i in range(kept):
        if i != at_rows and i != at_b and i != at_inner:
            job.batch[job.batch_dims] = dims[i]
            job.batch_dims += 1
            job.batches *= dims[i].n
    job.rows, job.columns, job.inner = rows, columns, inner
    job.has_a = a is not None
    job.has_b = b is not None
    if job.has_a:
        job.a = a.view
    if job.has_b:
        job.b = b.view
    job.along_first = False
    job.way = SINGLE
    if job.has_a and job.has_b:
        job.along_first = second_goes_first(&first.view, &second.view) == (b is second)
    choose_kernels(job)
    job.direct_x = is_direct(job, job.x, True)
    job.direct_y = is_direct(job, job.y, False)
    job.stored_rows = combines_stored(job)
    if job.stored_rows:
        job.combine = job.stored_x.combine
        job.direct_x = True
    choose_squares(job)
    choose_blocks(job, b, threads)
    return 0


cdef inline bint is_pairs(const TapsView* t) noexcept nogil:
    """Every output is a sum of two neighbours."""
    return t.even_lo == 0 and t.even_hi == t.m and t.even_count == 2 and not t.holes


cdef void choose_squares(Job* job) noexcept nogil:
    """Use `halve_squares` where it does all: pairs of rows, and pairs in turn along them."""
    job.squares = NULL
    if (
        job.has_a and job.has_b and not job.selects and not job.along_first
        and job.direct_x and job.direct_y and not job.stored_rows and job.inner.n <= 4
        and is_pairs(&job.a) and is_pairs(&job.b)
        and job.b.period == 1 and job.b.step == 2 and job.b.lo == 0 and job.b.hi == job.b.m
    ):
        if job.item == 4:
            job.squares = <squares_t> halve_squares[float]
        else:
            job.squares = <squares_t> halve_squares[double]


cdef bint combines_stored(const Job* job) noexcept nogil:
    """Whether rows are combined as they are stored, and converted meanwhile.

    Only where few rows are read more than once, since each time they are converted anew.
    """
    return (
        not job.selects and job.has_a and not job.along_first
        and job.stored_x.combine != NULL and not job.stored_x.swapped
        and lies_in_rows(job, job.x, True)
        and 2 * job.a.m * job.a.width <= 3 * job.a.n
    )


cdef bint is_direct(const Job* job, const char* start, bint reading) noexcept nogil:
    """Whether rows can be used where they lie."""
    cdef const Stored* stored = &job.stored_x if reading else &job.stored_y
    return stored.plain and not stored.swapped and lies_in_rows(job, start, reading)


cdef bint lies_in_rows(const Job* job, const char* start, bint reading) noexcept nogil:
    """Whether the samples of a row are side by side, and aligned."""
    cdef Py_ssize_t item = job.stored_x.item if reading else job.stored_y.item
    cdef Py_ssize_t inner = job.inner.x if reading else job.inner.y
    cdef Py_ssize_t column = job.columns.x if reading else job.columns.y
    cdef Py_ssize_t row = job.rows.x if reading else job.rows.y
    cdef Py_ssize_t length = job.columns.n if reading else job.columns.m
    cdef int d
    if <size_t> start % item or row % item:
        return False
    if job.inner.n > 1 and inner != item:
        return False
    if length > 1 and column != item * job.inner.n:
        return False
    for d in range(job.batch_dims):
        if (job.batch[d].x if reading else job.batch[d].y) % item:
            return False
    return True


cdef bint is_streamed(const Job* job) noexcept nogil:
    """Whether output rows are written past the caches.

    Only large results, and long rows: a line that is not written whole costs several times more.
    """
    cdef Py_ssize_t row = job.columns.m * job.inner.n, piece = job.column_block
    if job.has_b:
        piece *= job.inner.n
    return (
        job.direct_y and job.has_a and (job.along_first or not job.has_b or job.selects)
        and piece * job.item >= STREAM_ROW_BYTES
        and job.batches * job.rows.m * row * job.item >= STREAM_BYTES
    )


cdef void choose_blocks(Job* job, Table b, int threads) noexcept nogil:
    cdef Py_ssize_t width = job.a.width if job.has_a else 0
    cdef Py_ssize_t inner = job.inner.n, length, size, units, k
    cdef Py_ssize_t piece_x, piece_y
    # Rows of one call of `along`: eight that are laid side by side, or some short ones that are
    # done as one.
    job.group = 1
    if job.has_b:
        job.group = rows_of_group(job)
        if job.way == LANES_OF_ROWS:
            job.group = LANES
        elif job.way == WINDOWS:
            job.group = WINDOW_ROWS
    job.slots = 0
    if job.has_a and not job.selects and (job.along_first or not job.direct_x):
        job.slots = 2
        while job.slots < job.a.window + job.group:
            job.slots *= 2
    job.mask = job.slots - 1

    # Columns: a piece of the ring stays in the second cache.
    if not job.has_b:
        size = ACROSS_BYTES // job.item
        length = inner
    else:
        length = job.columns.m
        size = RING_BYTES // (job.item * inner * (job.slots + job.group + 1))
        if size < 64:
            size = 64
        # Few samples of the input make many of the output, or the other way round.
        if job.b.n > job.b.m:
            size = larger(size * job.b.m // job.b.n, 1)
    job.column_blocks = (length + size - 1) // size
    job.column_block = (length + job.column_blocks - 1) // job.column_blocks
    if job.has_b and job.b.period > 1 and job.b.period < job.column_block:
        # Blocks of whole periods.
        job.column_block = (job.column_block + job.b.period - 1) // job.b.period * job.b.period
    job.column_blocks = (length + job.column_block - 1) // job.column_block

    # Rows: enough units for all threads, and not so few rows that the ring is refilled often.
    units = job.batches * job.column_blocks
    size = larger(larger(2 * width, 2 * job.group), 8)
    job.row_blocks = 1
    if units < 4 * threads:
        job.row_blocks = smaller((4 * threads + units - 1) // units, larger(job.rows.m // size, 1))
    job.row_block = (job.rows.m + job.row_blocks - 1) // job.row_blocks
    if job.row_block > job.group:
        job.row_block = (job.row_block + job.group - 1) // job.group * job.group
    job.row_blocks = (job.rows.m + job.row_block - 1) // job.row_block

    # Scratch of a thread.
    job.streams = is_streamed(job)
    piece_y = (job.column_block if job.has_b else 1) * inner
    piece_x = longest_piece(job) * inner
    if not job.has_b:
        piece_x = piece_y = job.column_block
    job.at_tags = 0
    job.at_pointers = aligned((job.slots + 1) * sizeof(Py_ssize_t))
    job.at_weights = job.at_pointers + aligned(width * sizeof(void*))
    job.at_ring = job.at_weights + aligned(width * job.weight_item)
    job.at_middle = job.at_ring + aligned(
        job.slots * (piece_y if job.along_first else piece_x) * job.item
    )
    job.at_out = job.at_middle + aligned(job.group * piece_x * job.item)
    job.at_along = job.at_out + aligned(
        0 if job.direct_y and not job.streams else job.group * piece_y * job.item
    )
    size = 0
    if job.has_b:
        size = job.b.width * (sizeof(void*) + sizeof(double))
        if job.way == LANES_OF_ROWS:
            job.b.tile, job.b.reach = 8, b.reaches[0]
            for k in range(REACHES):
                length = (8 << k) + b.reaches[k]
                if length * inner * LANES * job.item > BATCH_BYTES:
                    break
                job.b.tile, job.b.reach = 8 << k, b.reaches[k]
            size += (job.b.tile + job.b.reach) * inner * LANES * job.item
        elif job.way == PHASES:
            size += along_scratch(&job.b, inner) * job.item
    job.scratch = aligned(job.at_along + size + ALIGN)


cdef Py_ssize_t along_scratch(const TapsView* t, Py_ssize_t inner) noexcept nogil:
    """Elements that `along_phases` uses beside the streams themselves."""
    cdef Py_ssize_t block
    if t.hi <= t.lo or t.step == 0:
        return 0
    block = larger(STREAM // ((t.period + t.step) * inner), 16)
    return (t.step * (block + t.span // t.step + 4) + t.period * block) * inner


cdef Py_ssize_t longest_piece(const Job* job) noexcept nogil:
    """Most input samples that a block of columns reads."""
    cdef Py_ssize_t column, j0 = 0, j1 = 0, longest = 1
    if not job.has_b or job.column_blocks == 1:
        return job.columns.n
    for column in range(job.column_blocks):
        find_columns(
            &job.b, column * job.column_block,
            smaller((column + 1) * job.column_block, job.columns.m), &j0, &j1,
        )
        longest = larger(longest, j1 - j0)
    return longest


cdef enum:
    SINGLE, WIDE_ROWS, NARROW, PHASES, LANES_OF_ROWS, WINDOWS


cdef inline Py_ssize_t rows_of_group(const Job* job) noexcept nogil:
    """Short rows that are done as one."""
    cdef Py_ssize_t length = larger(job.columns.n, job.columns.m) * job.inner.n
    return smaller(larger(2048 // length, 1), smaller(LANES, job.rows.m))


cdef int choose_along(const Job* job) noexcept nogil:
    """The way of the along axis that costs least, in cycles for a row (rough, measured)."""
    cdef const TapsView* t = &job.b
    cdef double inner = job.inner.n
    cdef double read = smaller(t.n, t.m * t.width) * inner, made = t.m * inner
    cdef double taps = t.width
    cdef double single = made * (3 + 1.2 * taps), lanes, phases, move, windows
    if job.inner.n >= WIDE:
        return WIDE_ROWS
    if not t.holes and (2 <= job.inner.n <= 4 or job.inner.n == 8 or job.inner.n == 16):
        if inner <= 4 and t.period == 1 and t.step == 2 and t.width == 2 and t.hi - t.lo == t.m:
            return PHASES
        return NARROW
    lanes = read * 0.9 + made * (1.5 + 0.3 * taps)
    if job.rows.m < LANES:
        lanes *= <double> LANES / job.rows.m
    phases = 1e300
    if t.hi > t.lo and 0 < t.step and t.period + t.step <= 64:
        # Moving is cheap where it is a shuffle of vectors.
        phases = (100 + 40.0 * t.period) / rows_of_group(job) + made * (0.2 + 0.25 * taps)
        if t.step > 1:
            move = 0.4 if t.step <= 4 and inner == 1 else 1.2
            phases += move * smaller(t.n, t.m * t.width) * inner
        if t.period > 1:
            phases += (0.4 if t.period <= 4 and inner == 1 else 1.2) * made
        # What does not repeat is done one by one.
        phases += single * (t.m - (t.hi - t.lo)) / t.m
    if job.item == 8:
        # Half as many to a vector.
        lanes *= 1.6
        phases *= 1.9
    windows = 1e300
    if inner == 1 and t.windows[job.item == 8].size and t.width <= 32:
        windows = made * (0.65 + 0.4 * taps) * 8 / t.windows[job.item == 8].size
    if windows <= single and windows <= lanes and windows <= phases:
        return WINDOWS
    if phases <= single and phases <= lanes:
        return PHASES
    return LANES_OF_ROWS if lanes < single else SINGLE


cdef void use_words(Job* job, const word* kind) noexcept nogil:
    job.stored_x.item = job.stored_y.item = sizeof(word)
    job.stored_x.plain = job.stored_y.plain = True
    job.stored_x.swapped = job.stored_y.swapped = False
    job.stored_x.move = job.stored_y.move = <move_t> move[word]
    job.combine = <combine_t> pick_rows[word]
    job.along = <along_t> pick_along[word]


cdef void use_reals(Job* job, const real* kind) noexcept nogil:
    job.combine = <combine_t> combine[real]
    if job.way == WIDE_ROWS:
        job.along = <along_t> along_wide[real]
    elif job.way == NARROW:
        job.along = <along_t> along_narrow[real]
    elif job.way == PHASES:
        job.along = <along_t> along_phases[real]
    elif job.way == LANES_OF_ROWS:
        job.along = <along_t> along_lanes[real]
    elif job.way == WINDOWS:
        job.along = <along_t> along_windows[real]
    else:
        job.along = <along_t> along_rows[real]


cdef void choose_kernels(Job* job) noexcept nogil:
    """Function pointers by element size, kind of table and way of the along axis."""
    if job.selects:
        if job.item == 1:
            use_words(job, <const uint8_t*> NULL)
        elif job.item == 2:
            use_words(job, <const uint16_t*> NULL)
        elif job.item == 4:
            use_words(job, <const uint32_t*> NULL)
        else:
            use_words(job, <const uint64_t*> NULL)
        return
    if job.has_b:
        job.way = choose_along(job)
    if job.item == 4:
        use_reals(job, <const float*> NULL)
    else:
        use_reals(job, <const double*> NULL)


cdef int fill_dims(
    Job* job, Dim* dims, cnp.ndarray x, cnp.ndarray y, Table first, int first_axis,
    Table second, int second_axis,
) except -1:
    """Lengths and strides of all axes, and what an element is."""
    cdef int d, ndim = x.ndim
    cdef Py_ssize_t itemsize = cnp.PyArray_ITEMSIZE(x), parts
    if y.ndim != ndim:
        raise ValueError("input and output differ in number of axes")
    for d in range(ndim):
        dims[d].n, dims[d].m = x.shape[d], y.shape[d]
        dims[d].x, dims[d].y = x.strides[d], y.strides[d]
        dims[d].role = 0
        if d == first_axis:
            dims[d].role = 1
            if x.shape[d] != first.view.n or y.shape[d] != first.view.m:
                raise ValueError("the first table does not fit the arrays")
        elif second is not None and d == second_axis:
            dims[d].role = 2
            if x.shape[d] != second.view.n or y.shape[d] != second.view.m:
                raise ValueError("the second table does not fit the arrays")
        elif x.shape[d] != y.shape[d]:
            raise ValueError("input and output differ along an axis that is not resampled")
    job.selects = (
        first.selection and (second is None or second.selection) and x.dtype == y.dtype
    )
    job.weight_item = 4 if first.dtype == np.float32 else 8
    if second is not None and second.dtype != first.dtype:
        raise TypeError("the tables differ in dtype")
    if job.selects:
        job.item = 8
        while itemsize % job.item:
            job.item //= 2
        parts = itemsize // job.item
    else:
        job.item = job.weight_item
        describe(&job.stored_x, x.dtype, job.item)
        describe(&job.stored_y, y.dtype, job.item)
        parts = itemsize // job.stored_x.item
        if cnp.PyArray_ITEMSIZE(y) // job.stored_y.item != parts:
            raise TypeError(f"no kernel makes {y.dtype} of {x.dtype}")
    if parts > 1:
        # Parts of an element are one more axis.
        dims[ndim].n = dims[ndim].m = parts
        dims[ndim].x = itemsize // parts
        dims[ndim].y = cnp.PyArray_ITEMSIZE(y) // parts
        dims[ndim].role = 0
        ndim += 1
    return ndim


cdef int execute(Job* job, int threads) except -1:
    """Do all units of a job; the job's addresses are set."""
    cdef char small[SMALL_SCRATCH]
    cdef Py_ssize_t units = job.batches * job.row_blocks * job.column_blocks
    cdef Py_ssize_t size = job.scratch, chunks, chunk
    cdef char* scratch = small
    cdef char* base
    threads = <int> smaller(threads, units)
    if size * threads + ALIGN > SMALL_SCRATCH:
        scratch = <char*> malloc(size * threads + ALIGN)
        if scratch == NULL:
            raise MemoryError(f"no memory for {size * threads} bytes of scratch")
    base = <char*> ((<size_t> scratch + ALIGN - 1) // ALIGN * ALIGN)
    if threads <= 1:
        with nogil:
            work(job, 0, units, base)
    else:
        chunks = smaller(units, 8 * threads)
        for chunk in prange(
            chunks, num_threads=threads, schedule="dynamic", chunksize=1, nogil=True
        ):
            work(
                job, chunk * units // chunks, (chunk + 1) * units // chunks,
                base + threadid() * size,
            )
    if scratch != small:
        free(scratch)
    return 0


cdef inline Py_ssize_t useful_threads(cnp.ndarray y, Table first, Py_ssize_t grain):
    """Threads that an amount of work pays for."""
    return 1 + cnp.PyArray_SIZE(y) * first.view.width // larger(grain, 1)


def resample(
    cnp.ndarray x, cnp.ndarray y, Table first not None, int first_axis,
    Table second=None, int second_axis=-1, int threads=1, Py_ssize_t grain=1, axes=None,
    default_threads=None, bint fresh=False,
):
    """Resample one or two axes of `x` into `y`.

    Parameters
    ----------
    x, y : ndarray
        Any strides, no overlap.  Of the dtype of the weights, or one that is computed with in it;
        of equal dtype, any, where both tables select.
    first, second : Table
        Tables of the axes `first_axis` < `second_axis`.
    threads : int
        Most threads to be used.
    grain : int
        Multiplications below which one more thread does not pay.
    axes : object, optional
        The caller's `axes`, to be remembered.
    default_threads : callable, optional
        Tells how many threads a later call may use, if the caller left that open.
    fresh : bool
        Whether `y` was made for this call.

    Returns
    -------
    Replay or None
        What repeats the call.
    """
    cdef Job job
    cdef Dim dims[MAXDIM]
    cdef int ndim
    cdef Py_ssize_t useful
    if second is not None and not 0 <= first_axis < second_axis:
        raise ValueError("first_axis must come before second_axis")
    ndim = fill_dims(&job, dims, x, y, first, first_axis, second, second_axis)
    job.x = <char*> cnp.PyArray_DATA(x)
    job.y = <char*> cnp.PyArray_DATA(y)
    if cnp.PyArray_SIZE(y) == 0:
        return None
    find_extent(x, &job.low_x, &job.high_x)
    find_extent(y, &job.low_y, &job.high_y)
    useful = useful_threads(y, first, grain)
    threads = <int> smaller(threads, useful)
    plan(&job, dims, ndim, first, second, threads)
    execute(&job, threads)
    if default_threads is None or x.dtype != y.dtype:
        return None
    return remember(&job, x, y, axes, (first, second), threads, useful, default_threads, fresh)


cdef void find_extent(cnp.ndarray x, Py_ssize_t* low, Py_ssize_t* high) noexcept:
    """First and last byte of an array, relative to its address."""
    cdef int d
    cdef Py_ssize_t reach
    low[0] = 0
    high[0] = cnp.PyArray_ITEMSIZE(x)
    for d in range(x.ndim):
        reach = (x.shape[d] - 1) * x.strides[d]
        if reach < 0:
            low[0] += reach
        else:
            high[0] += reach


@cython.final
cdef class Replay:
    """A call of a Resampler in one direction, to be repeated without planning; immutable.

    Small arrays are resampled in less time than it takes to look at all arguments.  A call on
    arrays of the same dtype, shapes and strides needs no more than new addresses.
    """

    cdef Job job
    cdef int ndim
    cdef Py_ssize_t shape_x[MAXDIM]
    cdef Py_ssize_t strides_x[MAXDIM]
    cdef Py_ssize_t shape_y[MAXDIM]
    cdef Py_ssize_t strides_y[MAXDIM]
    cdef Py_ssize_t size_y  # bytes of a new result
    cdef int threads
    cdef Py_ssize_t useful
    cdef bint fresh  # the result was a new array: its strides may be used again
    cdef object dtype, axes, tables, default_threads

    def __call__(self, x, axes, out, num_threads):
        """The result, or None if this is not the remembered call over again."""
        cdef cnp.ndarray source, target
        cdef Job job
        if (
            num_threads is not None
            or not cnp.PyArray_CheckExact(x)
            or not (axes is self.axes or same_axes(axes, self.axes))
        ):
            return None
        if self.useful > 1 and smaller(self.default_threads(), self.useful) != self.threads:
            return None
        source = x
        if not same_array(source, self.ndim, self.shape_x, self.strides_x, self.dtype):
            return None
        if out is None:
            if not self.fresh:
                # The strides are those of some `out` of the caller's: no guide for a new array.
                return None
            before = _memory.enter(self.size_y)
            try:
                target = new_array(self.dtype, self.ndim, self.shape_y, self.strides_y)
            finally:
                _memory.leave(before)
        elif not cnp.PyArray_CheckExact(out):
            return None
        else:
            target = out
            if not cnp.PyArray_ISWRITEABLE(target) or not same_array(
                target, self.ndim, self.shape_y, self.strides_y, self.dtype
            ):
                return None
        job = self.job
        job.x = <char*> cnp.PyArray_DATA(source)
        job.y = <char*> cnp.PyArray_DATA(target)
        if (
            <size_t> job.x % job.stored_x.item and job.direct_x
            or <size_t> job.y % job.stored_y.item and job.direct_y
        ):
            return None
        if (
            out is not None
            and job.x + job.low_x < job.y + job.high_y
            and job.y + job.low_y < job.x + job.high_x
        ):
            return None
        execute(&job, self.threads)
        return target


cdef bint same_axes(axes, remembered):
    """Equal, and of plain integers: True equals 1, but is no axis."""
    if type(axes) is not tuple:
        return type(axes) is int and type(remembered) is int and axes == remembered
    for axis in <tuple> axes:
        if type(axis) is not int:
            return False
    return type(remembered) is tuple and axes == remembered


cdef bint same_array(
    cnp.ndarray x, int ndim, const Py_ssize_t* shape, const Py_ssize_t* strides, dtype
):
    cdef int d
    if x.ndim != ndim or <object> cnp.PyArray_DESCR(x) is not dtype:
        return False
    for d in range(ndim):
        if x.shape[d] != shape[d] or x.strides[d] != strides[d]:
            return False
    return True


cdef Replay remember(
    const Job* job, cnp.ndarray x, cnp.ndarray y, axes, tables, int threads, Py_ssize_t useful,
    default_threads, bint fresh,
):
    cdef Replay call = Replay.__new__(Replay)
    cdef int d
    call.job = job[0]
    call.ndim = x.ndim
    for d in range(x.ndim):
        call.shape_x[d], call.strides_x[d] = x.shape[d], x.strides[d]
        call.shape_y[d], call.strides_y[d] = y.shape[d], y.strides[d]
    call.size_y = cnp.PyArray_NBYTES(y)
    call.fresh = fresh
    call.dtype, call.axes, call.tables = x.dtype, axes, tables
    call.threads, call.useful, call.default_threads = threads, useful, default_threads
    return call
