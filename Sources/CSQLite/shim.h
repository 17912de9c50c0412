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

// The file of a connection, whose methods C calls through pointers; 0 if it has none. Its bytes, those after its end
// as zeros.
static inline sqlite3_file *_Nullable csqlite_file(sqlite3 *_Nullable connection) {
    sqlite3_file *file = 0;
    sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    return file && file->pMethods ? file : 0;
}
static inline int csqlite_file_size(sqlite3_file *_Nonnull file, sqlite3_int64 *_Nonnull size) {
    return file->pMethods->xFileSize(file, size);
}
static inline int csqlite_file_read(sqlite3_file *_Nonnull file, void *_Nonnull bytes, int count, sqlite3_int64 offset) {
    return file->pMethods->xRead(file, bytes, count, offset);
}
static inline int csqlite_file_write(
    sqlite3_file *_Nonnull file, const void *_Nonnull bytes, int count, sqlite3_int64 offset) {
    return file->pMethods->xWrite(file, bytes, count, offset);
}

#endif
