#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

// Switches an option of a connection; sqlite3_db_config is variadic.
static inline int csqlite_configure(sqlite3 *_Nullable connection, int option, int is_on) {
    return sqlite3_db_config(connection, option, is_on, (int *)0);
}

// Bind copies of bytes: SQLITE_TRANSIENT is a cast. Null is what Swift has for no bytes, and SQLite for NULL.
static inline int csqlite_bind_text(
    sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, long count) {
    const char *text = bytes ? bytes : "";
    return sqlite3_bind_text64(statement, index, text, (sqlite3_uint64)count, SQLITE_TRANSIENT, SQLITE_UTF8);
}
static inline int csqlite_bind_blob(
    sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, long count) {
    return bytes ? sqlite3_bind_blob64(statement, index, bytes, (sqlite3_uint64)count, SQLITE_TRANSIENT)
                 : sqlite3_bind_zeroblob(statement, index, 0);
}

#endif
