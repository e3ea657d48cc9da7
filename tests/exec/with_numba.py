# with_numba.py: numba-cuda's vector add, a reduction in shared memory, libdevice, and host threads, for python.sh.
import math
import threading
import warnings

import numpy as np
from numba import cuda, float32

warnings.filterwarnings("ignore")


@cuda.jit
def add(a, b, c):
    i = cuda.grid(1)
    if i < c.size:
        c[i] = a[i] + b[i]


@cuda.jit
def total(x, out):
    s = cuda.shared.array(256, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = x[i] if i < x.size else 0
    cuda.syncthreads()
    n = 128
    while n:
        if t < n:
            s[t] += s[t + n]
        cuda.syncthreads()
        n //= 2
    if t == 0:
        cuda.atomic.add(out, 0, s[0])


@cuda.jit
def roots(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] = math.sqrt(x[i]) + math.sin(x[i])


a = np.arange(10000, dtype=np.float32)
c = np.zeros_like(a)
add[40, 256](a, 2 * a, c)
print("add", np.array_equal(c, 3 * a))
out = np.zeros(1, np.float32)
total[4, 256](a[:1000].copy(), out)  # 0 + 1 + ... + 999; each partial sum is below 2^24, so exact
print("sum", out[0])
x = a.astype(np.float64)
roots[40, 256](x)
print("sqrt", np.allclose(x, np.sqrt(a.astype(np.float64)) + np.sin(a.astype(np.float64))))



@cuda.jit
def next_block(a, out):
    i = cuda.grid(1)
    grid = cuda.cg.this_grid()
    a[i] = i
    grid.sync()
    out[i] = a[(i + 64) % a.size]


b = cuda.device_array(256, np.int32)
out = cuda.device_array(256, np.int32)
next_block[4, 64](b, out)
print("grid sync", np.array_equal(out.copy_to_host(), (np.arange(256) + 64) % 256))

right = []


def work(k):
    stream = cuda.stream()
    d = cuda.to_device(a, stream)
    e = cuda.device_array_like(d, stream)
    add[40, 256, stream](d, d, e)
    right.append(np.array_equal(e.copy_to_host(stream=stream), 2 * a))


all = [threading.Thread(target=work, args=(k,)) for k in range(4)]
for t in all:
    t.start()
for t in all:
    t.join()
print(len(right), "threads", sum(right) == 4)
