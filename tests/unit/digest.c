/* digest.c: SHA-256 against the examples of FIPS 180-4, HMAC-SHA-256 against RFC 4231, CRC-32
 * against its check value. */
#include "shell/digest.h"
#include "check.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void is(const unsigned char *got, const char *expected, const char *what)
{
    char text[2 * DIGEST_BYTES + 1];
    for (int i = 0; i < DIGEST_BYTES; i++) snprintf(text + 2 * i, 3, "%02x", got[i]);
    bool good = !strncmp(text, expected, strlen(expected)); /* RFC 4231 cuts one short */
    check_that(good, "%s: %s, expected %s", what, text, expected);
}

/* The examples that NIST publishes for SHA-256, each repeated as stated and passed in pieces of
 * several lengths. */
static void hashes(void)
{
    static const struct {
        const char *text;
        int times;
        const char *digest;
    } list[] = {
        {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqr"
         "stu",
         1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
        {"a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (size_t piece = 1; piece <= 200; piece += 33) {
            size_t n = strlen(list[i].text), all = n * (size_t)list[i].times;
            char *text = malloc(all + 1);
            unsigned char out[DIGEST_BYTES];
            digest d;
            for (size_t at = 0; text && at < all; at += n) memcpy(text + at, list[i].text, n);
            digest_begin(&d);
            for (size_t at = 0; text && at < all; at += piece)
                digest_add(&d, text + at, all - at < piece ? all - at : piece);
            digest_end(&d, out);
            is(out, list[i].digest, "SHA-256");
            free(text);
        }
}

static void macs(void)
{
    /* RFC 4231, section 4: a key and a text, each one a repeated byte or a string */
    static const struct {
        int key_byte, key_times;
        const char *key;
        int text_byte, text_times;
        const char *text, *mac;
    } list[] = {
        {0x0b, 20, NULL, 0, 0, "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
        {0, 0, "Jefe", 0, 0, "what do ya want for nothing?",
         "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
        {0xaa, 20, NULL, 0xdd, 50, NULL, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
        {-1, 25, NULL, 0xcd, 50, NULL, "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"},
        {0x0c, 20, NULL, 0, 0, "Test With Truncation", "a3b6167473100ee06e0c796c2955552b"},
        {0xaa, 131, NULL, 0, 0, "Test Using Larger Than Block-Size Key - Hash Key First",
         "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
        {0xaa, 131, NULL, 0, 0,
         "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be "
         "hashed before being used by the HMAC algorithm.",
         "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        unsigned char key[200], text[200], out[DIGEST_BYTES];
        size_t key_bytes = list[i].key ? strlen(list[i].key) : (size_t)list[i].key_times;
        size_t bytes = list[i].text ? strlen(list[i].text) : (size_t)list[i].text_times;
        for (size_t k = 0; k < key_bytes; k++) /* -1: the bytes 1, 2, 3 ... */
            key[k] = list[i].key            ? (unsigned char)list[i].key[k]
                     : list[i].key_byte < 0 ? (unsigned char)(k + 1)
                                            : (unsigned char)list[i].key_byte;
        for (size_t k = 0; k < bytes; k++)
            text[k] = list[i].text ? (unsigned char)list[i].text[k] : (unsigned char)list[i].text_byte;
        digest_mac(key, key_bytes, text, bytes, out);
        is(out, list[i].mac, "HMAC-SHA-256");
    }
}

static void sums(void)
{
    check(digest_sum("123456789", 9) == 0xcbf43926 && digest_sum("", 0) == 0, "CRC-32"); /* its check value */
}

int main(void)
{
    hashes();
    macs();
    sums();
    return check_end();
}
