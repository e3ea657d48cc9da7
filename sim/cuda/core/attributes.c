/* attributes.c: what a card says of itself, by CUDA's numbers. What the card's file does not say is
 * what the programming guide says of its compute capability, or what any card since says. */
#include "core.h"

static int of_card(const sim_card *c, int ordinal, int attribute, bool *known)
{
    const int cc = c->cc_major * 10 + c->cc_minor;
    const bool modern = cc >= 60, volta = cc >= 70, hopper = cc >= 90;
    const int plain_shared = c->shared_per_block < 48 << 10 ? c->shared_per_block : 48 << 10;
    *known = true;
    switch (attribute) {
#define A(number, value) \
    case number: return (int)(value);
        A(1, c->max_threads_per_block)
        A(2, c->max_block_x)
        A(3, c->max_block_y)
        A(4, c->max_block_z)
        A(5, c->max_grid_x)
        A(6, c->max_grid_y)
        A(7, c->max_grid_z)
        A(8, plain_shared)
        A(9, 65536)
        A(10, 32)
        A(11, 2147483647)
        A(12, c->registers_per_mp)
        A(13, c->clock_khz)
        A(14, 512)
        A(15, cc > 10)
        A(16, c->multiprocessors)
        A(17, 0) /* no limit on how long a kernel runs */
        A(18, 0)
        A(19, 1)
        A(20, 0)
        A(21, modern ? 131072 : 65536)
        A(22, modern ? 131072 : 65536)
        A(23, modern ? 65536 : 32768)
        A(24, modern ? 16384 : 2048)
        A(25, modern ? 16384 : 2048)
        A(26, modern ? 16384 : 2048)
        A(27, modern ? 32768 : 8192)
        A(28, modern ? 32768 : 8192)
        A(29, modern ? 2048 : 512)
        A(30, 512)
        A(31, cc >= 20)
        A(32, volta && c->memory_bytes > UINT64_C(30) << 30)
        A(33, ordinal + 1)
        A(34, 0)
        A(35, 0)
        A(36, c->memory_khz)
        A(37, c->bus_bits)
        A(38, c->timing.known ? c->timing.l2_bytes : 0)
        A(39, c->max_threads_per_mp)
        A(40, hopper ? 3 : modern ? 2 : 1)
        A(41, 1)
        A(42, modern ? 32768 : 8192)
        A(43, modern ? 2048 : 512)
        A(45, modern ? 32768 : 16384)
        A(46, modern ? 32768 : 16384)
        A(47, modern ? 8192 : 0)
        A(48, modern ? 8192 : 0)
        A(49, modern ? 32768 : 0)
        A(50, 0)
        A(51, 32)
        A(52, modern ? 32768 : 16384)
        A(53, modern ? 32768 : 16384)
        A(54, modern ? 2046 : 1024)
        A(55, modern ? 32768 : 65536)
        A(56, modern ? 131072 : 65536)
        A(57, modern ? 65536 : 32768)
        A(58, modern ? 16384 : 2048)
        A(59, modern ? 16384 : 2048)
        A(60, modern ? 16384 : 2048)
        A(61, modern ? 32768 : 8192)
        A(62, modern ? 2048 : 512)
        A(63, modern ? 32768 : 8192)
        A(64, modern ? 32768 : 8192)
        A(65, modern ? 2048 : 512)
        A(66, modern ? 32768 : 16384)
        A(67, modern ? 32768 : 16384)
        A(68, modern ? 2046 : 1024)
        A(69, modern ? 268435456 : 134217728)
        A(70, modern ? 131072 : 65000)
        A(71, modern ? 65000 : 65000)
        A(72, modern ? 2097120 : 1048544)
        A(73, modern ? 32768 : 16384)
        A(74, modern ? 32768 : 16384)
        A(75, c->cc_major)
        A(76, c->cc_minor)
        A(77, modern ? 32768 : 16384)
        A(78, cc >= 35)
        A(79, cc >= 20)
        A(80, cc >= 20)
        A(81, c->shared_per_mp)
        A(82, c->registers_per_mp)
        A(83, 1)
        A(84, 0)
        A(85, ordinal)
        A(86, 0)
        A(87, cc == 60 || cc == 70 || cc == 80 || cc == 90 ? 2 : 32)
        A(88, 0)
        A(89, modern)
        A(90, modern)
        A(91, modern)
        A(95, modern)
        A(96, 0)
        A(97, c->shared_per_block)
        A(98, 0)
        A(99, 1)
        A(100, 0)
        A(101, 0)
        A(106, c->max_blocks_per_mp)
        A(108, cc >= 80 && c->timing.known ? c->timing.l2_bytes / 4 * 3 : 0)
        A(109, cc >= 80 ? 134213632 : 0)
        A(111, c->shared_reserved)
        A(112, modern)
        A(113, 1)
        A(114, 0)
        A(115, 1)
        A(116, 0)
        A(117, 0)
        A(118, 0)
        A(119, 1)
        A(120, 0) /* clusters are not simulated yet */
        A(121, 0)
        A(125, 0)
        A(126, 1)
        A(130, 0)
        A(131, -1)
        A(133, 0)
        A(134, -1)
        A(139, 0)
        A(140, 0)
#undef A
    default: *known = attribute >= 92 && attribute <= 147; return 0;
    }
}

int core_attribute(int ordinal, int attribute, int *value)
{
    sim_card c;
    const int code = core_card(ordinal, &c);
    if (code) return code;
    bool known;
    const int v = of_card(&c, ordinal, attribute, &known);
    if (!known) return E_InvalidValue;
    *value = v;
    return E_OK;
}
