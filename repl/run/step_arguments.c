/* step_arguments.c: the arguments of a step's launches: numbers, buffers, textures and tensor maps,
 * as the bytes of the kernel's parameters. */
#include "step_runner.h"
#include <string.h>

#define problem(...) runner_problem(__VA_ARGS__)
#define value_of     runner_value_of

static int texture(runner *k, const lesson_arg *arg, int line, uint64_t *handle)
{
    int at = k->place[arg->buffer];
    int64_t width, height = 0;
    int bad = value_of(k, &arg->value, line, "the texture's width", 1, 1 << 27, &width);
    if (!bad && arg->height.count) bad = value_of(k, &arg->height, line, "the texture's height", 1, 65536, &height);
    if (bad) return bad;
    if ((uint64_t)width * (uint64_t)(height ? height : 1) * (uint64_t)arg->channels > k->host[at].count)
        return problem(k, EXIT_USAGE, NULL, "%s:%d: buffer %s has fewer texels than the texture", k->q->l->path, line,
                       k->s->buffer[arg->buffer].name);
    sim_texture t = {.address = k->address[at],
                     .width = (uint32_t)width,
                     .height = (uint32_t)height,
                     .texel = SIM_TEXEL_F32,
                     .channels = arg->channels,
                     .linear = arg->linear};
    sim_error err = {0};
    int code = dev_texture(k->dev, &t, handle, &err);
    return code ? problem(k, dev_status(&err, EXIT_USAGE), err.hint, "%s", err.message) : 0;
}

static int no_map(runner *k, const lesson_action *a, int argument, const sim_error *err)
{
    return problem(k, dev_status(err, EXIT_USAGE), err->hint, "%s:%d: argument %d of %s, a tensor map: %s",
                   k->q->l->path, a->line, argument + 1, a->name, err->message);
}

/* What the driver calls a swizzle or a promotion of so many bytes: 0, 1, 2 ...; -1: there is none. */
static int named_size(int64_t bytes, int64_t smallest, int64_t largest)
{
    int n = 1;
    if (bytes == 0) return 0;
    for (int64_t size = smallest; size <= largest; size *= 2, n++)
        if (bytes == size) return n;
    return -1;
}

/* The numbers of CUtensorMapDataType. */
static const int map_types[TYPES] = {
    [TYPE_I8] = 0,  [TYPE_U8] = 0,   [TYPE_I16] = 1,   [TYPE_U16] = 1,  [TYPE_U32] = 2,
    [TYPE_I32] = 3, [TYPE_U64] = 4,  [TYPE_I64] = 5,   [TYPE_F16] = 6,  [TYPE_F32] = 7,
    [TYPE_F64] = 8, [TYPE_BF16] = 9, [TYPE_TF32] = 11, [TYPE_E4M3] = 0, [TYPE_E5M2] = 0};

