# awk -v way=WAY -f attack.awk KERNEL.ptx: the same kernel with its loads and stores made another way. What it
# computes stays, and so does every fault in how it does it: which words it reads and writes, when, by whom. A goal
# that the kernel falls short of must be out of reach for the result too.
#
#   atomic        loads of words become atom.or with 0, stores atom.exch; atomic-read and atomic-write: one of the two;
#                 atomic-global and atomic-shared: those of one memory
#   generic       through generic addresses
#   mixed         by generic addresses, in five turns: eight lanes at a time (in the last none) reach what
#                 is wanted, the others local memory
#   volatile      ld.volatile, st.volatile
#   uncached      ld.cv, st.wt
#   bytes         four loads or stores of a byte for each word
#   memo          what was read is kept in local memory and read there when the same thread wants it again
#   leader        the first active lane loads for all, and hands the words on by shuffles
#   async         through the thread's place in shared memory, by cp.async
#   cluster       shared memory through its address in the cluster
#   unfused       a multiplication and an addition for each fused multiply-add of floats
#   tensor        a product of a warp's matrices for each addition of doubles: the numbers, and a matrix that picks each
#                 lane's own
#   object        an mbarrier for each barrier of the block, but for one before all others
#   alone         thread 0 of a row of threads does what all of them did, one after the other
#   idle          all threads go through that, and only thread 0 stores
#   one-block     block 0 of a row of blocks does what all of them did
#
# Words are of 4 bytes, for `atomic` also of 8; vectors go element by element. Whatever does not suit stays as it is:
# the text is then the same but for its first lines, which name a card that knows all of this.
BEGIN {
    turns = way ~ /^(alone|idle|one-block)$/
    number = way == "one-block" ? "%ctaid[.]x" : "%tid[.]x"
    size["u8"] = 1; size["u16"] = 2
    size["b32"] = size["u32"] = size["s32"] = size["f32"] = 4
    size["b64"] = size["u64"] = size["s64"] = size["f64"] = 8
}

