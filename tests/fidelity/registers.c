/* registers.c: prints the simulator's estimate of registers per thread for every kernel of the PTX
 * files named, and what it takes for the least that there may be, one line each: FILE KERNEL REGISTERS
 * LEAST. registers.sh compares both with ptxas. */
#include "sim.h"
#include <stdio.h>
#include <stdlib.h>

static char text[4 << 20];

int main(int argc, char **argv)
{
    int missed = 0;
    if (argc < 3) return fprintf(stderr, "usage: registers CARD-FILE PTX-FILE ...\n"), 2;
    sim_card card;
    sim_error e;
    FILE *f = fopen(argv[1], "rb");
    size_t n = f ? fread(text, 1, sizeof text, f) : 0;
    if (f) fclose(f);
    text[n < sizeof text ? n : sizeof text - 1] = 0;
    if (sim_card_read(&card, text, argv[1], &e)) return fprintf(stderr, "%s: %s\n", argv[1], e.message), 2;
    for (int i = 2; i < argc; i++) {
        sim *s = NULL;
        sim_module *m;
        if (!(f = fopen(argv[i], "rb"))) return fprintf(stderr, "%s: cannot be read\n", argv[i]), 2;
        n = fread(text, 1, sizeof text, f);
        fclose(f);
        if (sim_open(&s, &card, &e) || sim_load(s, argv[i], text, n, &m, &e)) {
            fprintf(stderr, "%s: %s\n", argv[i], e.message);
            missed++;
        } else {
            for (int k = 0; k < sim_kernels(m); k++)
                printf("%s %s %d %d\n", argv[i], sim_kernel_at(m, k)->name, sim_kernel_at(m, k)->registers,
                       sim_kernel_at(m, k)->registers_least);
        }
        if (s) sim_close(s);
    }
    return missed != 0;
}
