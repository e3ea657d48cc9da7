/* list: arrays grow without losing an element; a refusal leaves them as they were. */
#include "check.h"
#include "list.h"

int main(void)
{
    uint32_t *numbers = NULL;
    bool good = true;
    for (uint32_t i = 0; i < 5000 && good; i++)
        if ((good = list_grow(&numbers, i, sizeof *numbers))) numbers[i] = 3 * i;
    for (uint32_t i = 0; i < 5000 && good; i++) good = numbers[i] == 3 * i;
    check(good, "5,000 elements, one by one");

    /* A list that shrinks and grows again has room for all that it is asked for: sanitizers look. */
    for (uint32_t count = 5000; count > 0 && good; count = count / 3) {
        for (uint32_t i = count; i < count + 20 && good; i++)
            if ((good = list_grow(&numbers, i, sizeof *numbers))) numbers[i] = 3 * i;
        for (uint32_t i = 0; i < count && good; i++) good = numbers[i] == 3 * i;
    }
    check(good, "shorter, and longer again");
    free(numbers);

    char *text = NULL;
    size_t room = 0;
    good = list_room(&text, &room, 0, 1) && !text && !room;
    check(good, "no element needs no memory");
    good = list_room(&text, &room, 100, 1) && room >= 100;
    char *before = text;
    const size_t had = room;
    check(good && list_room(&text, &room, had, 1) && text == before && room == had, "room for many at once");
    memset(text, 'x', room);
    check(list_room(&text, &room, had + 1, 1) && room > had && text[had - 1] == 'x', "one more than there is room for");

    before = text;
    size_t kept = room;
    check(!list_room(&text, &room, SIZE_MAX / 2, 16) && !list_room(&text, &room, SIZE_MAX, 1) && text == before &&
              room == kept,
          "more elements than bytes can be counted for");
    check(!list_grow(&text, SIZE_MAX / 2 + 1, 1) && text == before, "no power of two is so large");
    free(text);
    return check_end();
}
