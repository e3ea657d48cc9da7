/* json.h: writes JSON, one object per line.
 *
 *     json j;
 *     json_begin(&j, out, "try");             {"schema":"warpstep/1","event":"try"
 *     json_text(&j, "kernel", name);          ,"kernel":"saxpy"
 *     json_array(&j, "faults");               ,"faults":[
 *     json_object(&j, NULL);                  {            (no key inside an array)
 *     json_close(&j); json_close(&j);         }]
 *     json_end(&j);                           }\n, flushed
 *
 * The writer places commas, escapes text and replaces bytes that are not UTF-8, so every line is
 * valid whatever a kernel printed. Numbers that JSON cannot hold (infinities, NaN) become null.
 * Nothing is allocated. A json whose `out` is NULL accepts every call and writes nothing. */
#ifndef JSON_H
#define JSON_H

#include "format.h"

#include <stdarg.h>

#define JSON_DEPTH 16

typedef struct json {
    FILE *out;
    int depth;
    bool is_array[JSON_DEPTH], is_filled[JSON_DEPTH];
} json;

void json_begin(json *j, FILE *out, const char *event); /* opens the line's object, with schema and event */
void json_begin_as(json *j, FILE *out, const char *schema); /* with another schema, and no event */
void json_end(json *j);                                 /* closes what is still open, ends the line, flushes */
void json_object(json *j, const char *key);             /* key: NULL inside an array */
void json_array(json *j, const char *key);
void json_close(json *j);                                                   /* the innermost object or array */
void json_text(json *j, const char *key, const char *text);                 /* NULL text is null */
void json_bytes(json *j, const char *key, const char *text, size_t length); /* may hold NUL bytes */
void json_int(json *j, const char *key, int64_t value);
void json_uint(json *j, const char *key, uint64_t value);
void json_number(json *j, const char *key, double value); /* shortest digits that read back the same */
void json_bool(json *j, const char *key, bool value);
void json_null(json *j, const char *key);
void json_dims(json *j, const char *key, const uint32_t dims[3]); /* [x,y,z] */
/* Several keys at once: "lesson %d, step %s, right %i, factor %g". A key precedes the type of its
 * value, which is a printf conversion so that the compiler checks the arguments. %s: text. %d, %u:
 * integers of any length (%lld). %i: true or false. %g: a number. */
void json_keys(json *j, const char *keys, ...) FORMAT_PRINTF(2, 3);
void json_keys_of(json *j, const char *keys, va_list values);

#endif
