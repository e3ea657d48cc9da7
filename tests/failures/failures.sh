# One call fails (no memory, a full disk, no process) in a session, checks and a grade. There is no
# crash, no wrong verdict, no loss, and every failure is reported. A few of the calls fail here;
# `make test-failures` goes through all of them.
. tests/cases.sh
cd "$(dirname "$0")/../.." || exit 1
case $BUILD in *san-*) skip_all "calls that fail: a sanitizer has its own memory" ;; esac
for n in 0 1; do tests/failures/make-folder "$TMPDIR/$n" || exit 1; done
"$BUILD/tests/failures/drive" "$WARPSTEP" "$PWD/$BUILD/tests/failures/libfail.so" "$TMPDIR" "${FAILURES:-thin}"
