# with_tinygrad.py: a product of matrices by tinygrad's PTX, against sums in plain Python, for python.sh.
from tinygrad import Device, Tensor

n, m, k = 13, 17, 19  # small whole numbers: every sum is exact
a = [[(3 * i + 5 * j) % 7 - 3 for j in range(k)] for i in range(n)]
b = [[(2 * i + 3 * j) % 5 - 2 for j in range(m)] for i in range(k)]
c = (Tensor(a).float() @ Tensor(b).float()).tolist()
right = all(c[i][j] == sum(a[i][x] * b[x][j] for x in range(k)) for i in range(n) for j in range(m))
print(Device.DEFAULT, "right" if right else "wrong")
