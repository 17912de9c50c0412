#ifndef CN_TERMINFO_H
#define CN_TERMINFO_H

// Entries "apus-xterm-direct" and "apus-tmux-direct", as values of $TERMINFO.
extern const char cn_terminfo_xterm[];
extern const char cn_terminfo_tmux[];

#endif
