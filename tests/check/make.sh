#!/bin/sh
# make.sh: the PTX that tests/unit/checks.c runs, from the .cu files beside it. Needs nvcc; the PTX is kept in the tree.
cd "$(dirname "$0")" || exit 1
for f in races counts async; do
    arch=compute_75
    [ $f = async ] && arch=compute_80
    nvcc -ptx -arch=$arch -lineinfo -diag-suppress 186 -diag-suppress 177 -o "$f.tmp" "$f.cu" || exit 1
    # paths of this machine are of no use to anyone
    sed -e '/^\/\//d' -e 's|\(\.file.*"\).*/\([^/"]*"\)|\1\2|' "$f.tmp" >"$f.ptx"
    rm -f "$f.tmp"
done
