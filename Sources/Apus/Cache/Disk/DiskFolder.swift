import FoundationEssentials
import Glibc

/// The folder of a cache: who owns it, and which files in it are the cache's.
///
/// ```
/// <folder>/responses.lock      held while the database is opened; says that a cache is here
/// <folder>/responses.sqlite    the entries, and SQLite's files for them
/// <folder>/bodies/ab/cdef…     large bodies
/// <folder>/lent/<UUID>/1 …     bodies that a process is writing or has lent
/// ```
enum DiskFolder {
    static let database = "responses.sqlite"
    static let lock = "responses.lock"

    /// Prefixes of what else may be in the standard cache's folder, and of what a killed process may have
    /// left before there was a database.
    private static let neighbors = ["spool", "cache-", "lent"]

    /// Creates the folder; closes it and the cache's files in it to other users, and removes what is theirs.
    ///
    /// - Throws: a fault with `ENOTEMPTY` if the folder is in use for something else. It is left unchanged.
    static func claim(_ folder: String) throws(PrivateFileError) {
        let wasOpen = try PrivateFiles.claimFolder(folder, if: isForCache)
        // SQLite would fail on one of its own files, with an unhelpful message.
        guard access(folder, R_OK | W_OK | X_OK) == 0 else {
            throw PrivateFileError(path: folder, errno: errno, isClosedFolder: true)
        }
        for name in Folders.names(in: folder) where isOurs(name) {
            PrivateFiles.claim("\(folder)/\(name)", withAllBelow: false)
        }
        // Whoever made the folder may have put links there that lead out of it, and while others could enter
        // it, they could put anything anywhere. If they could not, subfolders are skipped, because checking
        // 256 of them takes a millisecond.
        for (tree, isOurs) in [("bodies", DigestFolder.isPart), ("lent", BodyLeases.isOurs)] {
            let tree = "\(folder)/\(tree)"
            for name in Folders.names(in: tree, exceptFolders: !wasOpen) where isOurs(name) {
                PrivateFiles.claim("\(tree)/\(name)", withAllBelow: true)
            }
        }
        try PrivateFiles.touchFile("\(folder)/\(lock)")
    }

    /// Throws as `claim` does if the folder is in use for something else; creates and changes nothing.
    static func check(_ folder: String) throws(PrivateFileError) {
        guard isForCache(Folders.names(in: folder)) else {
            throw PrivateFileError(path: folder, errno: ENOTEMPTY)
        }
    }

    private static func isForCache(_ names: [String]) -> Bool {
        names.contains(lock)
            || names.allSatisfy { name in neighbors.contains(where: name.hasPrefix) }
    }

    private static func isOurs(_ name: String) -> Bool {
        name == lock || name.hasPrefix(database)
            || name == "bodies" || name == "lent"
    }
}

/// Databases that could not be used: `responses.sqlite.corrupt-20261122T101500Z` with SQLite's files for it,
/// and `responses.sqlite.newer-…` with its bodies.
///
/// No limit counts them, so at most one of each kind is kept, for a week.
struct SetAsideFiles {
    enum Kind: String, CaseIterable {
        case corrupt, newer
    }

    private static let life: TimeInterval = 7 * 86_400

    let folder: String

    /// The path for a database that is set aside now.
    func path(of kind: Kind, at now: Date) -> String {
        "\(folder)/\(Self.prefix(kind))\(DatabaseCheck.stamp(of: now))"
    }

    func removeAll(_ kinds: [Kind] = Kind.allCases) {
        for (name, _) in names(kinds) { PrivateFiles.removeTree("\(folder)/\(name)") }
    }

    /// Removes those older than a week, or from the future.
    func removeOld(at now: Date) {
        let times = DatabaseCheck.stamp(of: now - Self.life)...DatabaseCheck.stamp(of: now)
        for (name, stamp) in names(Kind.allCases) where !times.contains(stamp) {
            PrivateFiles.removeTree("\(folder)/\(name)")
        }
    }

    private func names(_ kinds: [Kind]) -> [(name: String, stamp: String)] {
        let prefixes = kinds.map(Self.prefix)
        return Folders.names(in: folder).compactMap { name in
            guard let prefix = prefixes.first(where: name.hasPrefix) else { return nil }
            // After the date comes a suffix of SQLite's or ours: `-wal`, `-bodies`.
            return (name, String(name.dropFirst(prefix.count).prefix { $0 != "-" }))
        }
    }

    private static func prefix(_ kind: Kind) -> String {
        "\(DiskFolder.database).\(kind.rawValue)-"
    }
}
