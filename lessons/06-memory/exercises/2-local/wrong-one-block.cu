extern "C" __global__ void moving_sums(const int *x, int *out, int columns, int rows, int first)
{
    if (blockIdx.x)
        return;
    for (int column = threadIdx.x; column < columns; column += blockDim.x) {
        int a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0;
        for (int at = column; at < rows * columns; at += columns) {
            int number = x[at];
            out[at] = ((a + b) + (c + d)) + ((e + f) + (g + number));
            a = b, b = c, c = d, d = e, e = f, f = g, g = number;
        }
    }
}
