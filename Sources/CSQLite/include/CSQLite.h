#ifndef CSQLITE_H
#define CSQLITE_H

// What Swift cannot call of SQLite, for it takes any number of arguments.

struct sqlite3;

// Whether a VACUUM makes the database of a connection an empty one, however damaged it is; SQLite's code.
int csqlite_reset_database(struct sqlite3 *_Nonnull connection, int is_on);

#endif
