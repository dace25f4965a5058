/*
 * GREET [name]: asks for a name if there is none, greets, and tells an exec that calls it how long the name is.
 */
#include "cmslib.h"

int main(int argc, char *argv[])
{
    char line[131], number[12];
    const char *who = argc > 1 ? argv[1] : line;

    if (argc < 2) {
        print("Who is there?");
        if (read_text(line) == 0)
            return 4;
    }
    print("Hello, %s", who);
    set_var("length", number, format(number, sizeof number, "%u", (uint32_t)strlen(who)));
    return 0;
}
