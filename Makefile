# warpstep: `make` builds ./warpstep, `make run` starts it, `make test` tests it.
#
# Settings, on the command line or in the environment:
#   READLINE=auto|yes|no   use GNU Readline: if found (default), or fail without it, or never
#   SANITIZER=address,undefined   build with sanitizers (an object folder of its own)
#   DEVELOPER=1            warnings are errors
#   OPT=-O2                optimisation of everything but the simulator's operations (always -O3)
#   HARDEN=no              leave out hardening (default: all that the compiler and linker have)
#   ISAS="base avx2"       instruction sets for those operations (default: all the compiler knows)
#   CXX=                   C++ compiler, for a lesson's program (default: the one that belongs to CC)
#   V=1                    show the commands
#   PREFIX=/usr/local      where `make install` and `make uninstall` work, below DESTDIR= if given
#   RUN=qemu-aarch64       what runs a program that CC made for another machine, for `make install`

READLINE ?= auto
OPT ?= -O2
SANITIZER ?=
DEVELOPER ?=

SHELL := /bin/sh

# All cores, unless -j was given. A -j on the command line wins over this setting; one from a parent
# make is in the environment (make before 4.4 does not show it in MAKEFLAGS at this point). `make
# clean all` runs one target after the other.
jobs_given := $(filter -j% --j%,$(MAKEFLAGS) $(shell echo "$$MAKEFLAGS"))
ifeq (,$(jobs_given)$(filter clean uninstall,$(MAKECMDGOALS)))
MAKEFLAGS += -j$(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
endif

target := $(shell $(CC) -dumpmachine 2>/dev/null)
comma := ,
mode := $(if $(SANITIZER),san-$(subst $(comma),-,$(SANITIZER)),release)
O := build/$(mode)
Q := $(if $(V),,@)

# Said once, where every command would say it.
ifneq (,$(filter-out help uninstall clean,$(or $(MAKECMDGOALS),all)))
ifneq (yes,$(shell mkdir -p $(O) 2>/dev/null && test -w . && test -w $(O) && echo yes))
$(error cannot write $(O) here ($(CURDIR)): it is read-only, or of another user. Copy the source to a folder of yours \
        and build there)
endif
endif
say = $(if $(V),@:,@printf '%s  %-7s %s\n' '$(nth)')

# ---- flags ----
WARN := -Wall -Wextra -Wpedantic -Wshadow -Wpointer-arith -Wcast-qual -Wwrite-strings -Wstrict-prototypes \
        -Wmissing-prototypes -Wold-style-definition -Wvla -Wundef -Wformat=2
WARN += $(if $(DEVELOPER),-Werror)
# Outside development, lines for backtraces alone: compiling takes a tenth less time than with all
# that a debugger may ask for.
DEBUG := $(if $(DEVELOPER)$(SANITIZER),-g,-g1)
# Two builds in different folders are the same: what the compiler notes of a file is its name from here.
export PWD := $(CURDIR)
quote := '
same_paths := '-ffile-prefix-map=$(subst $(quote),'\$(quote)',$(CURDIR))=.'
same_paths := $(if $(shell echo 'int a;' | $(CC) -Werror $(same_paths) -x c -c -o $(O)/probe - >/dev/null 2>&1 && echo yes),$(same_paths))
BASE := -std=c11 -D_POSIX_C_SOURCE=200809L -D_XOPEN_SOURCE=700 -pthread -ffp-contract=off $(WARN) $(DEBUG)
SAN := $(if $(SANITIZER),-fsanitize=$(SANITIZER) -fno-omit-frame-pointer -fno-sanitize-recover=all)
CFLAGS ?=
ALL_CFLAGS = $(BASE) $(OPT) $(HARDEN_CFLAGS) $(SAN) $(same_paths) $(CFLAGS)
LIBS := -lm -ldl -pthread

# The operations of the simulator and its clock are compiled once per instruction set. The program
# picks the best one at run time.
isa_flags_base :=
isa_flags_avx2 := -mavx2 -mfma -mbmi -mbmi2 -mlzcnt -mpopcnt -mf16c
isa_flags_avx512 := $(isa_flags_avx2) -mavx512f -mavx512dq -mavx512bw -mavx512vl -mprefer-vector-width=512
ifneq (,$(findstring x86_64,$(target)))
# A first `make run` or `make test` compiles for this processor only, which halves the wait. The next
# `make` adds the other instruction sets.
built := $(shell cat $(O)/isas 2>/dev/null)
native = $(shell $(CC) -march=native -dM -E -x c /dev/null 2>/dev/null | awk '{ has[$$2] = 1 } END { \
    print has["__AVX512BW__"] && has["__AVX512DQ__"] && has["__AVX512VL__"] ? "avx512" : \
          has["__AVX2__"] && has["__FMA__"] && has["__BMI2__"] && has["__F16C__"] ? "avx2" : "base" }')
ISAS ?= $(if $(filter-out run test,$(MAKECMDGOALS) $(if $(MAKECMDGOALS),,all)),base avx2 avx512,$(or $(built),$(native)))
else
ISAS ?= base
endif
override ISAS := $(ISAS)
# A C library of its own (musl-gcc) may lack the kernel's headers.
hash := \#
can_seal := $(shell echo '$(hash)include <linux/seccomp.h>' | $(CC) $(CFLAGS) -E -x c - >/dev/null 2>&1 && echo yes)
ifneq (,$(if $(can_seal),,$(findstring linux,$(target))))
$(warning no <linux/seccomp.h>: nothing will keep the answers of others from your files and processes)
endif

# ---- hardening: each option is probed by compiling and linking a program ----
# Sanitizers have checks of their own, so hardening is off with them. The checked functions of the C
# library need optimisation, and many compilers turn them on by default.
HARDEN ?= $(if $(SANITIZER),no,auto)
quiet_link = $(CC) $(CFLAGS) -Werror $(1) -x c - -o $(O)/probe >/dev/null 2>&1
probed = $(shell mkdir -p $(O) && echo 'int main(void){return 0;}' | $(call quiet_link,$(1)) && echo '$(1)'; rm -f $(O)/probe)
ifneq ($(HARDEN),no)
optimises := $(filter-out -O0,$(filter -O%,$(lastword $(filter -O%,$(OPT) $(CFLAGS)))))
has_fortify := $(shell mkdir -p $(O) && printf '\#include <string.h>\n\#ifndef _FORTIFY_SOURCE\n\#error no\n\#endif\nint main(void){return 0;}\n' | $(call quiet_link,$(optimises)) && echo yes)
HARDEN_CFLAGS := $(call probed,-fstack-protector-strong) $(call probed,-fcf-protection) $(if $(findstring -static,$(CC) $(CFLAGS)),,$(call probed,-fPIE -pie))
# A guard on every stack and a mark at every target of a call cost the simulator's operations 3 to
# 9 %: they are a few instructions each and called through a table. Their objects (EXEC_CFLAGS) are
# built without.
HARDEN_EXEC := $(if $(findstring -fstack,$(HARDEN_CFLAGS)),-fno-stack-protector) $(if $(findstring -fcf,$(HARDEN_CFLAGS)),-fcf-protection=return)
HARDEN_LDFLAGS := $(call probed,-Wl$(comma)-z$(comma)relro$(comma)-z$(comma)now) $(if $(findstring -pie,$(HARDEN_CFLAGS)),-pie)
HARDEN_CFLAGS := $(filter-out -pie,$(HARDEN_CFLAGS)) $(if $(optimises),$(if $(has_fortify),,$(call probed,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)))
endif

# The program and the libraries of sim/cuda share one set of objects. With hidden symbols,
# position-independent code is as fast as code made by -fPIE.
SIM_CFLAGS := -fPIC -fvisibility=hidden

EXEC_CFLAGS := -O3 -fno-strict-aliasing -fno-math-errno -fno-trapping-math $(HARDEN_EXEC)

# ---- Readline: probed by compiling and linking ----
# (An imitation of Readline lacks functions that we use, and says that it is older than 7.)
readline_probe = printf '\#include <stdio.h>\n\#include <readline/readline.h>\nint a[RL_READLINE_VERSION >= 0x700 ? 1 : -1];\nint main(void){return readline("")==0&&a[0];}\n' | \
                 $(CC) -x c - -lreadline -o /dev/null 2>/dev/null && echo yes
ifeq ($(READLINE),no)
have_readline :=
else
have_readline := $(shell $(readline_probe))
ifeq ($(READLINE)$(have_readline),yes)
$(error READLINE=yes, but <readline/readline.h> and -lreadline do not compile and link; install libreadline-dev)
endif
endif
ifeq ($(have_readline),yes)
READLINE_CFLAGS := -DHAVE_READLINE=1
LIBS += -lreadline
endif

# ---- a C++ compiler, for the programs of lessons that are C++: CXX, or else the one that belongs to CC ----
# Another one would build for another machine or C library, unless CC is the usual one of this computer.
ifeq ($(origin CXX),default)
cxx_names := $(shell echo '$(CC)' | sed -E -e 's,(^|[-/ ])clang(-[0-9.]+)?( |$$),\1clang++\2\3,' \
               -e 's,(^|[-/ ])gcc(-[0-9.]+)?( |$$),\1g++\2\3,' -e 's,(^|[-/ ])cc( |$$),\1c++\2,' | tr ' ' :)
cxx_names += $(if $(shell echo '$(CC)' | grep -E '(^|[/ ])(cc|gcc|clang)(-[0-9.]+)?$$'),g++ clang++)
else
cxx_names := $(shell echo '$(CXX)' | tr ' ' :)
endif
cxx := $(shell for name in $(cxx_names); do name=$$(echo $$name | tr : ' '); \
         echo 'int main() { delete new int; }' | $$name -x c++ -o $(O)/probe - >/dev/null 2>&1 && echo $$name && break; \
         done; rm -f $(O)/probe)

# ---- files ----
# sorted, since wildcard gives files in the folder's order in some versions of make
# Parts of clock.c, load_store.c, tensor.c and wgmma.c, which include them: what is hot is compiled as one.
parts := $(addprefix sim/clock/,issue.c course.c skip.c) \
         $(addprefix sim/exec/,quick.c product.c float_product.c fragment.c group_product.c)
exec_src := $(filter-out $(parts),$(sort $(wildcard sim/exec/*.c))) sim/clock/clock.c
sim_src := $(filter-out $(parts) $(exec_src) sim/cuda/%,$(sort $(wildcard sim/*.c sim/*/*.c)))
repl_src := $(sort $(wildcard repl/*.c repl/*/*.c))
sim_obj := $(sim_src:%.c=$(O)/%.o) $(foreach i,$(ISAS),$(exec_src:%.c=$(O)/%.$(i).o))
repl_obj := $(repl_src:%.c=$(O)/%.o) $(O)/repl/embedded.o
cuda_lib := $(O)/lib/warpstep
objects_of = $(patsubst %.c,$(O)/%.o,$(sort $(wildcard $(1))))
cuda_core_obj := $(call objects_of,sim/cuda/core/*.c sim/cuda/driver/*.c)
cuda_runtime_obj := $(call objects_of,sim/cuda/runtime/*.c)
cuda_blas_obj := $(call objects_of,sim/cuda/blas/*.c)
cuda_jitlink_obj := $(call objects_of,sim/cuda/jitlink/*.c)
cuda_versions := 11.0 12 13
cuda_face_obj := $(cuda_versions:%=$(O)/sim/cuda/face-%.o)
cuda_face_obj := $(cuda_face_obj:.0.o=.o)
cuda_headers := $(wildcard sim/cuda/include/*.h sim/cuda/include/*/* sim/device/*.h sim/device/*/*.h)
cuda_faces := $(cuda_versions:%=libcudart.so.%) libcublas.so.11 libcublas.so.12 libcublas.so.13 libnvJitLink.so.12 \
              libnvJitLink.so.13
# Whole programs that lessons run (lessons/README.md): built from their host half and the pinned PTX.
has_main := ^int main[(]
# PTX of the answers to exercises, unfolded.
answers_ptx := $(patsubst tests/exercises/%.answers,build/answers/%/made,$(wildcard tests/exercises/*.answers))
answers := $(patsubst lessons/%,$(cuda_lib)/answers/%,$(shell grep -l '$(has_main)' lessons/*/exercises/*/*.cu))
programs := $(patsubst kernels/%,$(cuda_lib)/programs/%,$(shell grep -l '$(has_main)' kernels/*/*.cu))
of_cplusplus := $(patsubst kernels/%,$(cuda_lib)/programs/%,$(shell grep -l 'host: C++' kernels/*/*.cu))
cuda_libs := $(cuda_lib)/libcuda.so.1 $(cuda_faces:%=$(cuda_lib)/%) $(cuda_lib)/include/made $(programs)
embedded := $(sort $(wildcard sim/device/*.h sim/device/*/*.h sim/cards/*.card sim/FIDELITY.md \
              lessons/glossary*.txt repl/words.*.txt repl/film/player*.* \
              repl/author/skeleton/*.* repl/author/skeleton/exercises/*/*))
# The progress of a first build: "[37/250]" of all that is made for `all` and was missing when make began. What is
# outdated has no number, since that is not known in advance.
counted := $(sim_obj) $(repl_obj) $(O)/repl/embedded.c $(O)/libsim.a $(O)/warpstep $(answers_ptx)
counted += $(if $(SANITIZER),,$(cuda_core_obj) $(cuda_runtime_obj) $(cuda_blas_obj) $(cuda_jitlink_obj) \
             $(cuda_face_obj) $(cuda_libs))
missing := $(filter-out $(wildcard $(counted)),$(counted))
nth = $(if $(filter $@,$(missing)),$(eval made += x)[$(words $(made))/$(words $(missing))])
test_prog := $(patsubst tests/unit/%.c,$(O)/tests/unit/%,$(wildcard tests/unit/*.c))
pty_prog := $(patsubst tests/pty/%.c,$(O)/tests/pty/%,$(wildcard tests/pty/*.c))
fuzz_prog := $(patsubst tests/fuzz/%.c,$(O)/tests/fuzz/%,$(wildcard tests/fuzz/*.c))
bench_prog := $(patsubst tests/bench/%.c,$(O)/tests/bench/%,$(wildcard tests/bench/*.c))
forms_prog := $(O)/tests/forms/run
forms_obj := $(addprefix $(O)/tests/forms/,forms.o ptx.o products.o tensors.o card.o)
fidelity_prog := $(O)/tests/fidelity/registers
forms := $(filter-out tests/forms/list.txt,$(wildcard tests/forms/*.txt))

targets := all run install uninstall test test-all test-whole test-matrix test-isa test-failures test-valgrind \
           test-gpu fuzz forms forms-record \
           check-lessons check-lessons-full reference fidelity report-gpu bench-sim bench-gpu check-host clean
.PHONY: $(targets) help FORCE
.SECONDARY:
all: $(if $(SANITIZER),$(O)/warpstep,warpstep $(cuda_libs)) $(answers_ptx)

warpstep: $(O)/warpstep
	$(Q)cp $< $@.tmp && mv $@.tmp $@

$(O)/warpstep: $(repl_obj) $(O)/libsim.a
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CFLAGS) $(HARDEN_LDFLAGS) -o $@ $(repl_obj) $(O)/libsim.a $(LIBS)

# D, where ar knows it: without times and owners
$(O)/libsim.a: $(sim_obj) $(O)/isas
	$(say) AR $@
	$(Q)rm -f $@ && { $(AR) rcD $@ $(sim_obj) 2>/dev/null || $(AR) rc $@ $(sim_obj); }

# ---- CUDA's libraries, made of the simulator: `exec` puts them in the place of NVIDIA's ----
shared = $(CC) $(ALL_CFLAGS) $(SIM_CFLAGS) -shared $(filter-out -pie,$(HARDEN_LDFLAGS)) -Wl,-Bsymbolic -Wl,-z,defs \
         -Wl,--wrap=clock_gettime -Wl,--wrap=nanosleep -Wl,-soname,$(@F)

$(cuda_lib)/libcuda.so.1: $(cuda_core_obj) $(O)/libsim.a
	$(say) LINK $@
	$(Q)mkdir -p $(@D) && $(shared) -o $@ $^ -lm -ldl -pthread && ln -sf libcuda.so.1 $(@D)/libcuda.so && \
	  ln -sf libcudart.so.12 $(@D)/libcudart.so && ln -sf libcublas.so.12 $(@D)/libcublas.so && \
	  ln -sf libnvJitLink.so.12 $(@D)/libnvJitLink.so

# Headers for programs that `exec` compiles: clang's whole CUDA, what samples include, names that CUDA has removed.
$(cuda_lib)/include/made: $(cuda_headers) sim/cuda/runtime/props.def sim/cuda/core/errors.def
	$(say) COPY $(@D)
	$(Q)rm -rf $(@D) && mkdir -p $(@D) && cp -R sim/cuda/include/. $(@D) && cp -R sim/device/. $(@D)/clang && \
	  cp sim/cuda/core/errors.def sim/cuda/include/warpstep_removed.h $(@D)/clang && \
	  sed -nE -e 's/^(ALL|OLD|NEW)\(([^,]+), ([^,]+), (\[[0-9]+\]),.*/\2 \3\4;/' -e 's/\[1\];/;/' \
	    -e 's/^char uuid.*/cudaUUID_t uuid;/' -e '/;$$/p' sim/cuda/runtime/props.def \
	    >$(@D)/clang/warpstep_props.h && touch $@

# One implementation under several names: a program looks for the version that it was linked with.
# $(call face,LIBRARY,VERSION,CUDA,OBJECTS,NAMES)
define face_version_rule
$(O)/sim/cuda/face-$(1).o: sim/cuda/face_version.c $(O)/flags
	$$(say) CC '$$< ($(1))'
	$$(Q)mkdir -p $$(@D) && $$(CC) $$(ALL_CFLAGS) $$(SIM_CFLAGS) -DVERSION=$(1) -Isim -MMD -MP -c -o $$@ $$<
endef
$(foreach v,11 12 13,$(eval $(call face_version_rule,$(v))))
define face_rule
$(cuda_lib)/$(1).so.$(2): $(4) $(O)/sim/cuda/face-$(3).o $(cuda_lib)/libcuda.so.1
	$$(say) LINK $$@
	$$(Q)echo '$(1).so.$(2) { global: $(5); local: *; };' >$$@.map && \
	  $$(shared) -Wl,--version-script=$$@.map -Wl,-rpath,'$$$$ORIGIN' -o $$@ $$^ -ldl -lm -pthread && rm -f $$@.map
endef
$(foreach v,$(cuda_versions),$(eval $(call face_rule,libcudart,$(v),$(v:.0=),$(cuda_runtime_obj),cuda*; __cuda*)))
$(foreach v,11 12 13,$(eval $(call face_rule,libcublas,$(v),$(v),$(cuda_blas_obj),cublas*)))
$(O)/sim/cuda/blas/blas_handle.o: sim/cuda/blas/blas_kernels.ptx
$(foreach v,12 13,$(eval $(call face_rule,libnvJitLink,$(v),$(v),$(cuda_jitlink_obj),nvJitLink*; __nvJitLink*)))

# A lesson's program, beside the text that it was built from. One of C++ is left out where there is no compiler for it,
# and made when there is one.
plain_flags = -O1 -w -Isim/cuda/include/plain -L$(cuda_lib) -l:libcudart.so.13 -l:libcuda.so.1 -lm \
               -Wl,--allow-shlib-undefined -Wl,-rpath,'$$ORIGIN/$(1)'
# $(call program_rule,FOLDER OF THE LIBRARIES FROM IT): of the prerequisites, the source and its PTX come first.
define program_rule
	$(say) HOST '$<$(if $(cxx),,$(if $(filter $@,$(of_cplusplus)),: left out: no C++ compiler))'
	$(Q)mkdir -p $(@D) && rm -f $(@:.cu=) && scripts/plain-host $< $(word 2,$^) >$(@:.cu=.c)
	$(Q)$(if $(filter $@,$(of_cplusplus)),$(if $(cxx),$(cxx) -x c++ -std=c++11,:),$(CC) -std=gnu11) \
	  -o $(@:.cu=) $(@:.cu=.c) $(if $(filter $@,$(of_cplusplus)),-x none) $(call plain_flags,$(1))
	$(Q)rm -f $(@:.cu=.c) && cp $< $@
endef
plain_needs := scripts/plain-host $(wildcard sim/cuda/include/plain/*.h) $(cuda_lib)/libcudart.so.13
$(cuda_lib)/programs/%.cu: kernels/%.cu kernels/%.ptx $(plain_needs)
	$(call program_rule,../..)
$(of_cplusplus): $(O)/cxx

build/answers/%/made: tests/exercises/%.answers scripts/ptx-unfold.awk
	$(say) UNFOLD $<
	$(Q)rm -rf $(@D) && for exercise in $$(sed -n 's|^@ \([^/]*\)/.*|\1|p' $< | sort -u); do \
	  mkdir -p $(@D)/$$exercise; done
	$(Q)awk -v folder=$(@D) -f scripts/ptx-unfold.awk $< && touch $@

# The same of the answers to exercises, for check-lessons alone.
define answer_rule
build/answers/$(subst /exercises/,/,$(1)).ptx: build/answers/$(firstword $(subst /, ,$(1)))/made ;
$(cuda_lib)/answers/$(1).cu: lessons/$(1).cu build/answers/$(subst /exercises/,/,$(1)).ptx $(plain_needs)
	$$(call program_rule,../../../..)
endef
$(foreach a,$(answers:$(cuda_lib)/answers/%.cu=%),$(eval $(call answer_rule,$(a))))

# A changed flag rebuilds the objects that it concerns.
all_flags = $(subst $(same_paths),,$(CC) $(ALL_CFLAGS) $(HARDEN_LDFLAGS) $(SIM_CFLAGS) $(EXEC_CFLAGS))
# $(call stamp_rule,FILE,TEXT): the file is as old as the last change of the text
define stamp_rule
$(O)/$(1): FORCE
	$$(Q)mkdir -p $$(@D) && echo '$(2)' | cmp -s - $$@ || echo '$(2)' >$$@
endef
$(foreach s,all_flags=flags ISAS=isas READLINE_CFLAGS=readline cxx=cxx embedded=embedded.list,\
  $(eval $(call stamp_rule,$(lastword $(subst =, ,$(s))),$$($(firstword $(subst =, ,$(s)))))))

$(O)/version: FORCE
	$(Q)mkdir -p $(@D) && said=$$(scripts/version $@) && { echo "$$said" | cmp -s - $@ || echo "$$said" >$@; }

define exec_rule
$(O)/%.$(1).o: %.c $(O)/flags
	$$(say) CC '$$< ($(1))'
	$$(Q)mkdir -p $$(@D) && $$(CC) $$(ALL_CFLAGS) $$(SIM_CFLAGS) $$(EXEC_CFLAGS) $$(isa_flags_$(1)) -DSIM_ISA=$(1) \
	  -Isim -MMD -MP -c -o $$@ $$<
endef
$(foreach i,$(ISAS),$(eval $(call exec_rule,$(i))))

$(O)/repl/shell/reader_readline.o: $(O)/readline
$(O)/repl/shell/reader_readline.o: private ALL_CFLAGS += $(READLINE_CFLAGS)
$(O)/repl/shell/app_version.o: $(O)/version
$(O)/repl/shell/app_version.o: private ALL_CFLAGS += -DAPP_COMMIT='"$(shell cat $(O)/version)"'

$(O)/sim/launch/isa.o: $(O)/isas
$(O)/sim/launch/isa.o: private ALL_CFLAGS += $(foreach i,$(ISAS),-DHAVE_ISA_$(i)=1)

# Functions of the CUDA libraries have no prototypes of ours: NVIDIA's headers declare them.
$(O)/sim/cuda/%.o: private ALL_CFLAGS := $(filter-out -Wmissing-prototypes -Wpedantic,$(BASE)) $(OPT) \
                                 $(filter-out -fPIE,$(HARDEN_CFLAGS)) $(SAN) $(same_paths) $(CFLAGS)

$(O)/sim/%.o: sim/%.c $(O)/flags
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(SIM_CFLAGS) -Isim -MMD -MP -c -o $@ $<

$(O)/repl/%.o: repl/%.c $(O)/flags
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -Isim -Irepl -MMD -MP -c -o $@ $<

# Text files embedded in the program. The list has a stamp, so that a removed file leaves the
# program too.
$(O)/repl/embedded.c: scripts/embed.sh $(embedded) $(O)/embedded.list
	$(say) EMBED $@
	$(Q)mkdir -p $(@D) && sh scripts/embed.sh $(embedded) >$@.tmp && mv $@.tmp $@

$(O)/repl/embedded.o: $(O)/repl/embedded.c
	$(say) CC $<
	$(Q)$(CC) $(ALL_CFLAGS) -Irepl/shell -MMD -MP -c -o $@ $<

$(O)/%.o: %.c $(O)/flags
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -Isim -Irepl -Itests -MMD -MP -c -o $@ $<

$(O)/tests/%: $(O)/tests/%.o $(O)/libsim.a
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CFLAGS) $(HARDEN_LDFLAGS) -o $@ $< $(O)/libsim.a $(LIBS)

# Forms: what run and record share; record needs no simulator.
$(O)/tests/forms/run: %: %.o $(forms_obj) $(O)/libsim.a
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CFLAGS) $(HARDEN_LDFLAGS) -o $@ $< $(forms_obj) $(O)/libsim.a $(LIBS)
$(O)/tests/forms/record: %: %.o $(forms_obj)
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CFLAGS) $(HARDEN_LDFLAGS) -o $@ $^ $(LIBS)

# These tests call parts of the program and link all of it except main.
whole := unit/document unit/rows unit/kept unit/lesson unit/scans unit/record unit/help unit/judge unit/digest \
         unit/same unit/memo unit/told unit/text unit/seal unit/compile unit/film unit/snapshots unit/language \
         unit/elements \
         unit/patterns_grid unit/small_floats unit/products unit/free_memory \
         fuzz/lesson fuzz/args fuzz/command snapshot/complete
$(addprefix $(O)/tests/,$(whole)): %: %.o $(filter-out $(O)/repl/main.o,$(repl_obj)) $(O)/libsim.a
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CFLAGS) $(HARDEN_LDFLAGS) -o $@ $< $(filter-out $(O)/repl/main.o,$(repl_obj)) $(O)/libsim.a $(LIBS)

run: all
	./warpstep

# ---- installing ----
PREFIX ?= /usr/local
DESTDIR ?=
install uninstall: export INSTALL_PREFIX = $(PREFIX)
install uninstall: export INSTALL_DESTDIR = $(DESTDIR)
install: export INSTALL_RUN = $(RUN)

install: all
	$(Q)scripts/install $(O)/warpstep

uninstall:
	$(Q)scripts/install --remove

# Checks every lesson, and the PTX pinned beside its kernels, against their own claims.
check-lessons: all $(answers)
	$(Q)scripts/ptx --check
	$(Q)$(O)/warpstep check-lessons
	$(Q)$(O)/warpstep --lessons-only tests/lessons check-lessons
	$(Q)$(O)/warpstep figures check 2>/dev/null

# The same, and matrix multiplication at sizes near the article's, where each step takes seconds.
check-lessons-full: check-lessons
	$(Q)for n in 999 1000 1024; do $(O)/warpstep --limit 300 check-lessons 2 n=$$n || exit 1; done

# Writes every figure of the articles beside ours. check-lessons repeats them.
reference: all
	$(O)/warpstep --limit 100 figures >lessons/REFERENCE.md.tmp && mv lessons/REFERENCE.md.tmp lessons/REFERENCE.md

# Writes how far the simulated cards are from real ones. Run it after every change to the clock or
# to a card.
fidelity: all
	$(O)/warpstep --limit 600 fidelity >sim/FIDELITY.md.tmp
	WARPSTEP=$(O)/warpstep scripts/heldout >>sim/FIDELITY.md.tmp && mv sim/FIDELITY.md.tmp sim/FIDELITY.md
	@cat sim/FIDELITY.md

# A stand-in for the CUDA driver in tests.
fake := $(O)/tests/gpu/libfake.so
$(fake): tests/gpu/fake.c $(O)/flags
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(filter-out -Wmissing-prototypes,$(BASE)) -O1 -shared -fPIC -o $@ $<

# A library that makes one call fail, and the program that runs warpstep with it.
failures := $(O)/tests/failures/libfail.so $(O)/tests/failures/drive
$(O)/tests/failures/libfail.so: tests/failures/fail.c tests/failures/fail.h $(O)/flags
	$(say) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(filter-out -Wmissing-prototypes -Wpedantic,$(BASE)) -O1 -shared -fPIC -o $@ $< -ldl

# Runs all fuzz targets, two at a time, for SECONDS in all, on stored inputs and changes of them.
SECONDS ?= 60
fuzz: all $(fuzz_prog)
	$(Q)ONLY=tests/fuzz/ FUZZ_SECONDS=$(SECONDS) sh tests/run.sh $(O)

# Every failing call up to the 500th, and every 37th above, in each sequence; kill -9 at 75 moments;
# 10,000 commands; all folder names: some minutes.
test-failures: all $(failures)
	$(Q)ONLY=tests/failures/ FAILURES=whole KILLS=75 COMMANDS=10000 sh tests/run.sh $(O)

bench_gpu := $(O)/tests/bench/gpu/bench
test_needs := all $(answers) $(test_prog) $(pty_prog) $(forms_prog) $(fidelity_prog) $(fake) $(failures) \
              $(fuzz_prog) $(bench_gpu)
# Minutes: what a change can break anywhere. test-all adds what takes longer: the lessons' claims, accuracy.
test: $(test_needs)
	$(Q)sh tests/run.sh $(O)

test-all: $(test_needs)
	$(Q)TEST_ALL=1 sh tests/run.sh $(O)

# What test-all does in part: every form with the clock of every card, all of the build twice. Minutes.
test-whole: $(test_needs)
	$(Q)WHOLE=1 ONLY='forms/timed cli/build' sh tests/run.sh $(O)

# Every exercise against every way around its goals, as a table: an hour of one core.
test-matrix: all
	$(Q)MATRIX='1 2 3 4 5 6 7 9 10' ONLY=exercises/matrix sh tests/run.sh $(O)
	$(Q)cat $(O)/tests/logs/exercises-matrix.log

# All ladders at the lessons' sizes, on each instruction set with 1, 2 and 3 host threads, and all forms on
# each set. It takes long. ISAS="base avx2 avx512": all that this processor may know.
test-isa: all $(forms_prog)
	$(Q)WHOLE=1 ONLY=cli/isa sh tests/run.sh $(O)

# The program of `show host` for every step of every lesson, by each compiler here: minutes.
check-host: all
	$(Q)WHOLE=1 ONLY=exec/host sh tests/run.sh $(O)

# The golden sessions with each command under valgrind: minutes.
test-valgrind: all
	$(Q)ONLY=golden/ TEST_PATH=$(CURDIR)/tests/valgrind sh tests/run.sh $(O)

# Every form of every instruction against results of a real card; on a GPU: `make forms FORMS=gpu`, and
# `make forms-record` writes what it answers.
FORMS ?= check
forms: $(forms_prog)
	$(Q)$(forms_prog) $(FORMS) $(forms)
forms-record: $(O)/tests/forms/record
	$(Q)$< $(forms)

# On a computer with a GPU: all lessons, faults and times on it, and a table of measurements; then what it answers to
# calls that are wrong. GPU_TESTS=wrong-calls: that alone.
GPU_TESTS ?= card wrong-calls
test-gpu: all
	$(Q)mkdir -p $(O)/tests/gpu-tmp; failed=; for name in $(GPU_TESTS); do \
	  TEST_GPU=1 WARPSTEP='$(CURDIR)/$(O)/warpstep' TMPDIR='$(CURDIR)/$(O)/tests/gpu-tmp' sh tests/gpu/$$name.sh || \
	    [ $$? = 77 ] || failed="$$failed $$name"; \
	done; [ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }

report-gpu: all
	$(Q)scripts/report-gpu

bench-sim: $(bench_prog)
	$(Q)$(O)/tests/bench/sim

# Our last steps beside the vendor's libraries, on the GPU here: rates with their spread. ONLY=WORDS: rows with them.
$(bench_gpu): $(addprefix $(O)/tests/bench/gpu/,bench.o library.o) $(filter-out $(O)/repl/main.o,$(repl_obj)) \
              $(O)/libsim.a
	$(say) LINK $@
	$(Q)$(CC) $(ALL_CFLAGS) $(HARDEN_LDFLAGS) -o $@ $^ $(LIBS) -ldl
bench-gpu: $(bench_gpu)
	$(Q)$(bench_gpu) build/bench-gpu '$(ONLY)' || [ $$? = 77 ]

clean:
	rm -rf build warpstep

help:
	@sed -n 's/^# *//;1,14p' Makefile; echo; echo 'targets: $(targets)' | fold -s -w 79

-include $(shell find build -name '*.d' 2>/dev/null)
