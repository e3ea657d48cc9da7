/* told.c: what the libraries of a program tell `exec`, read as lines that anything may have written
 * into the same file: each line is a record as records.def has it, or it is counted and left out. */
#include "program/program.h"
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads these lines; to be freed. */
static struct program_record read_lines(const char *text, size_t bytes)
{
    struct program_record r = {0};
    FILE *f = tmpfile();
    if (!f || fwrite(text, 1, bytes, f) != bytes || fflush(f)) exit(1);
    program_read(fileno(f), &r);
    fclose(f);
    return r;
}

static void good_lines(void)
{
    static const char text[] = "process\t7\tname of it\n"
                               "kernel\t7\t0\tadd\t2\t1\t0.5\t0.25\t0.25\t900\t16\t0\t0.75\t4096\t0\n"
                               "note\t7\tfirst\nnote\t8\tfirst\nnote\t7\tsecond\n"
                               "kernel\t7\t0\tadd\t3\t1\t0.75\t0.25\t0.25\t900\t16\t0\t0.75\t4096\t0\n"
                               "kernel\t7\t1\tsub\t1\t0\t1e-6\t1e-6\t1e-6\t0\t16\t0\t0\t0\t0\n"
                               "time\t7\t2.5\t0.5\ntime\t7\t3.5\t0.75\ntime\t9\t1\t0.875\n"
                               "fault\t11\t7\trace\t0\tadd\ta.cu\t3\t0,0,0\t1,0,0\t2\tmessage\tadvice\n"
                               "fault\t11\t7\trace\t0\t\t\t0\t\t\t5\t\t\n"
                               "event\t7\tk\t0\t1\t0.5\t0.25\tadd\t<<<1, 32>>>\n"
                               "copy\t7\t1\t2\t64\t0.5\ncopy\t7\t1\t3\t96\t0.5\n";
    struct program_record r = read_lines(text, sizeof text - 1);
    check(!r.bad_lines && !r.failed && !r.cut, "all lines are good");
    check(r.process_count == 1 && !strcmp(r.processes[0].name, "name of it"), "a process");
    check(r.kernel_count == 2 && r.kernels[0].calls == 3 && r.kernels[0].seconds == 0.75 &&
              !strcmp(r.kernels[1].name, "sub"),
          "the last line of a kernel holds");
    check(r.note_count == 2 && !strcmp(r.notes[1].text, "second"), "a text once, whichever process says it");
    check(r.time_count == 2 && r.seconds == 3.5 && r.waited == 0.875, "the longest process");
    check(r.fault_count == 1 && r.faults[0].count == 7 && r.faults[0].kind == SIM_FAULT_RACE &&
              !strcmp(r.faults[0].message, "message"),
          "a fault that comes again adds to its count");
    check(r.event_count == 1 && r.events[0].what == 'k' && r.events[0].begin == 0.5, "an event");
    check(r.copy_count == 1 && r.copies[0].bytes == 96, "the last line of a direction holds");
    program_record_free(&r);
    check(!r.kernels && !r.kernel_count, "nothing is left");
}

/* Each is no record. */
static const char *const bad[] = {
    "",
    "kernel",
    "nothing\t1\t2",
    "process\t7",                /* too few fields */
    "process\t7\tname\tmore",    /* too many */
    "process\t-7\tname",         /* below 0 */
    "process\t 7\tname",         /* a blank */
    "process\t4294967303\tname", /* more than a process can have */
    "process\t7\tna\x01me",      /* a control character */
    "time\t7\tnan\t0",
    "time\t7\tinf\t0",
    "time\t7\t1e999\t0",
    "time\t7\t-1\t0",
    "time\t7\t0x10\t0",
    "time\t7\t1 \t0",
    "event\t7\tz\t0\t1\t0\t0\tname\tdetail", /* no such letter */
    "event\t7\tkc\t0\t1\t0\t0\tname\tdetail",
    "event\t7\t\t0\t1\t0\t0\tname\tdetail",
    "copy\t7\t5\t1\t1\t0",                              /* no such direction */
    "line\t7\t0\ta.cu\t1\t1\t1\t1\t2",                  /* waits longer than it took */
    "unrun\t7\tk\t0\tcudaErrorX\t1\t2\treason",            /* more errors unread than launches */
    "kernel\t7\t0\tk\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0", /* never called */
    "kernel\t7\t0\tk\t1\t2\t0\t0\t0\t0\t0\t0\t0\t0\t0", /* timed more often than called */
    "fault\t11\t7\tno-such\t0\tadd\ta.cu\t3\t0,0,0\t1,0,0\t2\tmessage\tadvice",
    "fault\t11\t7\trace\t2\tadd\ta.cu\t3\t0,0,0\t1,0,0\t2\tmessage\tadvice", /* neither a note nor none */
    "fault\t11\t7\trace\t0\t\t\t0\t\t\t5\t\t",                               /* more of an unknown one */
    "use\t7\t0\t1\t1\t1\t1\t1\t1\t1,2,3",                                    /* stalls are missing */
    "counts\t7\t0\t1",
    "counts\t7\t0\t",
};

