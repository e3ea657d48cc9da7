/* Exercise 6.1: a polynomial of degree six without a constant. */
extern "C" __global__ void polynomial(const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = x[i], p = 0.5f;
    p = fmaf(p, v, 1.5f);
    p = fmaf(p, v, 2.5f);
    p = fmaf(p, v, 3.5f);
    p = fmaf(p, v, 4.5f);
    p = fmaf(p, v, 5.5f);
    y[i] = fmaf(p, v, 0.0f);
}
