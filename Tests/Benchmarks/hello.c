/* The least ncurses program: what `first-paint` sets the explorer beside. */
#include <curses.h>

int main(void) {
    initscr();
    cbreak();
    noecho();
    mvaddstr(0, 0, "hello, this is a bare ncurses program");
    refresh();
    getch();
    endwin();
    return 0;
}
