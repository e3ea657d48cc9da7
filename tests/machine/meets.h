/* meets.h: programs whose lanes diverge in ways that "if" and "while" alone do not produce. Built
 * for the GPU (meets.cu) and for one thread at a time on the host (tests/unit/meets.c).
 *
 * SEE(p) notes which lanes are at point p together in this turn; all lanes that pass it should be.
 * At SEE_APART(p, way) only lanes that came the same way should be together: there the branch has
 * more places to reconverge than a card uses. PROGRAM(name) begins a function of `lane` and
 * `turns`; choice(lane, turn) says which way a lane goes. */

static PLACE unsigned choice(unsigned lane, unsigned turn) { return (lane * 7 + turn * 5 + 3) * 2654435761u >> 28; }

/* a || b: one of the two sides is reached from two tests. */
PROGRAM(either)
{
    unsigned turn = 0, c = choice(lane, turn);
    bool yes = c & 1;
    if (!yes) {
        SEE(0);
        if (!(c & 2)) {
            SEE(1);
            goto end;
        }
    }
    SEE(2);
end:
    SEE(3);
}

/* A jump out of an "if", past the code that follows it. */
PROGRAM(turn_off)
{
    unsigned turn = 0, c = choice(lane, turn);
    if (c & 1) {
        SEE(0);
        if (c & 2) goto end;
        SEE(1);
    } else {
        SEE(2);
    }
    SEE(3);
end:
    SEE(4);
}

/* The same jump from both sides. */
PROGRAM(turn_off_twice)
{
    unsigned turn = 0, c = choice(lane, turn);
    if (c & 1) {
        SEE(0);
        if (c & 2) goto end;
        SEE(1);
    } else {
        SEE(2);
        if (c & 4) goto end;
        SEE(3);
    }
    SEE(4);
end:
    SEE(5);
}

/* Two jumps out, to one place after the other: the nearer place is not used. */
PROGRAM(turn_off_far)
{
    unsigned turn = 0, c = choice(lane, turn);
    if (c & 1) {
        SEE(0);
        if (c & 2) {
            SEE(1);
            if (c & 4) goto end;
            goto near;
        }
        SEE(2);
    }
    SEE_APART(3, c & 1);
near:
    SEE(4);
    if (c & 8) SEE(5);
end:
    SEE(6);
}

PROGRAM(end_early)
{
    unsigned turn = 0, c = choice(lane, turn);
    if (c & 1) {
        SEE(0);
        if (c & 2) return;
        SEE(1);
    }
    SEE(2);
}

PROGRAM(leave_loop)
{
    for (unsigned turn = 0; turn < turns; turn++) {
        unsigned c = choice(lane, turn);
        SEE(0);
        if (c & 1) {
            SEE(1);
            if ((c & 14) == 2) break;
            SEE(2);
        }
        SEE(3);
    }
    unsigned turn = 0;
    SEE(4);
}

PROGRAM(next_turn)
{
    for (unsigned turn = 0; turn < turns; turn++) {
        unsigned c = choice(lane, turn);
        SEE(0);
        if (c & 1) {
            SEE(1);
            if (c & 2) continue;
            SEE(2);
        }
        SEE(3);
    }
}

/* A break out of the inner one of two loops ... */
PROGRAM(leave_inner)
{
    unsigned turn = 0;
    for (unsigned outer = 0; outer < turns; outer++) {
        turn = outer * turns;
        SEE(0);
        for (unsigned inner = 0; inner < lane % 7 + 1; inner++) {
            unsigned c;
            turn = outer * turns + inner;
            c = choice(lane, turn);
            SEE(1);
            if (c & 1) {
                SEE(2);
                if ((c & 14) == 2) break;
                SEE(3);
            }
            SEE(4);
        }
        turn = outer * turns;
        SEE(5);
    }
    turn = 0;
    SEE(6);
}

/* ... and out of both. */
PROGRAM(leave_both)
{
    unsigned turn = 0;
    for (unsigned outer = 0; outer < turns; outer++) {
        turn = outer * turns;
        SEE(0);
        for (unsigned inner = 0; inner < lane % 7 + 1; inner++) {
            unsigned c;
            turn = outer * turns + inner;
            c = choice(lane, turn);
            SEE(1);
            if (c & 1) {
                SEE(2);
                if ((c & 14) == 2) goto end;
                SEE(3);
            }
            SEE(4);
        }
        turn = outer * turns;
        SEE(5);
    }
end:
    turn = 0;
    SEE(6);
}

/* A loop that ends only by a jump from its body. */
PROGRAM(leave_endless)
{
    unsigned turn = 0;
    for (;;) {
        unsigned c = choice(lane, turn);
        SEE(0);
        if (c & 1) {
            SEE(1);
            if (c & 2) {
                SEE(2);
                if (turn >= lane % 8) break;
            } else {
                SEE(3);
            }
        }
        SEE(4);
        turn++;
    }
    turn = 0;
    SEE(5);
}

/* A loop with two exits to different places: at the exit from the body, only lanes that leave in
 * the same turn are together. */
PROGRAM(leave_to_two)
{
    unsigned turn;
    for (turn = 0; turn < turns; turn++) {
        unsigned c = choice(lane, turn);
        SEE(0);
        if (c & 1) {
            SEE(1);
            if (c == 5) goto found;
        }
        SEE(2);
    }
    turn = 0;
    SEE(3);
    goto end;
found:
    SEE(4);
    turn = 0;
end:
    SEE(5);
}

/* A switch of many ways, one of which leaves the loop. */
PROGRAM(leave_switch)
{
    unsigned turn;
    for (turn = 0; turn < turns; turn++) {
        unsigned c = choice(lane, turn);
        SEE(0);
        switch (c) {
        case 0: SEE(1); break;
        case 5: SEE(2); break;
        case 9: goto end;
        case 11: SEE(3); break;
        }
        SEE(5);
    }
end:
    turn = 0;
    SEE(6);
}

/* "and" within "or": two paths lead to the second "and". */
PROGRAM(either_both)
{
    unsigned turn = 0, c = choice(lane, turn), d = choice(lane, turn + 1);
    if (c & 1) {
        SEE(0);
        if (d & 1) goto yes;
    }
    SEE_APART(1, c & 1);
    if (c & 2) {
        SEE_APART(2, c & 1);
        if (d & 2) goto yes;
    }
    SEE_APART(3, (c & 1) + 2 * (c & 2));
    goto end;
yes:
    SEE(4);
end:
    SEE(5);
}

/* Some cases of a switch continue after it. The others are reached from two sides, and jump to
 * many blocks before that: no lane waits there. */
PROGRAM(behind_switch)
{
    unsigned turn;
    for (turn = 0; turn < turns; turn++) {
        unsigned c = choice(lane, turn), d = choice(lane, turn + 1);
        SEE(0);
        switch (c) {
        case 8:
        case 9:
        case 10:
        case 11: SEE(1); continue;
        case 12:
        case 13: SEE(2); break;
        case 14: SEE(3); break;
        case 15: SEE(4); break;
        default: SEE(5); continue;
        }
        SEE(6);
        if (d & 1) continue;
        SEE(7);
    }
    turn = 0;
    SEE(8);
}
