/* json.c: the JSON writer; see json.h. `start` writes the comma and the key, `quote` a string; the
 * other functions write one value each. */
#include "json.h"
#include "format.h"

#include <math.h>
#include <string.h>

/* Write one string. Bytes that are not UTF-8 become U+FFFD, one for each. */
static void quote(FILE *out, const char *text, size_t length)
{
    putc('"', out);
    for (size_t i = 0; i < length;) {
        unsigned char c = (unsigned char)text[i];
        uint32_t point;
        size_t used = utf8_decode(text + i, length - i, &point);
        if (!used) {
            fputs("\\ufffd", out);
            i++;
            continue;
        }
        if (c == '"' || c == '\\') fprintf(out, "\\%c", c);
        else if (c == '\n') fputs("\\n", out);
        else if (c == '\t') fputs("\\t", out);
        else if (point < 0x10000 && utf8_hidden(point)) fprintf(out, "\\u%04x", point);
        else fwrite(text + i, 1, used, out);
        i += used;
    }
    putc('"', out);
}

/* False: nothing is to be written. */
static bool start(json *j, const char *key)
{
    if (!j->out) return false;
    if (j->depth > 0) {
        if (j->is_filled[j->depth - 1]) putc(',', j->out);
        j->is_filled[j->depth - 1] = true;
    }
    if (key) {
        quote(j->out, key, strlen(key));
        putc(':', j->out);
    }
    return true;
}

/* Our records are never nested deeper than JSON_DEPTH. If one were, the value would become null. */
static void open_level(json *j, const char *key, bool is_array)
{
    if (!start(j, key)) return;
    if (j->depth >= JSON_DEPTH) {
        fputs("null", j->out);
        return;
    }
    j->is_array[j->depth] = is_array;
    j->is_filled[j->depth] = false;
    j->depth++;
    putc(is_array ? '[' : '{', j->out);
}

void json_object(json *j, const char *key) { open_level(j, key, false); }
void json_array(json *j, const char *key) { open_level(j, key, true); }

void json_close(json *j)
{
    if (j->out && j->depth > 0) putc(j->is_array[--j->depth] ? ']' : '}', j->out);
}

void json_begin_as(json *j, FILE *out, const char *schema)
{
    memset(j, 0, sizeof *j);
    j->out = out;
    json_object(j, NULL);
    json_text(j, "schema", schema);
}

void json_begin(json *j, FILE *out, const char *event)
{
    json_begin_as(j, out, "warpstep/1");
    json_text(j, "event", event);
}

void json_end(json *j)
{
    if (!j->out) return;
    while (j->depth > 0) json_close(j);
    putc('\n', j->out);
    fflush(j->out);
}

void json_bytes(json *j, const char *key, const char *text, size_t length)
{
    if (start(j, key)) quote(j->out, text, length);
}

void json_text(json *j, const char *key, const char *text)
{
    if (text) json_bytes(j, key, text, strlen(text));
    else json_null(j, key);
}

void json_int(json *j, const char *key, int64_t value)
{
    if (start(j, key)) fprintf(j->out, "%lld", (long long)value);
}

void json_uint(json *j, const char *key, uint64_t value)
{
    if (start(j, key)) fprintf(j->out, "%llu", (unsigned long long)value);
}

void json_number(json *j, const char *key, double value)
{
    char digits[40];
    if (!start(j, key)) return;
    if (isfinite(value)) fputs(format_exact(digits, sizeof digits, value, 17), j->out);
    else fputs("null", j->out);
}

void json_bool(json *j, const char *key, bool value)
{
    if (start(j, key)) fputs(value ? "true" : "false", j->out);
}

void json_null(json *j, const char *key)
{
    if (start(j, key)) fputs("null", j->out);
}

void json_keys_of(json *j, const char *keys, va_list values)
{
    for (const char *p = keys; *p;) {
        char key[64];
        const char *stop = strchr(p, ' '), *type = stop + 2;
        int longs = 0;
        snprintf(key, sizeof key, "%.*s", (int)(stop - p), p);
        for (; *type == 'l' || *type == 'z'; type++) longs += *type == 'z' ? 2 : 1;
        switch (*type) {
        case 's': json_text(j, key, va_arg(values, const char *)); break;
        case 'i': json_bool(j, key, va_arg(values, int)); break;
        case 'g': json_number(j, key, va_arg(values, double)); break;
        case 'd':
            json_int(j, key,
                     longs == 0   ? va_arg(values, int)
                     : longs == 1 ? va_arg(values, long)
                                  : va_arg(values, long long));
            break;
        default:
            json_uint(j, key,
                      longs == 0   ? va_arg(values, unsigned)
                      : longs == 1 ? va_arg(values, unsigned long)
                                   : va_arg(values, unsigned long long));
        }
        p = type + 1 + strspn(type + 1, ", ");
    }
}

void json_keys(json *j, const char *keys, ...)
{
    va_list values;
    va_start(values, keys);
    json_keys_of(j, keys, values);
    va_end(values);
}

void json_dims(json *j, const char *key, const uint32_t dims[3])
{
    json_array(j, key);
    for (int i = 0; i < 3; i++) json_uint(j, NULL, dims[i]);
    json_close(j);
}
