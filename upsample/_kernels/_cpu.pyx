"""What the processor can do, asked before a module that needs it is imported."""

cdef extern from *:
    """
    #if (defined(__x86_64__) || defined(__i386__)) && (defined(__GNUC__) || defined(__clang__))
    /* The features of the psABI level x86-64-v3 that compilers use; the builtin also asks
       whether the operating system saves the wide registers. */
    static int has_x86_v3(void) {
        __builtin_cpu_init();
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
            && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    }
    #else
    static int has_x86_v3(void) { return 0; }
    #endif
    """
    int has_x86_v3()


def levels():
    """Instruction-set levels that this processor runs, the best one last."""
    return ("baseline", "x86_v3") if has_x86_v3() else ("baseline",)
