/* digest.c: SHA-256, HMAC and CRC-32; see digest.h. */
#include "digest.h"
#include <string.h>

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turned(uint32_t x, int by) { return x >> by | x << (32 - by); }

static void take_block(digest *d)
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++) {
        const unsigned char *p = d->block + 4 * i;
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    }
    for (int i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] =
            w[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ a >> 3) + w[i - 7] + (turned(b, 17) ^ turned(b, 19) ^ b >> 10);
    }
    memcpy(s, d->state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t e = s[4], a = s[0];
        uint32_t x = s[7] + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & s[5]) ^ (~e & s[6])) +
                     round_constant[i] + w[i];
        uint32_t y = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += x;
        s[0] = x + y;
    }
    for (int i = 0; i < 8; i++) d->state[i] += s[i];
}

void digest_begin(digest *d)
{
    /* the first 32 bits of the fractional parts of the square roots of the first 8 primes */
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(d->state, first, sizeof first);
    d->bytes = 0;
}

void digest_add(digest *d, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++) {
        d->block[d->bytes++ % sizeof d->block] = p[i];
        if (d->bytes % sizeof d->block == 0) take_block(d);
    }
}

void digest_end(digest *d, unsigned char out[DIGEST_BYTES])
{
    static const unsigned char pad[64] = {0x80};
    const uint64_t bits = d->bytes * 8;
    const size_t used = d->bytes % sizeof d->block;
    unsigned char length[8];
    for (int i = 0; i < 8; i++) length[i] = (unsigned char)(bits >> (56 - 8 * i));
    digest_add(d, pad, (used < 56 ? 56 : 120) - used);
    digest_add(d, length, sizeof length);
    for (int i = 0; i < DIGEST_BYTES; i++) out[i] = (unsigned char)(d->state[i / 4] >> (24 - 8 * (i % 4)));
}

void digest_mac(const void *key, size_t key_bytes, const void *data, size_t bytes, unsigned char out[DIGEST_BYTES])
{
    unsigned char block[64] = {0}, inner[DIGEST_BYTES];
    digest d;
    if (key_bytes > sizeof block) {
        digest_begin(&d);
        digest_add(&d, key, key_bytes);
        digest_end(&d, block);
    } else if (key_bytes) {
        memcpy(block, key, key_bytes);
    }
    for (size_t i = 0; i < sizeof block; i++) block[i] ^= 0x36;
    digest_begin(&d);
    digest_add(&d, block, sizeof block);
    digest_add(&d, data, bytes);
    digest_end(&d, inner);
    for (size_t i = 0; i < sizeof block; i++) block[i] ^= 0x36 ^ 0x5c;
    digest_begin(&d);
    digest_add(&d, block, sizeof block);
    digest_add(&d, inner, sizeof inner);
    digest_end(&d, out);
}

uint32_t digest_sum(const void *data, size_t bytes)
{
    const unsigned char *p = data;
    uint32_t sum = ~UINT32_C(0);
    for (size_t i = 0; i < bytes; i++) {
        sum ^= p[i];
        for (int bit = 0; bit < 8; bit++) sum = sum >> 1 ^ (sum & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~sum;
}
