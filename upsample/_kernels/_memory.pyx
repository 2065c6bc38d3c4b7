"""Memory of large results: laid out for huge pages, and used again.

The system clears every page that it gives to a process, which takes longer than to fill a large
result.  So the memory of a result that is no longer used is kept for the next one, marked with
MADV_FREE: as soon as the system needs it, it takes the pages, without asking or writing them to
disk, and clears them when they are next used.  At most KEPT_BYTES are kept in this way, and at
most 1/32 of the machine's memory, for results from LEAST_BYTES on; what is smaller is left to
malloc, which does much the same.

    | header | samples ....................................... |
    ^ a multiple of 2 MiB, and so long: nothing but huge pages

Arrays own such memory through NumPy's interface for allocators, so they can be resized and
outlive this module's caller like any other array.
"""

import os

from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_New
from libc.stdint cimport uintptr_t
from libc.string cimport memcpy

cimport numpy as cnp

cnp.import_array()

cdef extern from *:
    """
    #if defined(__linux__) && (defined(__GNUC__) || defined(__clang__))
    #include <sys/mman.h>
    #endif
    #if defined(MADV_FREE) && defined(MADV_HUGEPAGE)
    #define UPSAMPLE_KEEPS 1
    static void *map_pages(size_t size) {
        void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        return p == MAP_FAILED ? NULL : p;
    }
    static void unmap_pages(void *p, size_t size) { if (size) munmap(p, size); }
    static void want_huge_pages(void *p, size_t size) { madvise(p, size, MADV_HUGEPAGE); }
    static void offer_pages(void *p, size_t size) { madvise(p, size, MADV_FREE); }
    static void *exchange(void **slot, void *value) {
        return __atomic_exchange_n(slot, value, __ATOMIC_ACQ_REL);
    }
    static Py_ssize_t add_and_get(Py_ssize_t *number, Py_ssize_t value) {
        return __atomic_add_fetch(number, value, __ATOMIC_ACQ_REL);
    }
    #else
    #define UPSAMPLE_KEEPS 0
    static void *map_pages(size_t size) { return NULL; }
    static void unmap_pages(void *p, size_t size) {}
    static void want_huge_pages(void *p, size_t size) {}
    static void offer_pages(void *p, size_t size) {}
    static void *exchange(void **slot, void *value) { return NULL; }
    static Py_ssize_t add_and_get(Py_ssize_t *number, Py_ssize_t value) { return 0; }
    #endif
    """
    int UPSAMPLE_KEEPS
    void* map_pages(size_t size) noexcept nogil
    void unmap_pages(void* p, size_t size) noexcept nogil
    void want_huge_pages(void* p, size_t size) noexcept nogil
    void offer_pages(void* p, size_t size) noexcept nogil
    void* exchange(void** slot, void* value) noexcept nogil
    Py_ssize_t add_and_get(Py_ssize_t* number, Py_ssize_t value) noexcept nogil

cdef extern from "numpy/arrayobject.h":
    PyObject* PyDataMem_DefaultHandler

cdef enum:
    HUGE_PAGE = 2097152
    SLOTS = 8
    HEADER = 64

cdef Py_ssize_t LEAST_BYTES = 4194304
cdef Py_ssize_t KEPT_BYTES = 402653184

cdef struct Block:
    size_t size  # of the whole block, a multiple of HUGE_PAGE


cdef void* slots[SLOTS]  # blocks that wait to be used again
cdef Py_ssize_t waiting = 0  # their bytes
cdef Py_ssize_t most = KEPT_BYTES


cdef inline void forget(void* block) noexcept nogil:
    unmap_pages(block, (<Block*> block).size)


cdef void* take(size_t size) noexcept nogil:
    """A waiting block of just this size, or NULL.  Each exchange owns what it takes out."""
    cdef int k
    cdef void* block
    for k in range(SLOTS):
        block = exchange(&slots[k], NULL)
        if block == NULL:
            continue
        if (<Block*> block).size == size:
            add_and_get(&waiting, -<Py_ssize_t> size)
            return block
        # Back to its place; another thread may have filled it meanwhile.
        block = exchange(&slots[k], block)
        if block != NULL:
            add_and_get(&waiting, -<Py_ssize_t> (<Block*> block).size)
            forget(block)
    return NULL


