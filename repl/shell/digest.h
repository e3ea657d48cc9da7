/* digest.h: checksums. digest_mac (HMAC-SHA-256) needs a secret: with the text alone nobody can
 * make the code, nor guess the text from it. digest_sum (CRC-32) only detects a record that has
 * changed. */
#ifndef DIGEST_H
#define DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { DIGEST_BYTES = 32 };

typedef struct digest {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64];
} digest;

/* SHA-256 (FIPS 180-4), in pieces. */
void digest_begin(digest *d);
void digest_add(digest *d, const void *data, size_t bytes);
void digest_end(digest *d, unsigned char out[DIGEST_BYTES]);

/* HMAC-SHA-256 (RFC 2104). */
void digest_mac(const void *key, size_t key_bytes, const void *data, size_t bytes, unsigned char out[DIGEST_BYTES]);

/* CRC-32 as zlib and IEEE 802.3 have it. */
uint32_t digest_sum(const void *data, size_t bytes);

#endif
