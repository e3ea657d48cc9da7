/* show_fault.c: prints what a kernel did wrong; see show_fault.h. */
#include "show_fault.h"
#include "run/kernel_name.h"
#include "shell/format.h"
#include "shell/language.h"
#include <inttypes.h>
#include <string.h>

enum { WIDTH = 80 };

static bool is_unwritten(const step_fault *f) { return f->kind == SIM_FAULT_UNINITIALISED; }

char *fault_who(char *out, size_t size, const uint32_t block[3], const uint32_t thread[3])
{
    snprintf(out, size, TR("block (%u,%u,%u) thread (%u,%u,%u)"), block[0], block[1], block[2], thread[0], thread[1],
             thread[2]);
    return out;
}

static void put_safe(doc *d, const char *text) { doc_safe(d, text, strlen(text)); }

static void show_place(doc *d, const step_result *r, const step_place *at, source_cache *sources)
{
    char text[400];
    put_safe(d, source_name(sources, at->file));
    if (at->line > 0) doc_part(d, STYLE_PLAIN, ":%d", at->line);
    doc_part(d, STYLE_PLAIN, " in ");
    put_safe(d, kernel_title(*at->kernel ? at->kernel : r->kernel, text, sizeof text));
    doc_part(d, STYLE_PLAIN, "\n    %s", fault_who(text, sizeof text, at->block, at->thread));
    int others = 0;
    for (uint32_t m = at->lanes; m; m &= m - 1) others++;
    if (others > 1)
        doc_part(d, STYLE_PLAIN, " and %s of its warp",
                 format_plural(text, sizeof text, (uint64_t)others - 1, "other lane"));
    doc_gap(d);
    if (*at->inlined_into) {
        doc_part(d, STYLE_PLAIN, "    inlined into ");
        put_safe(d, kernel_title(at->inlined_into, text, sizeof text));
        if (at->inlined_line > 0) doc_part(d, STYLE_PLAIN, " at line %d", at->inlined_line);
        doc_gap(d);
    }
    const char *line = at->line > 0 ? source_line(sources, at->file, at->line) : NULL;
    if (!line) return;
    doc_part(d, STYLE_PLAIN, "%6d | ", at->line);
    doc_fitting(d, line, WIDTH - 9);
}

static void put_paragraph(doc *d, const char *text)
{
    doc_part(d, STYLE_PLAIN, "    ");
    doc_rest(d, 4, 4, text);
}

void fault_show(doc *d, const step_result *r, const step_fault *f, source_cache *sources)
{
    char text[600], said[600];
    doc_gap(d);
    doc_part(d, f->note ? STYLE_NOTE : STYLE_BAD, "%s%s", f->note ? TR("note: ") : "", TR(fault_word(f)));
    doc_part(d, STYLE_PLAIN, " %s", r->simulated ? TR("at ") : TR("on the GPU"));
    if (r->simulated) show_place(d, r, &f->at, sources);
    else doc_gap(d);
    if (*f->other.kernel) {
        doc_part(d, STYLE_PLAIN, is_unwritten(f) ? "  read at " : "  against ");
        show_place(d, r, &f->other, sources);
    }
    put_paragraph(d, language_said(kernel_readable(f->message, text, sizeof text), said, sizeof said));
    if (f->count > 1) doc_line(d, "    seen %s", format_plural(text, sizeof text, f->count, "time"));
    if (*f->advice) put_paragraph(d, TR(f->advice));
}

void fault_show_brief(doc *d, const step_result *r, const step_fault *f, bool said)
{
    const uint32_t *block = f->at.block, *thread = f->at.thread;
    char text[120], other[600];
    doc_part(d, STYLE_PLAIN, "  ");
    doc_part(d, f->note ? STYLE_NOTE : STYLE_BAD, "%s", TR(f->note ? "note" : fault_word(f)));
    if (f->at.line > 0) doc_part(d, STYLE_PLAIN, " at %s:%d", f->at.file, f->at.line);
    if (f->count > 1) doc_part(d, STYLE_PLAIN, ", %s times", format_count(text, sizeof text, f->count));
    doc_gap(d);
    doc_say(d, 4, "%s", language_said(f->message, other, sizeof other));
    /* a GPU does not report the place, and a launch that was refused has none */
    const bool placed = f->at.file[0] && (r->simulated || f->at.line);
    if (placed && !strstr(f->message, "thread (")) /* most messages name the thread */
        doc_say(d, 4, "by thread (%u,%u,%u) of block (%u,%u,%u)", thread[0], thread[1], thread[2], block[0], block[1],
                block[2]);
    if (f->advice[0] && (!said || !placed)) doc_say(d, 4, "%s", f->advice);
}

void fault_where(const step_fault *f, const char *file, int line, char *out, size_t size)
{
    const step_place *a = &f->at, *b = &f->other;
    char who[120];
    size_t n = (size_t)snprintf(out, size, "%s:%d: %s", file, line, fault_who(who, sizeof who, a->block, a->thread));
    const bool elsewhere = *b->kernel && b->line != line;
    if (n >= size || !*b->kernel) return;
    fault_who(who, sizeof who, b->block, b->thread);
    if (elsewhere) snprintf(out + n, size - n, TR(", and line %d: %s"), b->line, who);
    else if (memcmp(a->block, b->block, sizeof a->block) || memcmp(a->thread, b->thread, sizeof a->thread))
        snprintf(out + n, size - n, TR(" and %s"), who);
}

/* ---- JSON ---- */

static void put_place(json *j, const step_place *at, const source_cache *sources)
{
    char name[400];
    json_text(j, "kernel", *at->kernel ? kernel_title(at->kernel, name, sizeof name) : NULL);
    json_text(j, "file", !*at->file ? NULL : sources ? source_name(sources, at->file) : at->file);
    if (at->line > 0) json_int(j, "line", at->line);
    else json_null(j, "line");
    if (at->ptx_line > 0) json_int(j, "ptx_line", at->ptx_line);
    json_dims(j, "block", at->block);
    json_dims(j, "thread", at->thread);
    if (at->lanes) json_uint(j, "lanes", at->lanes);
    if (*at->inlined_into) json_text(j, "inlined_into", at->inlined_into);
}

static void fault_json(json *j, const step_fault *f, const source_cache *sources)
{
    char message[600];
    json_object(j, NULL);
    json_text(j, "kind", fault_word(f));
    put_place(j, &f->at, sources);
    json_bool(j, "note", f->note);
    json_uint(j, "address", f->address);
    json_uint(j, "size", f->size);
    json_text(j, "space", f->space);
    json_uint(j, "count", f->count);
    json_text(j, "message", kernel_readable(f->message, message, sizeof message));
    json_text(j, "advice", f->advice);
    if (*f->other.kernel) {
        json_object(j, is_unwritten(f) ? "from" : "other");
        put_place(j, &f->other, sources);
        json_close(j);
    }
    json_close(j);
}

void faults_json(json *j, const step_result *r, const source_cache *sources)
{
    json_array(j, "faults");
    for (int i = 0; i < r->faults; i++) fault_json(j, &r->fault[i], sources);
    json_close(j);
}
