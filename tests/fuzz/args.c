/* args.c: throws arguments, names and messages made of odd pieces at the code that reads them.
 * Build it with SANITIZER=address,undefined.
 *
 *     build/.../tests/fuzz/args SECONDS SEED [FILE ...]
 *
 * Each argument must be refused with a sentence, or every element of it must be computable. With
 * -DARGS_LIBFUZZER it is a libFuzzer target. */
#include "shell/format.h"
#include "commands/try.h"
#include "run/kernel_name.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok, const char *what, const char *text)
{
    if (ok) return;
    fprintf(stderr, "%s: \"%s\"\n", what, text);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), message[300], small[7], name[100];
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = 0;

    for (int sized = 0; sized < 2; sized++) {
        kernel_arg a;
        message[0] = 0;
        if (arg_parse(&a, text, sized, message, sizeof message)) {
            must(a.buffer.type < TYPES && (a.count > 0 || sized) && arg_bytes(&a) <= ARG_BYTES_MAX,
                 "accepted without elements", text);
            must(a.is_buffer || arg_bytes(&a) <= ARG_PACKED_MAX, "a scalar that is too large", text);
            if (!a.buffer.file) {
                unsigned char elements[8 * 64];
                fill_stream stream;
                uint64_t count = a.count < 64 ? a.count : 64;
                fill_start(&stream, 7);
                memset(elements, 0, sizeof elements);
                fill_buffer(&a.buffer, count, &stream,
                            a.buffer.parameter.count ? a.buffer.parameter.node[0].is.value : 0, elements);
                for (uint64_t i = 0; i < count; i++)
                    arg_element_text(a.buffer.type, elements + i * (uint64_t)lesson_types[a.buffer.type].bytes, name,
                                     sizeof name);
            }
        } else {
            must(*message, "refused without a word", text);
        }
        arg_free(&a);
    }
    uint32_t triple[3];
    if (arg_triple(triple, text, message, sizeof message))
        must(triple[0] && triple[1] && triple[2], "a size of zero", text);
    must(strlen(kernel_title(text, name, sizeof name)) <= (size > 99 ? size : 99), "a title without end", text);
    kernel_title(text, small, sizeof small);
    must(strlen(kernel_readable(text, small, sizeof small)) < sizeof small, "a message without end", text);
    utf8_fit(text, 5);
    must(utf8_width(text) >= 0, "a negative width", text);
    free(text);
    return 0;
}

#ifndef ARGS_LIBFUZZER
#include "corpus.h"

static uint64_t state;
static uint32_t dice(uint32_t sides)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)(state >> 33) % sides;
}

int main(int argc, char **argv)
{
    static const char *const pieces[] = {
        "i8",
        "u8",
        "i16",
        "u16",
        "i32",
        "u32",
        "i64",
        "u64",
        "f32",
        "f64",
        "[",
        "]",
        ":",
        "@",
        "=",
        ",",
        "%",
        "-",
        "+",
        ".",
        "0x",
        "0",
        "1",
        "255",
        "65536",
        "2147483648",
        "18446744073709551615",
        "18446744073709551616",
        "1e39",
        "1e400",
        "nan",
        "inf",
        "-inf",
        "zero",
        "ones",
        "iota",
        "rand",
        "rand%",
        "1024",
        "274877906944",
        "1099511627776",
        "/dev/null",
        "/",
        " ",
        "\303\251",
        "\377",
        "_Z",
        "_ZZ",
        "_ZN",
        "3add",
        "I",
        "Li16E",
        "E",
        "L",
        "9999999999saxpy",
        "1s",
        "_0",
        "\n",
        "\033[",
    };
    double seconds = argc > 1 ? atof(argv[1]) : 5;
    state = (argc > 2 ? strtoull(argv[2], NULL, 0) : 1) * 2654435761u + 88172645463325252u;
    time_t start = time(NULL);
    unsigned long long turns = 0;
    corpus_read(argc > 3 ? argc - 3 : 0, argv + 3);
    for (int i = 0; i < corpus_count; i++) LLVMFuzzerTestOneInput((const uint8_t *)corpus[i].text, corpus[i].bytes);
    while (difftime(time(NULL), start) < seconds) {
        static char text[CORPUS_BYTES];
        size_t used = turns % 2 ? corpus_change(text, dice) : 0;
        for (unsigned n = used ? 0 : dice(14) + 1; n; n--) {
            const char *piece = pieces[dice(sizeof pieces / sizeof *pieces)];
            size_t length = strlen(piece);
            memcpy(text + used, piece, length);
            used += length;
            if (dice(20) == 0 && used) text[dice((unsigned)used)] = (char)dice(256);
        }
        LLVMFuzzerTestOneInput((const uint8_t *)text, used);
        turns++;
    }
    corpus_free();
    printf("%llu texts\n", turns);
    return 0;
}
#endif
