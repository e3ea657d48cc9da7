# PTX of answers is folded and unfolded (scripts/ptx-fold.awk, ptx-unfold.awk): written by hand here, both ways.
. tests/cases.sh
scripts=$PWD/scripts
cd "$TMPDIR" || exit 1
mkdir -p in/0-add out/0-add

# Reading: lines are replaced, inserted and left out; places move; line 0 of the source stays. A line that is kept keeps
# its place, also the last one.
cat >lesson.answers <<'X'
# a comment
sources lessons/01-x/exercises
@ 0-add/solution 11-22
.version 6.3
.visible .entry add(
	.param .u64 p
)
{
	.reg .b32 	%r<3>;
1	mov.u32 	%r1, %tid.x;
0	mov.u32 	%r2, 7;
3	add.s32 	%r1, %r1, %r2;
	ret;
}
@ 0-add/wrong-less 33-44 like 0-add/solution
places 2 +2
8:
	mov.u32 	%r2, 6;
9+:
9	bar.sync 	0;
10:
@ 0-add/wrong-none 5-6 like 0-add/wrong-less
6-10:
	ret;
X
awk -v folder=out -f "$scripts/ptx-unfold.awk" lesson.answers
cat >expected <<'X'
// Unfolded from tests/exercises: do not edit.
// source: lessons/01-x/exercises/0-add/wrong-less.cu 33-44
.version 6.3
.visible .entry add(
	.param .u64 p
)
{
	.reg .b32 	%r<3>;
	.loc	1 1 0
	mov.u32 	%r1, %tid.x;
	mov.u32 	%r2, 6;
	.loc	1 5 0
	add.s32 	%r1, %r1, %r2;
	.loc	1 9 0
	bar.sync 	0;
	.loc	1 5 0
}
	.file	1 "lessons/01-x/exercises/0-add/wrong-less.cu"
X
cmp -s expected out/0-add/wrong-less.ptx; ok $? "an answer like another: $(diff expected out/0-add/wrong-less.ptx)"
said=$(sed -n '3,$p' out/0-add/wrong-none.ptx | tr -d '\t\n')
[ "$said" = '.version 6.3.visible .entry add(.param .u64 p){ret;.loc1 5 0}.file1 "lessons/01-x/exercises/0-add/wrong-none.cu"' ]
ok $? "an answer like one that is like another: $said"
awk -v want=0-add/wrong-less -f "$scripts/ptx-unfold.awk" lesson.answers >one
cmp -s expected one; ok $? "one alone: $(diff expected one)"

# Writing: another register before all others, and the line of the source one further down, are no difference.
cat >in/0-add/solution.ptx <<'X'
// source: lessons/01-x/exercises/0-add/solution.cu 1-2
.version 6.3
.visible .entry add(
	.param .u64 p
)
{
	.reg .b32 	%r<4>;
	.loc	1 4 0
	mov.u32 	%r1, %tid.x;
	.loc	1 5 0
	add.s32 	%r2, %r1, %r1;
	st.global.u32 	[p], %r2;
$L__BB0_1:
	bra 	$L__BB0_1;
}
	.file	1 "lessons/01-x/exercises/0-add/solution.cu"
X
cat >in/0-add/other.ptx <<'X'
// source: lessons/01-x/exercises/0-add/other.cu 3-4
.version 6.3
.visible .entry add(
	.param .u64 p
)
{
	.reg .b32 	%r<4>;
	.loc	1 5 0
	mov.u32 	%r2, %tid.x;
	.loc	1 6 0
	add.s32 	%r3, %r2, %r2;
	mov.u32 	%r1, 9;
	add.s32 	%r3, %r3, %r1;
	st.global.u32 	[p], %r3;
$L__BB0_7:
	bra 	$L__BB0_7;
}
	.file	1 "lessons/01-x/exercises/0-add/other.cu"
X
(cd in && awk -v tmp="$TMPDIR" -v sources=lessons/01-x/exercises -f "$scripts/ptx-fold.awk" 0-add/solution.ptx 0-add/other.ptx) >folded
sed -n '/^@ 0-add\/other/,$p' folded >other
printf '@ 0-add/other 3-4 like 0-add/solution\nplaces 4 +1\n8+:\n\tmov.u32 \t%%r3, 9;\n\tadd.s32 \t%%r2, %%r2, %%r3;\n' >expected
cmp -s expected other; ok $? "only what is different is kept: $(diff expected other)"
awk -v want=0-add/other -f "$scripts/ptx-unfold.awk" folded | grep -c 'loc.1 6 0' | grep -q 1
ok $? "its places are those of its own source"
for want in solution other; do
    [ "$(awk -v want=0-add/$want -f "$scripts/ptx-unfold.awk" folded | grep -cv '^//')" = "$(grep -cv '^//' in/0-add/$want.ptx)" ]
    ok $? "$want has as many lines as before"
done
finish
