/* curand.c: a program on cuRAND's calls of the host, for exec.sh, and (LIBRARY) what stands there for NVIDIA's
 * library: its generator for the host counts up in eighths, and it has none for a card. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef LIBRARY
int curandCreateGenerator(void **out, int type) { return (void)out, (void)type, 203; }
int curandCreateGeneratorHost(void **out, int type)
{
    int *next = calloc(1, sizeof *next);
    *next = type;
    return *out = next, 0;
}
int curandDestroyGenerator(void *g) { return free(g), 0; }
int curandSetStream(void *g, void *stream) { return (void)g, (void)stream, 0; }
int curandGenerateUniform(void *g, float *to, size_t n)
{
    for (size_t i = 0; i < n; i++) to[i] = (float)(*(int *)g)++ / 8;
    return 0;
}
int curandGenerateNormal(void *g, float *to, size_t n, float mean, float deviation)
{
    for (size_t i = 0; i < n; i++) to[i] = mean + (float)(*(int *)g)++ * deviation;
    return 0;
}
#else
int cudaMalloc(void **, size_t), cudaMemcpy(void *, const void *, size_t, int), cudaStreamCreate(void **);
int curandCreateGenerator(void **, int), curandCreateGeneratorHost(void **, int), curandDestroyGenerator(void *),
    curandSetStream(void *, void *);
int curandGenerateUniform(void *, float *, size_t), curandGenerateNormal(void *, float *, size_t, float, float);

int main(void)
{
    float h[4] = {0}, *p;
    void *g, *host, *stream;
    cudaMalloc((void **)&p, sizeof h), cudaStreamCreate(&stream);
    printf("%d", curandCreateGenerator(&g, 100));
    printf(" %d", curandSetStream(g, stream));
    printf(" %d", curandGenerateUniform(g, p, 4));
    cudaMemcpy(h, p, sizeof h, 2);
    printf(": %g %g %g %g\n", h[0], h[1], h[2], h[3]); /* from 100 on */
    printf("%d", curandGenerateNormal(g, p, 3, 1, 2));
    printf(" %d", curandGenerateNormal(g, p, 2, 1, 2));
    cudaMemcpy(h, p, sizeof h, 2);
    printf(": %g %g %g %g\n", h[0], h[1], h[2], h[3]);
    printf("%d", curandGenerateUniform(g, p + (1 << 20), 4));
    printf(" %d\n", curandDestroyGenerator(g));
    printf("%d", curandCreateGeneratorHost(&host, 200));
    printf(" %d", curandGenerateUniform(host, h, 1));
    printf(": %g\n", h[0]);
    return 0;
}
#endif
