# The program has the hardening that the Makefile asks of the compiler and the linker. The test
# looks at the program, not at the flags.
. tests/cases.sh
flags=$(cat "$BUILD/flags")
command -v readelf >/dev/null 2>&1 || skip_all "hardened: no readelf"

# has FLAG WHAT PATTERN COMMAND...: if FLAG was used, the output of COMMAND matches PATTERN.
has() {
    flag=$1 what=$2 pattern=$3
    shift 3
    case " $flags " in
    *"$flag"*)
        "$@" 2>/dev/null | grep -q -- "$pattern"; ok $? "$what" ;;
    *) skip "$what: built without $flag" ;;
    esac
}

has -Wl,-z,relro "tables of addresses are read-only" GNU_RELRO readelf -lW "$WARPSTEP"
has -Wl,-z,relro "all addresses are found before it starts" BIND_NOW readelf -dW "$WARPSTEP"
has ' -pie' "it lies elsewhere each time" 'DYN (' readelf -hW "$WARPSTEP"
has -fstack-protector-strong "frames are watched" '__stack_chk_fail' readelf -sW --dyn-syms "$WARPSTEP"
has -D_FORTIFY_SOURCE=2 "copies are bounded" '_chk@\|_chk ' readelf -sW --dyn-syms "$WARPSTEP"
! readelf -lW "$WARPSTEP" | grep GNU_STACK | grep -q 'RWE'; ok $? "its stack can be run"
finish
