/* Border commands: a letter that is typed over a corner of a window's border, performed by ENTER. */
#include "window.h"

static void enlarge(struct window *window)
{
    int rows = (int)(here.cell / here.display.columns) - (int)window->at_row + 1;
    int columns = (int)(here.cell % here.display.columns) - (int)window->at_column + 1;

    if (rows < 1 || columns < 2) {
        here.alarm = true;
        return;
    }
    window->lines = (u32)rows;
    window->columns = (u32)columns;
}

/* The cursor shows the place, or the corner, that was asked for. */
void border_finish(void)
{
    struct window *window = here.moving;

    here.moving = NULL;
    here.stale = true;
    if (window == NULL)
        return;
    if (here.sizing) {
        enlarge(window);
    } else {
        window->row = (int)(here.cell / here.display.columns) + 1;
        window->column = (int)(here.cell % here.display.columns) + 1;
    }
}

void border_command(struct window *window, char letter)
{
    here.stale = true;
    switch (upper(letter)) {
    case 'F': window_scroll(window, WAY_FORWARD, 0); break;
    case 'B': window_scroll(window, WAY_BACKWARD, 0); break;
    case 'L': window_scroll(window, WAY_LEFT, 0); break;
    case 'R': window_scroll(window, WAY_RIGHT, 0); break;
    case 'C': window_scroll(window, WAY_CLEAR, 0); break;
    case 'D': window_drop(window, 1); break;
    case 'H': window->shown = false; break;
    case 'P': window_pop(window); break;
    case 'N': window->form = WINDOW_SMALL; break;
    case 'X': window->form = WINDOW_LARGE; break;
    case 'O': window->form = WINDOW_USUAL; break;
    case 'M': case 'S':
        here.moving = window;
        here.sizing = upper(letter) == 'S';
        break;
    default: here.alarm = true;
    }
}
