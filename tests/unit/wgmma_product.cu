// A product of matrices as a tuned kernel makes it, without tensor maps: C = A B^T, A m x k and B n
// x k of bf16, k ascending. Blocks of two warpgroups make 128 x 128 of C. Tiles of 64 k lie in
// shared memory in rows of 128 bytes, swizzled; two stages, so that a product runs while the next
// tile is loaded. wgmma_ops.c runs what nvcc makes of it:
//     nvcc -gencode arch=compute_90a,code=compute_90a -lineinfo -ptx wgmma_product.cu
#include <stdint.h>
enum { TILE = 128, DEEP = 64, ROW = 128, STAGE = 2 * TILE * ROW };
__device__ uint64_t descriptor(uint32_t at) { return (at & 0x3ffff) >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62; }
__device__ void multiply(float *d, uint64_t a, uint64_t b, int adds)
{
    asm volatile(
        "{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, "
        "%13, "
        "%14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, "
        "%36, "
        "%37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, "
        "%59, "
        "%60, %61, %62, %63}, %64, %65, p, 1, 1, 0, 0;\n}"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
          "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
          "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
          "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]),
          "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]),
          "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
          "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]),
          "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
        : "l"(a), "l"(b), "r"(adds));
}
// 128 rows of 128 bytes, 16 bytes per thread and turn; piece p of row r lies where piece p ^ (r % 8) would.
__device__ void load_tile(char *to, const char *from, int bytes_of_row)
{
    for (int i = threadIdx.x; i < TILE * 8; i += 256) {
        const int row = i / 8, piece = i % 8;
        *(uint4 *)(to + row * ROW + (piece ^ row % 8) * 16) = *(const uint4 *)(from + (size_t)row * bytes_of_row + piece
            * 16);
    }
}
extern "C" __global__ void __launch_bounds__(256, 1) product(const char *a, const char *b, float *c, int n, int k)
{
    extern __shared__ __align__(1024) char tiles[];
    const int group = threadIdx.x / 128, lane = threadIdx.x % 128, row_bytes = 2 * k;
    a += (size_t)blockIdx.y * TILE * row_bytes;
    b += (size_t)blockIdx.x * TILE * row_bytes;
    float d[64];
    for (int i = 0; i < k / DEEP; i++) {
        char *stage = tiles + i % 2 * STAGE;
        __syncthreads();
        load_tile(stage, a + i * ROW, row_bytes);
        load_tile(stage + TILE * ROW, b + i * ROW, row_bytes);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        const uint32_t at = (uint32_t)__cvta_generic_to_shared(stage);
        const uint64_t da = descriptor(at + group * 64 * ROW), db = descriptor(at + TILE * ROW);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
        for (int q = 0; q < 4; q++) multiply(d, da + 2 * q, db + 2 * q, i + q > 0);
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    }
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    c += (size_t)(blockIdx.y * TILE + group * 64 + lane / 32 * 16 + lane % 32 / 4) * n + blockIdx.x * TILE +
         lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < 16; j++) {
        *(float2 *)(c + 8 * j) = make_float2(d[4 * j], d[4 * j + 1]);
        *(float2 *)(c + 8 * n + 8 * j) = make_float2(d[4 * j + 2], d[4 * j + 3]);
    }
}
