/* Exercise 8.1: a whole program.
 *
 * starter n a
 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int n = atoi(argv[1]), a = atoi(argv[2]);

    return 0;
}
