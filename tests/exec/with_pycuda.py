# with_pycuda.py PTX: a module of PyCUDA's from PTX, for python.sh.
import sys

import numpy as np
import pycuda.driver as driver

driver.init()
context = driver.Device(0).make_context()
try:
    add = driver.module_from_buffer(open(sys.argv[1], "rb").read()).get_function("add")
    a = np.arange(100, dtype=np.float32)
    c = np.zeros_like(a)
    add(driver.In(a), driver.In(2 * a), driver.Out(c), np.int32(100), block=(64, 1, 1), grid=(2, 1))
    print(np.array_equal(c, 3 * a))
finally:
    context.pop()
