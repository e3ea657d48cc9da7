#define NONE 0xffffffffu

typedef unsigned long long word;

__shared__ volatile int changes; // a log of one's own, in place of what the head says

/* The first half of taking a buffer: which one is on top, and which lies below it? */
__device__ void look(volatile word *head, volatile unsigned *next, word *seen, unsigned *below)
{
    *seen = *head;
    unsigned top = (unsigned)*seen;
    *below = top == NONE ? NONE : next[top];
}

/* The second half: if the head is still as it was seen, the one below becomes the top. */
__device__ bool remove_top(word *head, word seen, unsigned below)
{
    return atomicCAS(head, seen, (word)below) == seen;
}

__device__ unsigned take(word *head, unsigned *next)
{
    word seen;
    changes++;
    unsigned below;
    do {
        look(head, next, &seen, &below);
    } while ((unsigned)seen != NONE && !remove_top(head, seen, below));
    return (unsigned)seen;
}

__device__ void give(word *head, volatile unsigned *next, unsigned mine)
{
    word seen;
    changes++;
    do {
        seen = *(volatile word *)head;
        next[mine] = (unsigned)seen;
        __threadfence();
    } while (atomicCAS(head, seen, (word)mine) != seen);
}

extern "C" __global__ void
pool(const int *moves, word *heads, unsigned *nexts, int size, int *held, int *retries)
{
    word *head = heads + blockIdx.x, seen;
    unsigned *next = nexts + blockIdx.x * size, below;
    int *mine = held + blockIdx.x * size;
    bool slow = threadIdx.x == 0, busy = threadIdx.x == 32;

    if (slow) {
        changes = 0;
        look(head, next, &seen, &below);
    }
    __syncthreads();
    if (busy && moves[blockIdx.x]) {
        int move = moves[blockIdx.x];
        unsigned first = take(head, next);
        if (move == 1) {
            give(head, next, first);
        } else if (move == 2) {
            mine[take(head, next)]++;
            give(head, next, first);
        } else {
            mine[first]++;
        }
    }
    __syncthreads();
    if (slow) {
        bool again = changes != 0;
        if (again)
            atomicCAS(head, ~(word)0, 0); // for the number of attempts alone
        else
            remove_top(head, seen, below);
        unsigned got = again ? take(head, next) : (unsigned)seen;
        retries[blockIdx.x] = again;
        mine[got]++;
        while ((got = take(head, next)) != NONE)
            mine[got]++;
    }
}
