# Elements as they are stored, and as they are computed with.
#
# Rows are float or double inside the kernels.  Arrays of other types, and of the other byte
# order, are converted row by row on their way in and out, so that no converted copy of an array
# exists, and a result is rounded once:
#
#     array ─ gather ─ swap bytes ─ convert ─> row of reals ─ … ─> row ─ convert ─ swap ─ scatter
#
# Steps that have nothing to do are left out; what is left works on pieces in the first cache.

cdef enum:
    RAW_WORDS = 256  # of eight bytes: a piece that is not converted where it lies
    RAW_BYTES = 2048

ctypedef fused integer:
    int8_t
    uint8_t
    int16_t
    uint16_t
    int32_t
    uint32_t

ctypedef void (*combine_t)(char*, char**, const char*, int, Py_ssize_t) noexcept nogil
# From `n` elements side by side to as many others.
ctypedef void (*convert_t)(char* d, const char* s, Py_ssize_t n) noexcept nogil


cdef inline void reals_of(real* d, const integer* s, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        d[i] = s[i]


cdef inline void integers_of(integer* d, const real* s, Py_ssize_t n) noexcept nogil:
    """Rounded half to even and saturated.

    Adding 1.5 · 2^(bits of the mantissa) leaves no bit for a fraction, and the addition rounds.
    """
    cdef real magic, low, high, v
    cdef Py_ssize_t i
    if real is float:
        magic = 12582912.0
    else:
        magic = 6755399441055744.0
    if integer is int8_t:
        low, high = -128, 127
    elif integer is uint8_t:
        low, high = 0, 255
    elif integer is int16_t:
        low, high = -32768, 32767
    elif integer is uint16_t:
        low, high = 0, 65535
    elif integer is int32_t:
        low, high = -2147483648.0, 2147483647.0
    else:
        low, high = 0, 4294967295.0
    for i in range(n):
        v = s[i]
        v = low if v < low else v
        v = high if v > high else v
        v = (v + magic) - magic
        if integer is uint32_t:
            d[i] = <uint32_t> <int64_t> v
        else:
            d[i] = <integer> <int32_t> v


cdef inline void combine_some_integers(
    real* d, integer** r, const real* w, int count, Py_ssize_t n, const bint first
) noexcept nogil:
    """d = one group of 1 to 4 weighted rows; or d += one, after the first."""
    cdef Py_ssize_t i
    cdef integer* a = r[0]
    cdef integer* b = r[count > 1]
    cdef integer* c = r[2 if count > 2 else 0]
    cdef integer* e = r[3 if count > 3 else 0]
    cdef real wa = w[0], wb = w[count > 1], wc = w[2 if count > 2 else 0]
    cdef real we = w[3 if count > 3 else 0], sum
    if count == 1:
        for i in range(n):
            sum = wa * <real> a[i]
            d[i] = sum if first else d[i] + sum
    elif count == 2:
        for i in range(n):
            sum = wa * <real> a[i] + wb * <real> b[i]
            d[i] = sum if first else d[i] + sum
    elif count == 3:
        for i in range(n):
            sum = (wa * <real> a[i] + wb * <real> b[i]) + wc * <real> c[i]
            d[i] = sum if first else d[i] + sum
    else:
        for i in range(n):
            sum = ((wa * <real> a[i] + wb * <real> b[i]) + wc * <real> c[i]) + we * <real> e[i]
            d[i] = sum if first else d[i] + sum


cdef inline void combine_integers(
    real* d, integer** r, const real* w, int count, Py_ssize_t n
) noexcept nogil:
    """`combine` of rows that are converted as they are read, in its order of summation."""
    cdef int k = 4
    if count == 0:
        memset(d, 0, n * sizeof(real))
        return
    combine_some_integers(d, r, w, <int> smaller(count, 4), n, True)
    while k < count:
        combine_some_integers(d, r + k, w + k, <int> smaller(count - k, 4), n, False)
        k += 4


cdef void swap_bytes(char* p, Py_ssize_t n, Py_ssize_t item) noexcept nogil:
    cdef Py_ssize_t i
    cdef uint16_t* a = <uint16_t*> p
    cdef uint32_t* b = <uint32_t*> p
    cdef uint64_t* c = <uint64_t*> p
    cdef uint32_t w
    cdef uint64_t v
    if item == 2:
        for i in range(n):
            a[i] = <uint16_t> (a[i] << 8 | a[i] >> 8)
    elif item == 4:
        for i in range(n):
            w = b[i]
            b[i] = w << 24 | (w & 0xff00) << 8 | (w >> 8 & 0xff00) | w >> 24
    elif item == 8:
        for i in range(n):
            v = c[i]
            v = (v & 0x00ff00ff00ff00ffULL) << 8 | (v >> 8 & 0x00ff00ff00ff00ffULL)
            v = (v & 0x0000ffff0000ffffULL) << 16 | (v >> 16 & 0x0000ffff0000ffffULL)
            c[i] = v << 32 | v >> 32


cdef struct Stored:
    Py_ssize_t item  # bytes of an element
    bint swapped  # of the other byte order
    bint plain  # as it is computed with
    move_t move
    convert_t load, store
    combine_t combine  # of rows as they are stored, or NULL


cdef inline void use_integer(
    Stored* k, const integer* kind, const real* computed
) noexcept nogil:
    k.load = <convert_t> reals_of[real, integer]
    k.store = <convert_t> integers_of[integer, real]
    k.combine = <combine_t> combine_integers[real, integer]


cdef int describe(Stored* k, dtype, Py_ssize_t item) except -1:
    """How elements of a dtype are stored, if they are computed with in `item` bytes."""
    cdef Py_ssize_t size = dtype.itemsize
    kind = "b" if dtype.name == "bfloat16" else dtype.kind
    if kind == "c":
        size //= 2  # its parts are two elements
    k.item = size
    k.swapped = size > 1 and not dtype.isnative
    k.plain = kind in "fc" and size == item
    k.load = k.store = NULL
    k.combine = NULL
    if size == 1:
        k.move = <move_t> move[uint8_t]
    elif size == 2:
        k.move = <move_t> move[uint16_t]
    elif size == 4:
        k.move = <move_t> move[uint32_t]
    else:
        k.move = <move_t> move[uint64_t]
    if k.plain:
        return 0
    if item == 4 and kind == "f" and size == 2:
        k.load, k.store = <convert_t> floats_of_halves, <convert_t> halves_of_floats
    elif item == 4 and kind == "b":
        k.load, k.store = <convert_t> floats_of_bfloats, <convert_t> bfloats_of_floats
    elif item == 4 and kind == "i" and size == 1:
        use_integer(k, <const int8_t*> NULL, <const float*> NULL)
    elif item == 4 and kind == "u" and size == 1:
        use_integer(k, <const uint8_t*> NULL, <const float*> NULL)
        k.store = <convert_t> bytes_of_floats
    elif item == 4 and kind == "i" and size == 2:
        use_integer(k, <const int16_t*> NULL, <const float*> NULL)
    elif item == 4 and kind == "u" and size == 2:
        use_integer(k, <const uint16_t*> NULL, <const float*> NULL)
    elif item == 8 and kind == "i" and size == 4:
        use_integer(k, <const int32_t*> NULL, <const double*> NULL)
    elif item == 8 and kind == "u" and size == 4:
        use_integer(k, <const uint32_t*> NULL, <const double*> NULL)
    else:
        raise TypeError(f"no kernel computes with {dtype} in {8 * item} bits")
    return 0


cdef void load_row(
    const Stored* k, char* d, Py_ssize_t item, const char* s, Py_ssize_t sample_step,
    Py_ssize_t inner_step, Py_ssize_t samples, Py_ssize_t inner,
) noexcept nogil:
    """Elements of an array as a row of reals of `item` bytes."""
    cdef uint64_t raw[RAW_WORDS]
    cdef Py_ssize_t some = larger(RAW_BYTES // (k.item * inner), 1), part = RAW_BYTES // k.item
    cdef Py_ssize_t j = 0, c, n, size
    if k.plain and not k.swapped:
        k.move(d, inner * item, item, s, sample_step, inner_step, samples, inner)
        return
    if (
        not k.swapped
        and (inner == 1 or inner_step == k.item)
        and (samples == 1 or sample_step == k.item * inner)
        and <size_t> s % k.item == 0
    ):
        k.load(d, s, samples * inner)
        return
    while j < samples:
        n = smaller(some, samples - j)
        c = 0
        while c < inner:
            # Some whole samples, or a part of one.
            size = smaller(part, inner - c)
            k.move(
                <char*> raw, size * k.item, k.item, s + j * sample_step + c * inner_step,
                sample_step, inner_step, n, size,
            )
            if k.swapped:
                swap_bytes(<char*> raw, n * size, k.item)
            if k.plain:
                memcpy(d + (j * inner + c) * item, raw, n * size * item)
            else:
                k.load(d + (j * inner + c) * item, <const char*> raw, n * size)
            c += size
        j += n


cdef void store_row(
    const Stored* k, char* d, Py_ssize_t sample_step, Py_ssize_t inner_step, const char* s,
    Py_ssize_t item, Py_ssize_t samples, Py_ssize_t inner,
) noexcept nogil:
    """The reverse of `load_row`."""
    cdef uint64_t raw[RAW_WORDS]
    cdef Py_ssize_t some = larger(RAW_BYTES // (k.item * inner), 1), part = RAW_BYTES // k.item
    cdef Py_ssize_t j = 0, c, n, size
    if k.plain and not k.swapped:
        k.move(d, sample_step, inner_step, s, inner * item, item, samples, inner)
        return
    if (
        not k.swapped
        and (inner == 1 or inner_step == k.item)
        and (samples == 1 or sample_step == k.item * inner)
        and <size_t> d % k.item == 0
    ):
        k.store(d, s, samples * inner)
        return
    while j < samples:
        n = smaller(some, samples - j)
        c = 0
        while c < inner:
            size = smaller(part, inner - c)
            if k.plain:
                memcpy(raw, s + (j * inner + c) * item, n * size * item)
            else:
                k.store(<char*> raw, s + (j * inner + c) * item, n * size)
            if k.swapped:
                swap_bytes(<char*> raw, n * size, k.item)
            k.move(
                d + j * sample_step + c * inner_step, sample_step, inner_step,
                <const char*> raw, size * k.item, k.item, n, size,
            )
            c += size
        j += n
