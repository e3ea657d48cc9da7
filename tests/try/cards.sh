# The same kernel gives the same result on every card that comes with the program. A card's own
# limits are named.
. "$(dirname "$0")/kernels/lib.sh"
saxpy="saxpy.ptx:saxpy --arg i32:1000 --arg f32:2 --arg f32[1000]:iota --arg f32[1000]:ones --dump 1[0:4]"
for card in 8800gt gtx1050 rtx2070 h100 h200; do
    device=sim:$card expect 0 "sim:$card.*ok.*0: 1 3 5 7" $saxpy --grid 4 --block 256
done
device=sim:8800gt expect 2 'GeForce 8800 GT allows: at most 512' $saxpy --grid 2 --block 513
device=sim:8800gt expect 2 'GeForce 8800 GT' $saxpy --grid 70000 --block 16
device=sim:8800gt expect 2 'GeForce 8800 GT' $saxpy --grid 4 --block 256 --shared 16385
device=sim:8800gt expect 0 ok $saxpy --grid 4 --block 256 --shared 16000
device=sim:8800gt expect 2 'memory' saxpy.ptx:copy --grid 1 --block 1 --arg 'u8[600000000]' --arg 'u8[1]' --arg u32:1
device=sim:nosuch expect 3 'no simulated card' $saxpy --grid 4 --block 256
finish
