import Apus
import FoundationEssentials
import HTTPTypes

/// A session's file: where it is, and its schema.
package enum SessionFile {
    /// The version of the schema, in `user_version`.
    static let version = 1

    /// The end of a session file's name.
    package static let suffix = ".apus-session"

    /// `$XDG_DATA_HOME/apus/sessions`, else `~/.local/share/apus/sessions`.
    package static var standardDirectory: String { "\(StandardFolders.data)/sessions" }

    /// The names of sessions in a folder, the newest first; none if there is no folder.
    package static func names(in directory: String = standardDirectory) -> [String] {
        PrivateFiles.names(in: directory).filter { $0.hasSuffix(suffix) }.sorted(by: >)
    }

    /// The policy whose keys replay finds exchanges by.
    ///
    /// No credential counts, for a replay has none.
    static let keyPolicy: CachePolicy = {
        var policy = CachePolicy(keyFields: [.accept, .acceptLanguage])
        policy.separatesAccounts = false
        return policy
    }()

    /// A name for a session that begins now.
    static func name(at now: Date, number: Int) -> String {
        let stamp = now.formatted(
            Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        )
        return number == 1 ? "\(stamp)\(suffix)" : "\(stamp)-\(number)\(suffix)"
    }

    // Bodies are kept once, by their digest, in pieces, so that neither writing
    // nor reading one has it in memory whole.
    static let schema = """
        CREATE TABLE exchange (
            id INTEGER PRIMARY KEY, key TEXT NOT NULL, started REAL NOT NULL,
            duration REAL NOT NULL, attempts INTEGER NOT NULL,
            method TEXT NOT NULL, url TEXT NOT NULL,
            request BLOB NOT NULL, request_body TEXT,
            status INTEGER, response BLOB, response_body TEXT,
            size INTEGER NOT NULL, is_complete INTEGER NOT NULL, source TEXT,
            error_code INTEGER, error_text TEXT, events BLOB NOT NULL,
            target TEXT, workspace TEXT, environment TEXT);
        CREATE INDEX exchange_by_key ON exchange (key, id);
        CREATE TABLE piece (
            digest TEXT NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL,
            PRIMARY KEY (digest, number)) WITHOUT ROWID;
        PRAGMA user_version = 1;
        """
}
