import FoundationEssentials
import Glibc

/// The folder of a cache: whose it is, and what in it is the cache's.
///
/// ```
/// <folder>/responses.lock      held while the database is opened; says that a cache is here
/// <folder>/responses.sqlite    the entries, with what SQLite keeps beside them
/// <folder>/bodies/ab/cdef…     large bodies
/// <folder>/lent/<UUID>/1 …     what a process writes, and has handed out
/// ```
enum DiskFolder {
    /// What else lies where the standard cache does, and what a process that was killed may have
    /// left there before there was a database.
    private static let neighbours = ["spool", "cache-", "lent"]

    /// Makes the folder, and takes what is the cache's in it from all others.
    ///
    /// - Throws: a fault with `ENOTEMPTY` if it is a folder of something else, which stays as it is.
    static func claim(_ folder: String) throws(PrivateFiles.Fault) {
        let wasOpen = try PrivateFiles.claimFolder(folder, if: isForCache)
        // SQLite would fail at one of its own files, and say what helps nobody.
        guard access(folder, R_OK | W_OK | X_OK) == 0 else {
            throw PrivateFiles.Fault(path: folder, errno: errno, isClosedFolder: true)
        }
        for name in PrivateFiles.names(in: folder) where isOurs(name) {
            PrivateFiles.claim("\(folder)/\(name)", withAllBelow: false)
        }
        // Whoever made the folder may have put links there, which lead out of it; while others
        // could write to it, anything anywhere. Folders are left out where that will do: to look
        // at 256 of bodies takes a millisecond.
        for (tree, isOurs) in [("bodies", BodyFolder.isPart), ("lent", BodyLeases.isOurs)] {
            let tree = "\(folder)/\(tree)"
            for name in PrivateFiles.names(in: tree, exceptFolders: !wasOpen) where isOurs(name) {
                PrivateFiles.claim("\(tree)/\(name)", withAllBelow: true)
            }
        }
        try PrivateFiles.touchFile("\(folder)/responses.lock")
    }

    /// Throws what `claim` does for a folder of something else; makes and changes nothing.
    static func check(_ folder: String) throws(PrivateFiles.Fault) {
        guard isForCache(PrivateFiles.names(in: folder)) else {
            throw PrivateFiles.Fault(path: folder, errno: ENOTEMPTY)
        }
    }

    private static func isForCache(_ names: [String]) -> Bool {
        names.contains("responses.lock")
            || names.allSatisfy { name in neighbours.contains(where: name.hasPrefix) }
    }

    private static func isOurs(_ name: String) -> Bool {
        name == "responses.lock" || name.hasPrefix("responses.sqlite")
            || name == "bodies" || name == "lent"
    }
}

/// The copies of databases that could not be used: `responses.sqlite.corrupt-20261122T101500Z`
/// with what SQLite kept beside it, and `responses.sqlite.newer-…` with its bodies.
///
/// They hold answers outside of every limit: so there is one of a kind at most, for a week.
struct SetAsideFiles {
    /// Why a database was set aside.
    enum Kind: String, CaseIterable {
        case corrupt, newer
    }

    private static let life: TimeInterval = 7 * 86_400

    let folder: String

    /// Where the one that is set aside now goes.
    func path(of kind: Kind, at now: Date) -> String {
        "\(folder)/\(Self.prefix(kind))\(Self.stamp(now))"
    }

    /// Removes all of these kinds.
    func removeAll(_ kinds: [Kind] = Kind.allCases) {
        for (name, _) in names(kinds) { PrivateFiles.removeTree("\(folder)/\(name)") }
    }

    /// Removes those whose time is over.
    func removeOld(at now: Date) {
        let times = Self.stamp(now - Self.life)...Self.stamp(now)
        for (name, stamp) in names(Kind.allCases) where !times.contains(stamp) {
            PrivateFiles.removeTree("\(folder)/\(name)")
        }
    }

    private func names(_ kinds: [Kind]) -> [(name: String, stamp: String)] {
        let prefixes = kinds.map(Self.prefix)
        return PrivateFiles.names(in: folder).compactMap { name in
            guard let prefix = prefixes.first(where: name.hasPrefix) else { return nil }
            // Behind it is what SQLite or we add: `-wal`, `-bodies`.
            return (name, String(name.dropFirst(prefix.count).prefix { $0 != "-" }))
        }
    }

    private static func prefix(_ kind: Kind) -> String { "responses.sqlite.\(kind.rawValue)-" }

    /// Texts in the order of their times.
    private static func stamp(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
    }
}
