/* vector: a std::vector whose elements lie in managed memory, so that a kernel can use them.
 *
 * host: C++. The standard containers take their memory from an allocator; this one asks CUDA.
 */
#include <stdio.h>
#include <stdlib.h>
#include <new>
#include <vector>

#define CHECK(call)                                                      \
    do {                                                                 \
        cudaError_t code = (call);                                       \
        if (code != cudaSuccess) {                                       \
            printf("line %d: %s\n", __LINE__, cudaGetErrorString(code)); \
            return 1;                                                    \
        }                                                                \
    } while (0)

template <class T> struct managed {
    typedef T value_type;
    managed() {}
    template <class U> managed(const managed<U> &) {}
    T *allocate(size_t n)
    {
        void *p;
        if (cudaMallocManaged(&p, n * sizeof(T), cudaMemAttachGlobal) != cudaSuccess)
            throw std::bad_alloc();
        return (T *)p;
    }
    void deallocate(T *p, size_t) { cudaFree(p); }
};
template <class T, class U> bool operator==(const managed<T> &, const managed<U> &) { return true; }
template <class T, class U> bool operator!=(const managed<T> &, const managed<U> &) { return false; }

__global__ void saxpy(float a, const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1 << 20, wrong = 0;
    std::vector<float, managed<float> > x, y(n, 1.0f);
    for (int i = 0; i < n; i++)
        x.push_back(i % 1000);
    saxpy<<<(n + 255) / 256, 256>>>(2, x.data(), y.data(), n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        wrong += y[i] != 2 * x[i] + 1;
    printf("%d of %d wrong, in two std::vectors\n", wrong, n);
    return wrong != 0;
}
