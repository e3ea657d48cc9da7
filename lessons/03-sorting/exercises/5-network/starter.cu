/* Exercise 3.5: one step of a bitonic sort.
 *
 * exchange<<<ceil(n / 2 / threads), threads>>>(key, n, size, stride)
 */
extern "C" __global__ void exchange(unsigned *key, int n, int size, int stride)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n / 2)
        return;
    int low = 0, high = 0; /* fill in: the two places of thread t */
    bool down = false;     /* fill in: does the greater key go to the lower place? */

    if (low == high)
        return;
    unsigned a = key[low], b = key[high];
    if (down ? a < b : a > b) {
        key[low] = b;
        key[high] = a;
    }
}