static void bad_lines(void)
{
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[400];
        const int n = snprintf(text, sizeof text, "%s\nprocess\t7\tafter\n", bad[i]);
        struct program_record r = read_lines(text, (size_t)n);
        check(r.bad_lines == 1 && r.process_count == 1 && !r.kernel_count && !r.fault_count && !r.event_count, bad[i]);
        program_record_free(&r);
    }
    struct program_record r = read_lines("process\t7\tends early", 20);
    check(r.bad_lines == 1 && !r.process_count, "a line without an end");
    program_record_free(&r);
    static const char shrinks[] = "kernel\t7\t0\tk\t9\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\n"
                                  "kernel\t7\t0\tk\t8\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\n"
                                  "kernel\t7\t0\tother\t10\t0\t0\t0\t0\t0\t0\t0\t0\t0\t0\n";
    r = read_lines(shrinks, sizeof shrinks - 1);
    check(r.bad_lines == 2 && r.kernel_count == 1 && r.kernels[0].calls == 9, "calls never shrink, names never change");
    program_record_free(&r);
}

/* More than is kept, and a line longer than any. */
static void much(void)
{
    static char text[1 << 20];
    size_t n = 0;
    for (int i = 0; i < 3000; i++) n += (size_t)snprintf(text + n, sizeof text - n, "note\t7\tnumber %d\n", i);
    struct program_record r = read_lines(text, n);
    check(!r.bad_lines && r.note_count == 400, "of ever new texts so many");
    program_record_free(&r);
    memset(text, 'x', sizeof text);
    memcpy(text, "note\t7\t", 7);
    memcpy(text + sizeof text - 17, "\nprocess\t7\tafter\n", 17);
    r = read_lines(text, sizeof text);
    check(r.bad_lines == 1 && r.process_count == 1, "after a line of a million bytes");
    program_record_free(&r);
}

/* Bytes changed at random: read without a crash, and what is kept is as the rows allow. */
static void changed(void)
{
    static const char from[] = "kernel\t7\t0\tadd\t3\t1\t0.75\t0.25\t0.25\t900\t16\t0\t0.75\t4096\t0\n"
                               "fault\t11\t7\trace\t0\tadd\ta.cu\t3\t0,0,0\t1,0,0\t2\tmessage\tadvice\n"
                               "event\t7\tk\t0\t1\t0.5\t0.25\tadd\t<<<1, 32>>>\ncopy\t7\t1\t3\t96\t0.5\n";
    static const char with[] = "\t\n0123456789-.,eEnaik\x80\xff";
    bool good = true;
    unsigned seed = 1;
    for (int round = 0; round < 20000; round++) {
        char text[sizeof from];
        memcpy(text, from, sizeof from);
        for (int i = 0; i < 4; i++) {
            seed = seed * 1103515245 + 12345;
            text[(seed >> 8) % (sizeof from - 1)] = with[(seed >> 20) % (sizeof with - 1)];
        }
        struct program_record r = read_lines(text, sizeof from - 1);
        for (int i = 0; i < r.kernel_count; i++)
            good = good && r.kernels[i].timed <= r.kernels[i].calls && r.kernels[i].seconds >= 0;
        for (int i = 0; i < r.fault_count; i++) good = good && r.faults[i].kind < SIM_FAULT_KINDS && r.faults[i].kernel;
        for (int i = 0; i < r.copy_count; i++) good = good && r.copies[i].direction < PROGRAM_DIRECTIONS;
        program_record_free(&r);
    }
    check(good, "bytes changed at random");
}

int main(void)
{
    good_lines();
    bad_lines();
    much();
    changed();
    return check_end();
}
