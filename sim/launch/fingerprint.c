/* fingerprint.c: 128 bits that tell one state of a card's memory from another.
 *
 * Eight sums run side by side over 64 bytes at a time, each of products of the halves of a word, so
 * that compilers make vectors of them; after each KiB all are stirred, so that where something lies
 * counts too. Not meant against an adversary: two states that anybody makes by chance differ.
 */
#include "base.h"
#include "machine/machine.h"

#define STIR UINT64_C(0x9e3779b185ebca87)
enum { LANES = 8, STRIPE = LANES * 8, STRIPES = 16 };

static const uint64_t keys[LANES] = {UINT64_C(0xbe4ba423396cfeb8), UINT64_C(0x1cad21f72c81017c),
                                     UINT64_C(0xdb979083e96dd4de), UINT64_C(0x1f67b3b7a4a44072),
                                     UINT64_C(0x78e5c0cc4ee679cb), UINT64_C(0x2172ffcc7dd05a82),
                                     UINT64_C(0x8e2443f7744608b8), UINT64_C(0x4c263a81e69035e0)};

static void add_stripe(uint64_t sum[LANES], const char *at)
{
    uint64_t v[LANES];
    memcpy(v, at, sizeof v);
    for (int i = 0; i < LANES; i++) {
        const uint64_t k = v[i] ^ keys[i];
        sum[i] += (k & UINT32_MAX) * (k >> 32) + (v[i] >> 32 | v[i] << 32);
    }
}

static void stir(uint64_t sum[LANES])
{
    for (int i = 0; i < LANES; i++) sum[i] = (sum[i] ^ sum[i] >> 47 ^ keys[LANES - 1 - i]) * STIR;
}

static void add_bytes(uint64_t sum[LANES], const char *at, uint64_t bytes)
{
    char rest[STRIPE] = {0};
    int n = 0;
    for (; bytes >= STRIPE; bytes -= STRIPE, at += STRIPE) {
        add_stripe(sum, at);
        if (++n == STRIPES) stir(sum), n = 0;
    }
    memcpy(rest, at, bytes);
    add_stripe(sum, rest);
    stir(sum);
}

void sim_fingerprint(sim *s, uint64_t out[2])
{
    uint64_t sum[LANES];
    memcpy(sum, keys, sizeof sum);
    for (uint32_t i = 0; i < s->mem.count; i++) {
        const alloc *a = s->mem.list[i];
        if (a->freed || !a->host) continue;
        const uint64_t head[8] = {a->start, a->size, s->heap_used};
        add_stripe(sum, (const char *)head);
        add_bytes(sum, a->host, a->size);
    }
    out[0] = out[1] = 0;
    for (int i = 0; i < LANES; i++) {
        out[0] = (out[0] ^ sum[i]) * STIR;
        out[1] = (out[1] ^ (sum[i] >> 29)) * keys[0] + sum[LANES - 1 - i];
        out[0] ^= out[0] >> 32;
        out[1] ^= out[1] >> 31;
    }
}

uint64_t sim_bytes_in_use(const sim *s)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < s->mem.count; i++)
        if (!s->mem.list[i]->freed && s->mem.list[i]->host) bytes += s->mem.list[i]->size;
    return bytes;
}
