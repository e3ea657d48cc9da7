/* nvtx.c: ranges that a program names by NVTX, for the timeline. NVTX is a header; what it calls is a table
 * that a library fills in which NVTX_INJECTION64_PATH names: `exec` names this one. */
#include "core.h"
#include <string.h>
#include <time.h>

enum { CALLBACKS = 1, CORE = 1, CORE2 = 5, DEEP = 64, RANGES = 256 };
typedef void (*nvtx_call)(void);
typedef struct export_table {
    size_t bytes;
    int (*module)(int number, nvtx_call ***table, unsigned *size);
} export_table;
typedef struct attributes { /* nvtxEventAttributes_t */
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    union {
        uint64_t number;
    } payload;
    int32_t message_type; /* 1: char, 3: a registered string */
    union {
        const char *text;
        const void *handle;
    } message;
} attributes;

static _Thread_local struct {
    char name[120];
    double begin;
} stack[DEEP];
static _Thread_local int depth;
static struct {
    char name[120];
    double begin;
    bool open;
} ranges[RANGES];

static double now(void)
{
    pthread_mutex_lock(&core_lock);
    const double t = time_now();
    pthread_mutex_unlock(&core_lock);
    return t;
}
static void close_range(const char *name, double begin)
{
    pthread_mutex_lock(&core_lock);
    record_event('r', 0, 0, begin, time_now() - begin, name, "");
    pthread_mutex_unlock(&core_lock);
}

static int push(const char *name)
{
    if (depth < DEEP) {
        snprintf(stack[depth].name, sizeof stack[depth].name, "%s", name ? name : "?");
        time_inside();
        stack[depth].begin = now();
        time_outside();
    }
    return depth++;
}
static int pop(void)
{
    if (!depth) return -1;
    if (--depth < DEEP) {
        time_inside();
        close_range(stack[depth].name, stack[depth].begin);
        time_outside();
    }
    return depth;
}
static uint64_t start(const char *name)
{
    uint64_t id = 0;
    time_inside();
    const double begin = now();
    pthread_mutex_lock(&core_lock);
    for (int i = 0; i < RANGES && !id; i++) {
        if (ranges[i].open) continue;
        snprintf(ranges[i].name, sizeof ranges[i].name, "%s", name ? name : "?");
        ranges[i].begin = begin;
        ranges[i].open = true;
        id = (uint64_t)i + 1;
    }
    pthread_mutex_unlock(&core_lock);
    time_outside();
    return id;
}
static void end(uint64_t id)
{
    if (!id || id > RANGES || !ranges[id - 1].open) return;
    time_inside();
    close_range(ranges[id - 1].name, ranges[id - 1].begin);
    ranges[id - 1].open = false;
    time_outside();
}

static const char *text_of(const attributes *a)
{
    return a && (a->message_type == 1 || a->message_type == 3) ? a->message.text : NULL;
}
static int push_ex(const attributes *a) { return push(text_of(a)); }
static uint64_t start_ex(const attributes *a) { return start(text_of(a)); }
static int domain_push(void *domain, const attributes *a)
{
    (void)domain;
    return push(text_of(a));
}
static int domain_pop(void *domain)
{
    (void)domain;
    return pop();
}
static uint64_t domain_start(void *domain, const attributes *a)
{
    (void)domain;
    return start(text_of(a));
}
static void domain_end(void *domain, uint64_t id)
{
    (void)domain;
    end(id);
}
static const void *registered(void *domain, const char *text) /* the handle is the text */
{
    (void)domain;
    return strdup(text ? text : "?");
}

PUBLIC int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t));
PUBLIC int InitializeInjectionNvtx2(const void *(*get_table)(uint32_t))
{
    const export_table *t = get_table ? get_table(CALLBACKS) : NULL;
    nvtx_call **table;
    unsigned size;
    if (!t || t->bytes < sizeof *t) return 0;
    const struct {
        int module;
        unsigned at;
        nvtx_call ours;
    } all[] = {
        {CORE, 4, (nvtx_call)start_ex},      {CORE, 5, (nvtx_call)start},       {CORE, 7, (nvtx_call)end},
        {CORE, 8, (nvtx_call)push_ex},       {CORE, 9, (nvtx_call)push},        {CORE, 11, (nvtx_call)pop},
        {CORE2, 2, (nvtx_call)domain_start}, {CORE2, 3, (nvtx_call)domain_end}, {CORE2, 4, (nvtx_call)domain_push},
        {CORE2, 5, (nvtx_call)domain_pop},   {CORE2, 10, (nvtx_call)registered}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (t->module(all[i].module, &table, &size) && all[i].at < size && table[all[i].at])
            *table[all[i].at] = all[i].ours;
    return 1;
}
