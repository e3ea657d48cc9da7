# Programs whose kernels run in clusters (clusters.c), with all checks: right, and nothing is found.
. tests/cases.sh
here=$(cd "$(dirname "$0")" && pwd)
lib=$(dirname "$WARPSTEP")/lib/warpstep
[ -e "$lib/libcudart.so.13" ] || skip_all "clusters: no libraries in this build"
command -v "${CC%% *}" >/dev/null 2>&1 || CC=cc
cd "$TMPDIR" || exit 1
${CC:-cc} -std=gnu11 -O1 -o clusters "$here/clusters.c" -L"$lib" -l:libcudart.so.13 -Wl,-rpath,/nonexistent \
    -Wl,--allow-shlib-undefined -pthread 2>log || skip_all "clusters: no host compiler: $(head -1 log)"
want() { # NAME, and the lines on stdin
    name=$1
    cat >wanted
    for options in '--check all' '--check all --time none'; do
        # shellcheck disable=SC2086
        "$WARPSTEP" exec --limit 900 --report report $options ./clusters "$here/clusters.ptx" "$name" >out 2>err
        status=$?
        [ $status = 0 ] && cmp -s out wanted
        ok $? "$name $options: status $status: $(diff wanted out | head -5 | tr '\n' '|') $(head -2 err | tr '\n' ' ')"
        ! grep -E '^  (race|uninit|deadlock|bad|misal|out-of|cluster)' report
        ok $? "$name $options: nothing is found"
    done
}
want histograms <<'END'
clusters of any size cudaSuccess
1: cudaSuccess, 0 wrong
2: cudaSuccess, 0 wrong
4: cudaSuccess, 0 wrong
8: cudaSuccess, 0 wrong
16: cudaSuccess, 0 wrong
END
want own <<'END'
its own cudaSuccess
0 wrong
a grid that they do not divide cudaErrorInvalidClusterSize
last cudaErrorInvalidClusterSize
another size by attribute cudaErrorInvalidClusterSize
END
want multicast <<'END'
multicast cudaSuccess
done cudaSuccess
0 wrong
END
want occupancy <<'END'
shared memory cudaSuccess
1: 132 clusters
2: 66 clusters
4: 30 clusters
8: 15 clusters
16: cudaErrorInvalidClusterSize
largest cudaSuccess
8
any size cudaSuccess
1: 132 clusters
2: 66 clusters
4: 30 clusters
8: 15 clusters
16: 7 clusters
largest cudaSuccess
16
END
want refused <<'END'
16 blocks cudaErrorInvalidClusterSize
17 blocks cudaErrorInvalidClusterSize
3 of 16 cudaErrorInvalidClusterSize
8 of 16 cudaSuccess
done cudaSuccess
END
want dependent <<'END'
first cudaSuccess
next cudaSuccess
0 wrong
END
"$WARPSTEP" exec --limit 900 --report report --check race ./clusters "$here/clusters.ptx" early >out 2>err; [ $? = 1 ] &&
    tr -s '\n ' ' ' <report |
        grep -q 'race: add_one, .* before griddepcontrol.wait; .* of the launch before, double_all, writes it'
ok $? "a read before griddepcontrol.wait: $(cat report)"
finish