cdef void keep(void* block) noexcept nogil:
    """Let a block wait; blocks that have waited make room."""
    cdef size_t size = (<Block*> block).size
    cdef int k
    cdef void* old
    if <Py_ssize_t> size > most:
        forget(block)
        return
    for k in range(SLOTS):
        if add_and_get(&waiting, 0) + <Py_ssize_t> size <= most:
            break
        old = exchange(&slots[k], NULL)
        if old != NULL:
            add_and_get(&waiting, -<Py_ssize_t> (<Block*> old).size)
            forget(old)
    # All but the page with the header, which must not be lost.
    offer_pages(<char*> block + HUGE_PAGE, size - HUGE_PAGE)
    add_and_get(&waiting, <Py_ssize_t> size)
    for k in range(SLOTS):
        block = exchange(&slots[k], block)
        if block == NULL:
            return
    add_and_get(&waiting, -<Py_ssize_t> (<Block*> block).size)
    forget(block)


cdef void* new_block(size_t size) noexcept nogil:
    """Pages of the system, from a multiple of HUGE_PAGE on."""
    cdef char* p = <char*> map_pages(size + HUGE_PAGE)
    cdef size_t before
    if p == NULL:
        return NULL
    before = (HUGE_PAGE - <uintptr_t> p % HUGE_PAGE) % HUGE_PAGE
    unmap_pages(p, before)
    unmap_pages(p + before + size, HUGE_PAGE - before)
    want_huge_pages(p + before, size)
    (<Block*> (p + before)).size = size
    return p + before


cdef void* allocate(void* ctx, size_t size) noexcept nogil:
    cdef void* block
    if size > <size_t> -1 - HEADER - 2 * HUGE_PAGE:
        return NULL
    size = (size + HEADER + HUGE_PAGE - 1) // HUGE_PAGE * HUGE_PAGE
    block = take(size)
    if block == NULL:
        block = new_block(size)
    if block == NULL:
        return NULL
    return <char*> block + HEADER


cdef void* allocate_zeros(void* ctx, size_t count, size_t size) noexcept nogil:
    cdef void* block
    if size and count > (<size_t> -1 - HEADER - 2 * HUGE_PAGE) // size:
        return NULL
    block = new_block((count * size + HEADER + HUGE_PAGE - 1) // HUGE_PAGE * HUGE_PAGE)
    return NULL if block == NULL else <char*> block + HEADER


cdef void release(void* ctx, void* p, size_t size) noexcept nogil:
    if p != NULL:
        keep(<char*> p - HEADER)


cdef void* reallocate(void* ctx, void* p, size_t size) noexcept nogil:
    cdef size_t old
    cdef void* new
    if p == NULL:
        return allocate(ctx, size)
    old = (<Block*> (<char*> p - HEADER)).size - HEADER
    new = allocate(ctx, size)
    if new != NULL:
        memcpy(new, p, old if old < size else size)
        release(ctx, p, old)
    return new


cdef cnp.PyDataMem_Handler handler
memcpy(<char*> handler.name, b"upsample", 9)
handler.version = 1
handler.allocator.ctx = NULL
handler.allocator.malloc = allocate
handler.allocator.calloc = allocate_zeros
handler.allocator.realloc = reallocate
handler.allocator.free = release


def kept_bytes():
    """How much may be kept, as UPSAMPLE_KEEP_MIB says."""
    text = os.environ.get("UPSAMPLE_KEEP_MIB", "").strip()
    if not text:
        return min(KEPT_BYTES, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 32)
    if not text.isdecimal() or len(text) > 6:
        raise ValueError(f"UPSAMPLE_KEEP_MIB must be a number from 0 to 999999, got {text!r}")
    return int(text) << 20


most = kept_bytes() if UPSAMPLE_KEEPS else 0
LIMIT = most


def waiting_bytes():
    """How much is kept now."""
    return add_and_get(&waiting, 0)


HANDLER = PyCapsule_New(&handler, "mem_handler", NULL)


cdef object enter(Py_ssize_t nbytes):
    """Use this memory for arrays made from now on in this thread; returns what `leave` needs.

    Only for large arrays, and only if nobody has chosen another allocator.
    """
    if nbytes < LEAST_BYTES or most == 0:
        return None
    current = cnp.PyDataMem_GetHandler()
    if <PyObject*> current != PyDataMem_DefaultHandler:
        return None
    return cnp.PyDataMem_SetHandler(HANDLER)


cdef int leave(object before) except -1:
    if before is not None:
        cnp.PyDataMem_SetHandler(before)
    return 0
