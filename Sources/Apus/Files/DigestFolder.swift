/// A folder of files that are named by the SHA-256 of their bytes, in up to 256 subfolders.
///
/// Somebody else may have made it, so links in it are not followed, and only a digest becomes part of a path.
package struct DigestFolder: Sendable {
    /// How the file with the digest `abcd…` is named in its subfolder.
    package enum Naming: Sendable {
        /// `ab/cd…`, as in the cache.
        case rest
        /// `ab/abcd…`, as beside a history.
        case whole
    }

    /// The path of the folder.
    package let path: String
    private let naming: Naming

    /// The folder at a path, which need not exist.
    package init(path: String, naming: Naming) {
        self.path = path
        self.naming = naming
    }

    /// The path of the file with a digest.
    package func file(_ digest: String) -> String {
        switch naming {
        case .rest: "\(part(of: digest))/\(digest.dropFirst(2))"
        case .whole: "\(part(of: digest))/\(digest)"
        }
    }

    /// Whether neither of the two folders of a file is a link or belongs to another user.
    package func isOwn(_ digest: String) -> Bool {
        PrivateFiles.isOwnFolder(path) && PrivateFiles.isOwnFolder(part(of: digest))
    }

    /// Makes the two folders of a file.
    ///
    /// - Returns: the one that is a link or belongs to another user; nil if none is or does.
    package func makeFolders(of digest: String) throws(PrivateFileError) -> String? {
        for folder in [path, part(of: digest)] {
            try PrivateFiles.makeFolder(folder)
            guard PrivateFiles.isOwnFolder(folder) else { return folder }
        }
        return nil
    }

    /// All files, with the digests that they are named by.
    ///
    /// A process that was killed while it wrote leaves an unfinished file, such as `abcd….new-1234-5678`.
    package var files: [(digest: String, path: String)] {
        guard PrivateFiles.isOwnFolder(path) else { return [] }
        return Folders.names(in: path).filter { part in
            Self.isPart(part) && PrivateFiles.isOwnFolder("\(path)/\(part)")
        }.flatMap { part in
            Folders.names(in: "\(path)/\(part)").compactMap { name in
                let words = name.split(separator: ".", maxSplits: 1)
                let prefix = naming == .rest ? part : ""
                guard let digest = words.first.map({ prefix + $0 }), Self.isDigest(digest),
                    digest.hasPrefix(part), words.dropFirst().allSatisfy({ $0.hasPrefix("new-") })
                else { return nil }
                return (digest, "\(path)/\(part)/\(name)")
            }
        }
    }

    private func part(of digest: String) -> String { "\(path)/\(digest.prefix(2))" }

    /// Whether a text can be a digest; only these may become part of a path.
    package static func isDigest(_ text: String) -> Bool { isHex(text, 64) }

    /// Whether a text can be the name of a subfolder.
    static func isPart(_ text: String) -> Bool { isHex(text, 2) }

    private static func isHex(_ text: String, _ count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}
