/* functions: division and elementary functions, careful and fast. */
#define ONE(name, value)                                        \
    extern "C" __global__ void name(const float *a, float *y, int n) \
    {                                                           \
        int i = blockIdx.x * blockDim.x + threadIdx.x;          \
        if (i < n) {                                            \
            float x = a[i];                                     \
            y[i] = value;                                       \
        }                                                       \
    }
#define TWO(name, value)                                        \
    extern "C" __global__ void name(const float *a, const float *b, float *y, int n) \
    {                                                           \
        int i = blockIdx.x * blockDim.x + threadIdx.x;          \
        if (i < n) {                                            \
            float x = a[i], z = b[i];                           \
            y[i] = value;                                       \
        }                                                       \
    }

/* what the cards of 2008 did for x / z: within 2 units of the last place */
static __device__ float
divide_full(float x, float z)
{
    float q;
    asm("div.full.f32 %0, %1, %2;" : "=f"(q) : "f"(x), "f"(z));
    return q;
}

TWO(divide_exact, x / z)
TWO(divide_2ulp, divide_full(x, z))
TWO(divide_fast, __fdividef(x, z))
TWO(power_full, powf(x, z))
TWO(power_fast, __powf(x, z))
ONE(exp_full, expf(x))
ONE(exp_fast, __expf(x))
ONE(log_full, logf(x))
ONE(log_fast, __logf(x))
ONE(sin_full, sinf(x))
ONE(sin_fast, __sinf(x))
ONE(cos_full, cosf(x))
ONE(cos_fast, __cosf(x))
