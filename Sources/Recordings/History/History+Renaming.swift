import SQLite

extension History {
    /// Gives the exchanges of a target, or of those in a group, the path that it has now.
    package func rename(
        target old: String,
        to new: String,
        in workspace: String
    ) async throws(RecordingError) {
        try await write { db in
            // What is below a path begins with it and a slash, which `0` follows in the order of bytes.
            try db.execute(
                sql: """
                    UPDATE exchange SET target = ? || substr(target, ?) WHERE workspace = ?
                        AND (target = ? OR target >= ? AND target < ?)
                    """,
                arguments: [
                    new, old.unicodeScalars.count + 1, workspace, old, "\(old)/", "\(old)0",
                ]
            )
        }
    }

    /// Gives the exchanges and the runs of an environment the name that it has now.
    package func rename(
        environment old: String,
        to new: String,
        in workspace: String
    ) async throws(RecordingError) {
        try await write { db in
            try db.execute(
                sql: """
                    UPDATE run SET environment = ? WHERE id IN
                        (SELECT run FROM exchange WHERE workspace = ? AND environment = ?)
                    """,
                arguments: [new, workspace, old]
            )
            try db.execute(
                sql: "UPDATE exchange SET environment = ? WHERE workspace = ? AND environment = ?",
                arguments: [new, workspace, old]
            )
        }
    }
}
