/* records.h: what the libraries of a program tell `exec`: the structs of records.def. core/records.c
 * writes them, repl/program/program_records.c reads them. */
#ifndef CUDA_RECORDS_H
#define CUDA_RECORDS_H

#include "sim.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PROGRAM_DIRECTIONS = 5 };       /* of copies: cudaMemcpyKind */
#define PROGRAM_EVENT_LETTERS "kcfwhr" /* of program_event.what */

/* clang-format off */
#define RECORD_INT(name)      int name;
#define RECORD_COUNT(name)    uint64_t name;
#define RECORD_REAL(name)     double name;
#define RECORD_MOMENT(name)   double name;
#define RECORD_TEXT(name)     char *name;
#define RECORD_FAULT(name)    int name;
#define RECORD_LETTER(name)   char name;
#define RECORD_STALLS(name)   uint64_t name[SIM_STALLS];
#define RECORD_COUNTERS(name) sim_counters name;
#define RECORD(name, list, count, most, joins) struct program_##name {
#define KEY(record, kind, name, most)          RECORD_##kind(name)
#define FIELD(record, kind, name, most)        RECORD_##kind(name)
#define END(name)                              };
#include "records.def"
#undef RECORD
#undef KEY
#undef FIELD
#undef END

#define KEY(record, kind, name, most)
#define FIELD(record, kind, name, most)
#define END(name)
enum program_record_id {
#define RECORD(name, list, count, most, joins) PROGRAM_##name,
#include "records.def"
    PROGRAM_RECORDS
};
#undef RECORD
#undef KEY
#undef FIELD
#undef END
/* clang-format on */

/* ---- the rows themselves, for who writes or reads lines ---- */
#ifdef RECORD_ROWS
enum record_kind {
    RECORD_IS_INT,
    RECORD_IS_COUNT,
    RECORD_IS_REAL,
    RECORD_IS_MOMENT,
    RECORD_IS_TEXT,
    RECORD_IS_FAULT,
    RECORD_IS_LETTER,
    RECORD_IS_STALLS,
    RECORD_IS_COUNTERS
};
enum record_joins { RECORD_JOINS_EACH, RECORD_JOINS_LATEST, RECORD_JOINS_TOTAL };
enum { RECORD_FIELDS = 16, RECORD_LINE = 4096 /* bytes of the longest line */ };
typedef struct record_field {
    enum record_kind kind;
    bool is_key;
    size_t offset;
    double most;
} record_field;
typedef struct record_row {
    const char *name;
    size_t size;
    int most;
    enum record_joins joins;
    record_field field[RECORD_FIELDS + 1]; /* one of `most` below 0 ends them */
} record_row;
static const record_row record_rows[PROGRAM_RECORDS] = {
/* clang-format off */
#define RECORD(name, list, count, most, joins) {#name, sizeof(struct program_##name), most, RECORD_JOINS_##joins, {
#define ROW(record, kind, name, most, key) \
    {RECORD_IS_##kind, key, offsetof(struct program_##record, name), (double)(most)},
#define KEY(record, kind, name, most)          ROW(record, kind, name, most, true)
#define FIELD(record, kind, name, most)        ROW(record, kind, name, most, false)
#define END(name)                              {.most = -1}}},
#include "records.def"
#undef RECORD
#undef ROW
#undef KEY
#undef FIELD
#undef END
    /* clang-format on */
};
/* A kind of number with several values: how many, and the offset of each from the first. */
static inline int record_values(enum record_kind kind)
{
    int count = SIM_STALLS;
    if (kind == RECORD_IS_COUNTERS) (void)sim_counter_infos(&count);
    return count;
}
static inline size_t record_offset(enum record_kind kind, int i)
{
    int count;
    return kind == RECORD_IS_COUNTERS ? sim_counter_infos(&count)[i].offset : (size_t)i * sizeof(uint64_t);
}
#endif

#endif
