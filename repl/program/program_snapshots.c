/* program_snapshots.c: reads the launches that a program's libraries kept. The program can have
 * written anything into the file, and may still be writing: it is read once, by counts and places
 * that are checked against its length and each other, and what is read later is checked by its sum. */
#define _GNU_SOURCE
#include "program_snapshots.h"
#include "list.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LAUNCHES_MOST = 256, PIECES_MOST = 100000, NAME_MOST = 4096 };
#define LAUNCH_MOST ((uint64_t)16 << 20)  /* bytes of a launch's own piece */
#define TEXT_MOST   ((uint64_t)256 << 20) /* of a module */
#define READ_MOST   ((uint64_t)64 << 20)  /* of all of them */

int program_snapshots_file(void)
{
    const char *folder = getenv("TMPDIR");
    if (!folder || *folder != '/') folder = "/tmp";
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0) return fd;
    char path[4096]; /* a file system without such files */
    const int n = snprintf(path, sizeof path, "%s/warpstep-XXXXXX", folder);
    if (n < 0 || (size_t)n >= sizeof path) return errno = ENAMETOOLONG, -1;
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) unlink(path);
    return fd;
}

static bool read_at(int fd, uint64_t at, void *out, uint64_t bytes)
{
    for (char *to = out; bytes;) {
        const ssize_t n = pread(fd, to, bytes, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        to += n, at += (uint64_t)n, bytes -= (uint64_t)n;
    }
    return true;
}

static bool inside(uint64_t at, uint64_t bytes, uint64_t all) { return at <= all && bytes <= all - at; }

static uint64_t pages_of(uint64_t bytes) { return bytes / SNAPSHOT_PAGE + (bytes % SNAPSHOT_PAGE != 0); }

static bool is_name(const struct program_snapshot *s, uint32_t at) { return at < s->launch.name_bytes; }

static bool regions_fine(const struct program_snapshot *s)
{
    uint64_t end = 0, at = 0;
    for (uint32_t i = 0; i < s->launch.regions; i++) {
        const snapshot_region *r = &s->regions[i];
        if (!r->bytes || r->address + r->bytes < r->address ||
            !inside(r->first_page, pages_of(r->bytes), s->launch.pages) || !is_name(s, r->name) || r->variable > 1 ||
            (r->variable && !r->name))
            return false;
        end = r->first_page + pages_of(r->bytes);
        if (r->first_page != at) return false; /* each page belongs to one region */
        at = end;
    }
    return end == s->launch.pages;
}

/* Is what lies between the heads of the piece what a library of ours can have written there? */
static bool launch_fine(struct program_snapshot *s, char *piece, uint64_t bytes, uint64_t file_bytes)
{
    if (bytes < sizeof s->launch) return false;
    memcpy(&s->launch, piece, sizeof s->launch);
    const snapshot_launch *l = &s->launch;
    const uint64_t counts[] = {l->regions, l->textures, l->pages, l->param_bytes, l->name_bytes};
    const uint64_t each[] = {sizeof *s->regions, sizeof *s->textures, sizeof *s->pages, 1, 1};
    uint64_t at = sizeof *l, from[5];
    for (int i = 0; i < 5; i++) {
        if (counts[i] > (bytes - at) / each[i]) return false;
        from[i] = at;
        at += counts[i] * each[i];
    }
    if (at != bytes || !l->name_bytes || piece[bytes - 1] || !is_name(s, l->why_not) || !is_name(s, l->source))
        return false;
    s->regions = (const snapshot_region *)(const void *)(piece + from[0]);
    s->textures = (const snapshot_texture *)(const void *)(piece + from[1]);
    s->pages = (const snapshot_page *)(const void *)(piece + from[2]);
    s->params = piece + from[3];
    s->names = s->kernel = piece + from[4];
    s->why_not = l->why_not ? s->names + l->why_not : NULL;
    s->source = l->source ? s->names + l->source : NULL;
    for (int i = 0; i < 3; i++)
        if (!l->grid[i] || !l->block[i] || l->block[i] > 4096) return false;
    if (!isfinite(l->seconds) || l->seconds < 0 || !*s->kernel || strlen(s->kernel) >= NAME_MOST ||
        l->cooperative > 1 || l->cluster_large > 1)
        return false;
    for (const char *p = s->names; p < s->names + l->name_bytes; p++)
        if ((*p && (unsigned char)*p < ' ') || *p == 0x7f) return false;
    if (s->why_not) return true;
    return inside(l->text_at, l->text_bytes, file_bytes) && l->text_bytes && l->text_bytes <= TEXT_MOST &&
           regions_fine(s);
}

/* True: s is filled, and owns its memory. */
static bool read_launch(int fd, uint64_t at, const snapshot_head *head, uint64_t file_bytes, struct program_snapshot *s)
{
    *s = (struct program_snapshot){.file = fd, .pid = head->pid};
    s->memory = malloc(head->bytes + 1);
    if (s->memory && read_at(fd, at, s->memory, head->bytes) && snapshot_sum(s->memory, head->bytes) == head->sum &&
        launch_fine(s, s->memory, head->bytes, file_bytes))
        return true;
    free(s->memory);
    return false;
}

/* A later one of the same number takes the earlier one's place. */
static bool add(struct program_snapshots *out, const struct program_snapshot *s)
{
    for (int i = 0; i < out->count; i++)
        if (out->list[i].pid == s->pid && out->list[i].launch.number == s->launch.number) {
            free(out->list[i].memory);
            out->list[i] = *s;
            return true;
        }
    if (out->count == LAUNCHES_MOST || !list_grow(&out->list, (size_t)out->count, sizeof *out->list)) return false;
    out->list[out->count++] = *s;
    return true;
}

void program_snapshots_read(int file, struct program_snapshots *out)
{
    struct stat st;
    *out = (struct program_snapshots){.file = file};
    if (file < 0 || fstat(file, &st)) return;
    const uint64_t end = (uint64_t)st.st_size;
    uint64_t taken = 0;
    snapshot_head head;
    for (uint64_t at = 0, pieces = 0; at < end; at += sizeof head + (head.bytes + 7) / 8 * 8) {
        struct program_snapshot s;
        if (!inside(at, sizeof head, end) || !read_at(file, at, &head, sizeof head) || head.magic != SNAPSHOT_MAGIC ||
            !inside(at + sizeof head, head.bytes, end) || ++pieces > PIECES_MOST) {
            out->damaged = "what follows is not of our libraries";
            return;
        }
        if (head.kind != SNAPSHOT_LAUNCH) continue;
        taken += head.bytes;
        if (head.bytes > LAUNCH_MOST || taken > READ_MOST || !read_launch(file, at + sizeof head, &head, end, &s)) {
            out->damaged = "a launch in it was changed";
            continue;
        }
        if (!add(out, &s)) free(s.memory);
    }
}

void program_snapshots_free(struct program_snapshots *s)
{
    for (int i = 0; i < s->count; i++) free(s->list[i].memory);
    free(s->list);
    if (s->file >= 0) close(s->file);
    *s = (struct program_snapshots){.file = -1};
}

const char *snapshot_region_name(const struct program_snapshot *s, const snapshot_region *r)
{
    return r->name ? s->names + r->name : "";
}

bool snapshot_text(const struct program_snapshot *s, char **text, size_t *bytes)
{
    *bytes = s->launch.text_bytes;
    *text = malloc(*bytes + 1);
    if (*text && read_at(s->file, s->launch.text_at, *text, *bytes) &&
        snapshot_sum(*text, *bytes) == s->launch.text_sum) {
        (*text)[*bytes] = 0;
        return true;
    }
    free(*text);
    *text = NULL;
    return false;
}

bool snapshot_page_read(const struct program_snapshot *s, const snapshot_region *r, uint64_t number, void *out,
                        bool *written)
{
    const uint64_t from = number * SNAPSHOT_PAGE;
    const size_t bytes = r->bytes - from < SNAPSHOT_PAGE ? r->bytes - from : SNAPSHOT_PAGE;
    const snapshot_page *p = &s->pages[r->first_page + number];
    *written = p->at != SNAPSHOT_UNWRITTEN;
    if (p->at == SNAPSHOT_UNWRITTEN || p->at == SNAPSHOT_ZERO) {
        memset(out, 0, bytes);
        return true;
    }
    return p->at <= INT64_MAX - SNAPSHOT_PAGE && read_at(s->file, p->at, out, bytes) &&
           snapshot_sum(out, bytes) == p->sum;
}
