#ifndef CSQLITE_H
#define CSQLITE_H

// A variadic function of SQLite, which Swift cannot call.

struct sqlite3;

// Sets whether a VACUUM empties the connection's database, however damaged it is; returns SQLite's result code.
int csqlite_reset_database(struct sqlite3 *_Nonnull connection, int is_on);

#endif
