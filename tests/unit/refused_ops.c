/* refused_ops.c: integer, logic, comparison, move, video and warp instructions with a type, suffix
 * or operand that they do not have. Each must be refused when the module loads: running an
 * instruction that is half understood would be worse. */
#include "ops.h"

static const char *const lines[] = {
    "add.b32 %r0,%r1,%r2;",
    "add.u8 %r0,%r1,%r2;",
    "add.sat.u32 %r0,%r1,%r2;",
    "add.sat.s64 %d0,%d1,%d2;",
    "add.cc.u16 %h0,%h1,%h2;",
    "add.cc.sat.s32 %r0,%r1,%r2;",
    "add.hi.u32 %r0,%r1,%r2;",
    "add.u32 %r0,%r1;",
    "add.u32 %r0,%r1,%r2,%r3;",
    "add.u32 %r0,%r1,%d2;",
    "add.u32 %d0,%r1,%r2;",
    "add.u32 %r0,%r1,!%r2;",
    "add.u32 7,%r1,%r2;",
    "sub.u16x2 %r0,%r1,%r2;",
    "mul.u32 %r0,%r1,%r2;",
    "mul.wide.u64 %d0,%d1,%d2;",
    "mul.lo.sat.s32 %r0,%r1,%r2;",
    "mul.lo.hi.s32 %r0,%r1,%r2;",
    "mad.lo.sat.s32 %r0,%r1,%r2,%r3;",
    "mad.hi.sat.u32 %r0,%r1,%r2,%r3;",
    "mad.wide.cc.u32 %d0,%r1,%r2,%d3;",
    "div.lo.u32 %r0,%r1,%r2;",
    "div.u16x2 %r0,%r1,%r2;",
    "abs.u32 %r0,%r1;",
    "neg.b32 %r0,%r1;",
    "min.relu.u32 %r0,%r1,%r2;",
    "max.relu.s16 %h0,%h1,%h2;",
    "addc.cc.u16 %h0,%h1,%h2;",
    "madc.u32 %r0,%r1,%r2,%r3;",
    "mul24.u32 %r0,%r1,%r2;",
    "mul24.lo.u64 %d0,%d1,%d2;",
    "mad24.lo.sat.s32 %r0,%r1,%r2,%r3;",
    "sad.b32 %r0,%r1,%r2,%r3;",
    "popc.u32 %r0,%r1;",
    "popc.b64 %d0,%d1;",
    "clz.b16 %r0,%h1;",
    "bfind.b32 %r0,%r1;",
    "brev.u32 %r0,%r1;",
    "bfe.b32 %r0,%r1,%r2,%r3;",
    "bfi.u32 %r0,%r1,%r2,%r3,%r4;",
    "szext.u32 %r0,%r1,%r2;",
    "bmsk.wrap.u32 %r0,%r1,%r2;",
    "dp4a.u32 %r0,%r1,%r2,%r3;",
    "dp2a.u32.u32 %r0,%r1,%r2,%r3;",
    "setmaxnreg.inc.sync.aligned.u32 20;",
    "setmaxnreg.inc.sync.aligned.u32 260;",
    "setmaxnreg.dec.sync.aligned.u32 36;",
    "setmaxnreg.inc.sync.aligned.u32 %r1;",
    "setmaxnreg.sync.aligned.u32 64;",
    "setmaxnreg.inc.aligned.u32 64;",
    "and.u32 %r0,%r1,%r2;",
    "and.b32 %p0,%p1,%p2;",
    "and.pred %p0,%p1,!%p2;",
    "not.pred %p0,!%p1;",
    "cnot.pred %p0,%p1;",
    "lop3.b32 %r0,%r1,%r2,%r3,256;",
    "lop3.b32 %r0,%r1,%r2,%r3,-1;",
    "lop3.b32 %r0,%r1,%r2,%r3,%r4;",
    "lop3.b64 %d0,%d1,%d2,%d3,1;",
    "lop3.xor.b32 %r0|%p0,%r1,%r2,%r3,1,%p1;",
    "lop3.or.b32 %r0,%r1,%r2,%r3,1,%p1;",
    "shl.u32 %r0,%r1,%r2;",
    "shl.s64 %d0,%d1,%r2;",
    "shl.b64 %d0,%d1,%d2;",
    "shr.wrap.u32 %r0,%r1,%r2;",
    "shf.l.b32 %r0,%r1,%r2,%r3;",
    "shf.wrap.b32 %r0,%r1,%r2,%r3;",
    "shf.l.wrap.b64 %d0,%d1,%d2,%r3;",
    "prmt.u32 %r0,%r1,%r2,%r3;",
    "prmt.b32.f4e.b4e %r0,%r1,%r2,%r3;",
    "selp.b32 %r0,%r1,%r2,%r3;",
    "selp.b32 %r0,%r1,%r2,!%p3;",
    "slct.u32.u32 %r0,%r1,%r2,%r3;",
    "slct.ftz.u32.s32 %r0,%r1,%r2,%r3;",
    "mov.u8 %h0,%h1;",
    "mov.b32 %r0,%d1;",
    "mov.b32 {%h0,%h1,%h2},%r1;",
    "mov.b32 {%r0,%r1},%r2;",
    "mov.b64 {%h0,%h1},%d1;",
    "mov.u32 {%h0,%h1},%r2;",
    "mov.b32 {%h0,%h1},{%h2,%h3};",
    "mov.pred %p0,!%p1;",
    "cvta.u64 %d0,%d1;",
    "cvta.global.b64 %d0,%d1;",
    "cvta.to.reg.u64 %d0,%d1;",
    "isspacep.tex %p0,%d1;",
    "setp.lt.b32 %p0,%r1,%r2;",
    "setp.lo.s32 %p0,%r1,%r2;",
    "setp.ltu.u32 %p0,%r1,%r2;",
    "setp.ftz.eq.u32 %p0,%r1,%r2;",
    "setp.eq.ftz.f64 %p0,%f1,%f2;",
    "setp.eq.and.u32 %p0,%r1,%r2;",
    "setp.eq.u32 %p0,%r1,%r2,%p3;",
    "setp.eq.u32 %r0,%r1,%r2;",
    "setp.eq.f16x2 %p0,%r1,%r2;",
    "setp.u32 %p0,%r1,%r2;",
    "set.eq.u32 %r0,%r1,%r2;",
    "set.eq.u64.u32 %d0,%r1,%r2;",
    "set.eq.u16.u32 %h0,%r1,%r2;",
    "set.eq.f16x2.f16 %r0,%h1,%h2;",
    "shfl.sync.up.b64 %d0,%d1,%r2,%r3,-1;",
    "shfl.sync.b32 %r0,%r1,%r2,%r3,-1;",
    "shfl.sync.up.b32 %r0,%r1,%r2,%r3;",
    "vote.sync.all.b32 %r0,%p1,-1;",
    "vote.sync.ballot.pred %p0,%p1,-1;",
    "match.sync.b32 %r0,%r1,-1;",
    "match.any.sync.b32 %r0|%p0,%r1,-1;",
    "match.any.b32 %r0,%r1,-1;",
    "match.any.sync.u32 %r0,%r1,-1;",
    "redux.sync.add.b32 %r0,%r1,-1;",
    "redux.sync.and.u32 %r0,%r1,-1;",
    "redux.sync.add.f32 %r0,%r1,-1;",
    "redux.sync.add.u64 %d0,%d1,-1;",
    "redux.add.u32 %r0,%r1,-1;",
    "elect.sync %r0,-1;",
    "activemask.u32 %r0;",
    "add.u16 %r0,%r1,%r2;",
    "add.u32 %h0,%h1,%h2;",
    "vadd.u32.u32.u32 %h0,%r1,%r2;",
    "setp.eq.u16 %p0,%r1,%r2;",
    "vadd.u32.u32 %r0,%r1,%r2;",
    "vadd.u32.u32.b32 %r0,%r1,%r2;",
    "vadd.u32.u32.u32 %r0,%r1.b4,%r2;",
    "vadd.u32.u32.u32 %r0,%r1.b10,%r2;",
    "vadd.u32.u32.u32 %r0,%r1,%r2,%r3;",
    "vadd.u32.u32.u32.add %r0,%r1,%r2;",
    "vadd.u32.u32.u32.add %r0.b0,%r1,%r2,%r3;",
    "vadd.u32.u32.u32 %r0,-%r1,%r2;",
    "vshl.u32.u32.u32 %r0,%r1,%r2;",
    "vshl.u32.u32.s32.wrap %r0,%r1,%r2;",
    "vmad.s32.u32.u32.po %r0,-%r1,%r2,%r3;",
    "vmad.s32.u32.u32 %r0,-%r1,%r2,-%r3;",
    "vmad.s32.u32.u32 %r0.b0,%r1,%r2,%r3;",
    "vset.u32.u32 %r0,%r1,%r2;",
    "vadd2.u32.u32.u32 %r0,%r1,%r2;",
    "vadd2.u32.u32.u32 %r0,%r1.b10,%r2,%r3;",
    "vadd2.u32.u32.u32 %r0.h01,%r1,%r2,%r3;",
    "vadd2.u32.u32.u32.sat.add %r0,%r1,%r2,%r3;",
    "vadd4.u32.u32.u32 %r0,%r1.b10,%r2,%r3;",
    "vadd4.u32.u32.u32.min %r0,%r1,%r2,%r3;",
    "vavrg4.u32.u32.u32 %r0.b4,%r1,%r2,%r3;",
    "t: .branchtargets on; call %d1, (), t; on:", /* targets of branches are not a prototype */
    /* ptxas: "State space mismatch between instruction and address" */
    "{ .shared .b64 s; ld.global.u64 %d0,[s]; }",
    "{ .local .b64 x; st.shared.u64 [x],%d0; }",
    "{ .shared .b64 s; ld.param.u64 %d0,[s]; }",
    "{ .param .b64 p; ld.u64 %d0,[p]; }",
    "{ .param .b64 p; st.local.u64 [p],%d0; }",
    "{ .local .b64 x; atom.shared.add.u32 %r0,[x],1; }",
    "{ .local .b64 x; red.global.add.u32 [x],1; }",
    "{ .param .b64 p; atom.add.u32 %r0,[p],1; }",
    "{ .shared .b64 s; prefetch.global.L1 [s]; }",
};