/* A tensor map of a buffer, into the parameters. */
static int map(runner *k, const lesson_arg *arg, const lesson_action *a, int argument, const sim_kernel *kernel,
               unsigned char *block)
{
    enum { BYTES = 128 };
    const lesson_map *m = arg->map;
    const sim_param *p = &kernel->param[argument];
    const int at = k->place[arg->buffer];
    const uint64_t each = (uint64_t)lesson_types[k->host[at].type].bytes;
    sim_error err = {0};
    int64_t box[2] = {1, 1}, swizzle = 0, promotion = 0;
    if (p->size != BYTES || p->offset > kernel->param_bytes || p->size > kernel->param_bytes - p->offset)
        return problem(k, EXIT_USAGE, NULL,
                       "%s:%d: argument %d of %s has %u bytes: a tensor map is a const __grid_constant__ CUtensorMap",
                       k->q->l->path, a->line, argument + 1, a->name, p->size);
    int bad = value_of(k, &m->box[1], a->line, "the columns of the box", 1, UINT32_MAX, &box[0]);
    if (!bad && m->box[0].count) bad = value_of(k, &m->box[0], a->line, "the rows of the box", 1, UINT32_MAX, &box[1]);
    if (!bad && m->swizzle.count) bad = value_of(k, &m->swizzle, a->line, "the swizzle", 0, 128, &swizzle);
    if (!bad && m->promotion.count) bad = value_of(k, &m->promotion, a->line, "the promotion", 0, 256, &promotion);
    if (bad) return bad;
    const int as[2] = {named_size(swizzle, 32, 128), named_size(promotion, 64, 256)};
    for (int i = 0; i < 2; i++)
        if (as[i] < 0)
            return problem(k, EXIT_USAGE, NULL, "%s:%d: the %s is %lld; it must be %s", k->q->l->path, a->line,
                           i ? "promotion" : "swizzle", (long long)(i ? promotion : swizzle),
                           i ? "0, 64, 128 or 256" : "0, 32, 64 or 128");
    const uint64_t columns = k->row[at] ? k->row[at] / each : k->host[at].count;
    sim_tensor_map t = {.type = (uint32_t)map_types[m->tf32 ? TYPE_TF32 : k->host[at].type],
                        .rank = k->row[at] ? 2 : 1,
                        .address = k->address[at],
                        .dim = {columns, k->row[at] ? k->host[at].count / columns : 1},
                        .stride = {k->pitch[at]},
                        .box = {(uint32_t)box[0], (uint32_t)box[1]},
                        .step = {1, 1},
                        .swizzle = (uint32_t)as[0],
                        .promotion = (uint32_t)as[1]};
    return dev_map(k->dev, &t, block + p->offset, &err) ? no_map(k, a, argument, &err) : 0;
}

int runner_params(runner *k, const lesson_action *a, const sim_kernel *kernel, unsigned char *block)
{
    if (kernel->params != a->args)
        return problem(k, EXIT_USAGE, NULL, "%s:%d: kernel %s takes %d arguments, not %d", k->q->l->path, a->line,
                       a->name, kernel->params, a->args);
    for (int i = 0; i < a->args; i++) {
        const lesson_arg *arg = &a->arg[i];
        const sim_param *p = &kernel->param[i];
        int64_t v = 0;
        if (arg->map) {
            int bad = map(k, arg, a, i, kernel, block);
            if (bad) return bad;
            continue;
        }
        if (arg->texture) {
            uint64_t handle;
            int bad = texture(k, arg, a->line, &handle);
            if (bad) return bad;
            memcpy(&v, &handle, 8);
        } else if (arg->buffer >= 0) {
            if (p->size != 8)
                return problem(k, EXIT_USAGE, NULL, "%s:%d: argument %d of %s is not a pointer", k->q->l->path, a->line,
                               i + 1, a->name);
            memcpy(&v, &k->address[k->place[arg->buffer]], 8);
        } else if (arg->is_float) {
            float f = (float)arg->number;
            if (p->size == 4) memcpy(&v, &f, 4);
            else memcpy(&v, &arg->number, 8);
        } else {
            char what[60];
            snprintf(what, sizeof what, "argument %d", i + 1);
            int64_t least = p->size == 4 ? INT32_MIN : p->size == 2 ? INT16_MIN : p->size == 1 ? INT8_MIN : INT64_MIN;
            int64_t most = p->size == 4 ? UINT32_MAX : p->size == 2 ? UINT16_MAX : p->size == 1 ? UINT8_MAX : INT64_MAX;
            int bad = value_of(k, &arg->value, a->line, what, least, most, &v);
            if (bad) return bad;
        }
        if (p->size > 8 || p->offset > kernel->param_bytes || p->size > kernel->param_bytes - p->offset)
            return problem(k, EXIT_USAGE, NULL, "%s:%d: argument %d of %s is a struct, which a lesson cannot give",
                           k->q->l->path, a->line, i + 1, a->name);
        for (uint32_t byte = 0; byte < p->size; byte++)
            block[p->offset + byte] = (unsigned char)((uint64_t)v >> 8 * byte);
    }
    return 0;
}
