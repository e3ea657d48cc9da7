/* cuda_pipeline.h: asynchronous copies from global to shared memory, for clang, and for NVRTC
 * without a toolkit. Compute below 8.0 has none: there they are made at once. */
#ifndef WARPSTEP_CUDA_PIPELINE_H
#define WARPSTEP_CUDA_PIPELINE_H

#ifndef __WS_FN
#define __WS_FN static __inline__ __attribute__((always_inline)) __device__
#endif

/* `size` is 4, 8 or 16; the last `zeros` of these bytes become zero and are not copied. */
__WS_FN void __pipeline_memcpy_async(void *to, const void *from, size_t size, size_t zeros = 0)
{
#if __CUDA_ARCH__ >= 800
    unsigned int at = (unsigned int)__cvta_generic_to_shared(to), taken = (unsigned int)(size - zeros);
    size_t source = __cvta_generic_to_global(from);
    if (size == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(source), "r"(taken) : "memory");
    else if (size == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(at), "l"(source), "r"(taken) : "memory");
    else asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(at), "l"(source), "r"(taken) : "memory");
#else
    for (size_t i = 0; i < size; i += 4)
        ((unsigned int *)to)[i / 4] = i < size - zeros ? ((const unsigned int *)from)[i / 4] : 0;
#endif
}
__WS_FN void __pipeline_commit()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
/* Waits until at most the `n` groups committed last are pending. */
__WS_FN void __pipeline_wait_prior(size_t n)
{
#if __CUDA_ARCH__ >= 800
    if (n == 0) asm volatile("cp.async.wait_group 0;" ::: "memory");
    else if (n == 1) asm volatile("cp.async.wait_group 1;" ::: "memory");
    else if (n == 2) asm volatile("cp.async.wait_group 2;" ::: "memory");
    else if (n == 3) asm volatile("cp.async.wait_group 3;" ::: "memory");
    else if (n == 4) asm volatile("cp.async.wait_group 4;" ::: "memory");
    else if (n == 5) asm volatile("cp.async.wait_group 5;" ::: "memory");
    else if (n == 6) asm volatile("cp.async.wait_group 6;" ::: "memory");
    else asm volatile("cp.async.wait_group 7;" ::: "memory");
#else
    (void)n;
#endif
}

#endif
