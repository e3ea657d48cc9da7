/* Exercise 1.1: y[i] = x[i] * x[i] for i from 0 to n - 1.
 *
 * square<<<ceil(n / threads), threads>>>(x, y, n)
 */
extern "C" __global__ void square(const int *x, int *y, int n)
{
    /* yours */
}