# A turn for each thread (or block): attack_t is whose. It ends where the kernel did.
turns {
    if (/^[ \t]*(bar|barrier|shfl|vote|match|activemask|redux|elect)\./ && way != "one-block") unfit = 1
    if (of == "entry" && !starts) {
        gsub(number, "attack_t")
        if (/^[ \t]*(@!?%p[0-9]+[ \t]+)?ret;/) sub(/ret;/, "bra attack_end;")
        if (way == "idle" && /^[ \t]*(@!?%p[0-9]+[ \t]+)?(st\.(global|shared)|red|atom)\./) {
            print "\t@attack_q bra attack_past" ++made ";\n" $0 "\nattack_past" made ":"
            next
        }
        if (/^}/) end()
    }
    if (/^}/) of = ""
}
/^\.version/ { print ".version 8.6"; next }
/^\.target/ { print ".target sm_90a"; next }
/^[ \t]*(\.visible|\.weak)?[ \t]*\.(entry|func)/ { header = 1; of = /\.entry/ ? "entry" : "func" }
/^{/ && header { header = 0; starts = 1; print; next }
starts && !/^[ \t]*(\.(reg|local|shared|loc)|\/\/|$)/ {
    starts = 0
    begin()
    if (turns && of == "entry") gsub(number, "attack_t")
}

/^[ \t]*(@!?%p[0-9]+[ \t]+)?(ld|st)\.[a-z0-9.]*(global|shared)\.[a-z0-9.]*[ \t]/ {
    if (take($0)) { made++; next }
}
way == "unfused" && /^[ \t]*fma\.rn\.f32[ \t]/ {
    gsub(/[,;]/, " ")
    print "\t{ .reg .f32 V; mul.rn.f32 V, " $3 ", " $4 "; add.rn.f32 " $2 ", V, " $5 "; }"
    made++
    next
}
way == "tensor" && /^[ \t]*add\.(rn\.)?f64[ \t]/ {
    gsub(/[,;]/, " ")
    print "\t{ .reg .f64 A, B, C, Z; .reg .b32 L, K; .reg .pred Q; mov.u32 L, %laneid; and.b32 K, L, 3; shl.b32 K, K, 1;"
    print "\tshr.u32 L, L, 2; setp.eq.u32 Q, L, K; selp.f64 B, 1.0, 0.0, Q; mov.f64 Z, 0.0; mov.f64 A, " $4 "; mov.f64 C, " $3 ";"
    print "\tmma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {C, Z}, {A}, {B}, {C, Z}; mov.f64 " $2 ", C; }"
    made++
    next
}
way == "object" && /^[ \t]*(@!?%p[0-9]+[ \t]+)?bar(rier)?\.sync([.]aligned)?[ \t]+0;/ {
    if (/@/) unfit = 1
    made++
    print "\t{ .reg .b64 S; .reg .pred Q; mbarrier.arrive.shared.b64 S, [attack_object];"
    print "attack_wait" made ": mbarrier.try_wait.shared.b64 Q, [attack_object], S; @!Q bra attack_wait" made "; }"
    next
}
{ print }
END { exit !made || unfit ? 3 : 0 }

# What the bodies of functions need: a place in local memory, written before it is read.
function begin(   i)
{
    if (way == "mixed") print "\t.local .align 4 .b8 attack_other[4];\n\tst.local.u32 [attack_other], 0;"
    if (way == "async") print "\t.shared .align 4 .b8 attack_place[4096];"
    if (way == "object" && of == "entry") {
        print "\t.shared .align 8 .b8 attack_object[8];\n\t{ .reg .b32 X, Y, Z, N; .reg .pred Q; mov.u32 X, %tid.x;"
        print "\tmov.u32 Y, %tid.y; mov.u32 Z, %tid.z; or.b32 X, X, Y; or.b32 X, X, Z; setp.eq.u32 Q, X, 0; mov.u32 X, %ntid.x;"
        print "\tmov.u32 Y, %ntid.y; mov.u32 Z, %ntid.z; mul.lo.u32 N, X, Y; mul.lo.u32 N, N, Z;"
        print "\t@Q mbarrier.init.shared.b64 [attack_object], N; bar.sync 0; }"
    }
    if (turns && of == "entry") {
        print "\t.reg .b32 attack_t; .reg .pred attack_q;"
        print "\tmov.u32 attack_t, " (way == "one-block" ? "%ctaid.x" : "%tid.x") "; setp.ne.u32 attack_q, attack_t, 0;"
        if (way != "idle") print "\t@attack_q ret;"
        print "\tmov.u32 attack_t, 0;\nattack_turn:"
        made++
    }
    if (way != "memo") return
    print "\t.local .align 8 .b8 attack_memo[128];"
    for (i = 0; i < 8; i++) print "\tst.local.u64 [attack_memo+" 16 * i "], 0;"
}

function end()
{
    print "attack_end:\n\t{ .reg .b32 N; .reg .pred Q;" (way == "one-block" ? " bar.sync 0;" : "")
    print "\tmov.u32 N, " (way == "one-block" ? "%nctaid.x" : "%ntid.x") ";"
    print "\tadd.u32 attack_t, attack_t, 1; setp.lt.u32 Q, attack_t, N; @Q bra attack_turn; }\n\tret;"
}

# Splits a load or store; prints what takes its place. False: nothing does.
function take(line,   guard, part, n, i, text)
{
    sub(/[ \t]*(\/\/.*)?$/, "", line); sub(/^[ \t]*/, "", line); sub(/;$/, "", line)
    if (match(line, /^@!?%p[0-9]+/)) { guard = substr(line, 1, RLENGTH); sub(/^@!?%p[0-9]+[ \t]*/, "", line) }
    n = split(line, part, /[ \t]+/)
    split(part[1], said, ".")
    load = said[1] == "ld"
    space = part[1] ~ /\.global/ ? "global" : "shared"
    type = part[1]; sub(/.*\./, "", type)
    bytes = size[type]
    text = substr(line, length(part[1]) + 1); gsub(/[ \t{}]/, "", text)
    at = text; sub(/^[^[]*\[/, "", at); sub(/\].*/, "", at)
    sub(/\[[^]]*\]/, "", text); sub(/^,/, "", text); sub(/,$/, "", text)
    words = split(text, word, ",")
    base = at; sub(/\+.*/, "", base)
    offset = at ~ /\+/ ? at : "+0"; sub(/^[^+]*\+/, "", offset)
    for (i = 1; i <= words; i++) {
        text = made_of(word[i], offset + (i - 1) * bytes)
        if (text == "") return 0 # the first says so
        if (i == 1 && guard)
            print "\t@" (guard ~ /!/ ? "" : "!") substr(guard, guard ~ /!/ ? 3 : 2) " bra attack_past" made ";"
        print text
    }
    if (guard) print "attack_past" made ":"
    return 1
}

function address(off) { return "[" base "+" off "]" }

# The address of a word in a register of 64 bits, A, as one of its space; or in one of 32 bits, S.
function wide(off)
{
    if (base ~ /^%rd/) return "add.s64 A, " base ", " off ";"
    if (base ~ /^%r/) return "cvt.u64.u32 A, " base "; add.s64 A, A, " off ";"
    return "mov.u64 A, " base "; add.s64 A, A, " off ";"
}
function narrow(off)
{
    if (base ~ /^%rd/) return "cvt.u32.u64 S, " base "; add.s32 S, S, " off ";"
    if (base ~ /^%r/) return "add.s32 S, " base ", " off ";"
    return "mov.u32 S, " base "; add.s32 S, S, " off ";"
}
# V gets what a store is to write; a number is written as its type.
function value(what)
{
    if (what ~ /^%rd/ && bytes == 4) return "cvt.u32.u64 V, " what ";"
    if (what ~ /^%/) return "mov.b" 8 * bytes " V, " what ";"
    return "{ .reg ." type " N; mov." type " N, " what "; mov.b" 8 * bytes " V, N; }"
}
# What a load was to fill gets a word; a register of 64 bits gets it extended.
function fill(what, from)
{
    if (what ~ /^%rd/ && bytes == 4) return (type ~ /^s/ ? "cvt.s64.s32 " : "cvt.u64.u32 ") what ", " from ";"
    return "mov.b" 8 * bytes " " what ", " from ";"
}
function result(what) { return fill(what, "V") " }" }

function made_of(what, off,   bits, both, i, t, id)
{
    bits = 8 * bytes
    id = "_" ++ids
    both = load ? what ", " address(off) : address(off) ", " what
    if (way == "volatile") return "\t" said[1] ".volatile." space "." type " " both ";"
    if (way == "uncached" && space == "global") return "\t" said[1] ".global." (load ? "cv." : "wt.") type " " both ";"
    if (way == "generic") {
        t = "\t{ .reg .b64 A; " wide(off) " cvta." space ".u64 A, A; "
        return t said[1] "." type " " (load ? what ", [A]" : "[A], " what) "; }"
    }
    if (way == "cluster" && space == "shared") {
        t = "\t{ .reg .b32 S, R; " narrow(off) " mov.u32 R, %cluster_ctarank; mapa.shared::cluster.u32 S, S, R; "
        return t said[1] ".shared::cluster." type " " (load ? what ", [S]" : "[S], " what) "; }"
    }
    if (bytes < 4) return ""
    if (way == "atomic" || way == "atomic-" space || way == "atomic-" (load ? "read" : "write")) {
        t = "\t{ .reg .b" bits " V, O; "
        if (load) return t "atom." space ".or.b" bits " V, " address(off) ", 0; " result(what)
        return t value(what) " atom." space ".exch.b" bits " O, " address(off) ", V; }"
    }
    if (bytes > 4) return ""
    if (way == "bytes") {
        t = "\t{ .reg .b32 V, B; " (load ? "mov.u32 V, 0;" : value(what))
        for (i = 0; i < 4; i++)
            t = t (load ? " ld." space ".u8 B, " address(off + i) "; shl.b32 B, B, " 8 * i "; or.b32 V, V, B;" \
                        : " shr.u32 B, V, " 8 * i "; st." space ".u8 " address(off + i) ", B;")
        return t (load ? " " result(what) : " }")
    }
    if (way == "mixed" && space == "global") {
        t = "\t{ .reg .b64 A, L, W; .reg .b32 V, K, I; .reg .pred Q; " wide(off) " cvta.global.u64 A, A;"
        t = t "\n\tmov.u64 L, attack_other; cvta.local.u64 L, L; mov.u32 K, %laneid; shr.u32 K, K, 3; mov.u32 I, 0;"
        t = t (load ? "" : " " value(what)) "\nattack_part" id ": setp.eq.u32 Q, K, I; selp.b64 W, A, L, Q; "
        t = t (load ? "ld.u32 V, [W]; @Q " fill(what, "V") : "st.u32 [W], V;")
        return t " add.u32 I, I, 1; setp.lt.u32 Q, I, 5; @Q bra attack_part" id "; }"
    }
    if (!load || space != "global") return ""
    if (way == "memo") { # eight places of an address and what lay there
        t = "\t{ .reg .b64 A, M, T; .reg .b32 V; .reg .pred Q; " wide(off) " shr.u64 M, A, 10; and.b64 M, M, 7;"
        t = t "\n\tshl.b64 M, M, 4; mov.u64 T, attack_memo; add.s64 M, M, T; ld.local.u64 T, [M]; setp.eq.u64 Q, T, A;"
        t = t "\n\t@Q bra attack_hit" id "; ld.global.u32 V, [A]; st.local.u64 [M], A; st.local.u32 [M+8], V;"
        t = t "\n\tbra attack_done" id ";\nattack_hit" id ": ld.local.u32 V, [M+8];\nattack_done" id ": "
        return t result(what)
    }
    if (way == "leader") { # M: all, R: those whose turn is still to come, F: the first, I: whose turn it is
        t = "\t{ .reg .b64 A, B; .reg .b32 V, M, R, I, K, F, L, H; .reg .pred Q, P; " wide(off) " activemask.b32 M;"
        t = t "\n\tmov.b32 R, M; mov.u32 V, 0; mov.u32 K, %laneid; brev.b32 F, M; bfind.shiftamt.u32 F, F;"
        t = t "\nattack_next" id ": brev.b32 I, R; bfind.shiftamt.u32 I, I; mov.b64 {L, H}, A;"
        t = t "\n\tshfl.sync.idx.b32 L, L, I, 31, M; shfl.sync.idx.b32 H, H, I, 31, M; mov.b64 B, {L, H};"
        t = t "\n\tsetp.eq.u32 Q, K, F; @Q ld.global.u32 V, [B]; shfl.sync.idx.b32 L, V, F, 31, M;"
        t = t "\n\tsetp.eq.u32 P, K, I; @P " fill(what, "L") " add.u32 L, R, -1; and.b32 R, R, L;"
        return t "\n\tsetp.ne.u32 P, R, 0; @P bra attack_next" id "; }"
    }
    if (way == "async") { # S: the place of the thread
        t = "\t{ .reg .b64 A; .reg .b32 V, S, N; " wide(off) " mov.u32 S, %tid.z; mov.u32 N, %ntid.y;"
        t = t "\n\tmul.lo.u32 S, S, N; mov.u32 N, %tid.y; add.u32 S, S, N; mov.u32 N, %ntid.x; mul.lo.u32 S, S, N;"
        t = t "\n\tmov.u32 N, %tid.x; add.u32 S, S, N; shl.b32 S, S, 2; mov.u32 N, attack_place; add.u32 S, S, N;"
        t = t "\n\tcp.async.ca.shared.global [S], [A], 4; cp.async.wait_all; ld.shared.u32 V, [S]; "
        return t result(what)
    }
    return ""
}
