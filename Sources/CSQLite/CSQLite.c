#include "CSQLite.h"

#include <sqlite3.h>

int csqlite_reset_database(sqlite3 *connection, int is_on) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_RESET_DATABASE, is_on, (int *)0);
}