int main(void)
{
    int ran = 0, failed = 0; /* one run: the parser does not depend on the instruction set */
    sim *s = open_card();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        for (int good = 0; good < 2; good++) { /* the frame alone must load */
            char text[600];
            sim_module *m = NULL;
            sim_error err;
            memset(&err, 0, sizeof err);
            int n =
                snprintf(text, sizeof text,
                         ".version 8.3\n.target sm_90\n.address_size 64\n.visible .entry k() {\n.reg .pred %%p<5>;\n"
                         ".reg .b16 %%h<5>;\n.reg .b32 %%r<5>;\n.reg .b64 %%d<5>;\n.reg .f64 %%f<5>;\n%s\nret;\n}\n",
                         good ? "" : lines[i]);
            int code = sim_load(s, "refused.ptx", text, (size_t)n, &m, &err);
            if (good && i) continue;
            ran++;
            if (good ? code == SIM_OK
                     : (code == SIM_E_REFUSED || code == SIM_E_SYNTAX) && err.line == 10 && err.message[0])
                continue;
            failed++;
            printf("FAIL %s: code %d, line %d: %s\n", good ? "the frame" : lines[i], code, err.line, err.message);
        }
    }
    sim_close(s);
    printf("%d passed, %d failed\n", ran - failed, failed);
    return failed != 0;
}
