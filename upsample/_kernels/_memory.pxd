cdef object enter(Py_ssize_t nbytes)
cdef int leave(object before) except -1
