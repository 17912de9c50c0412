import Apus
import FoundationEssentials
import Glibc

/// A session as a folder of text files, one for each exchange, made for people and version control.
///
/// ```
/// session.txt                       “apus session 1” and the session's name
/// .gitattributes                    * -text, so that git does not change the bytes
/// 001-get-users-7.txt               the exchanges, in order (``SessionFolderFile``)
/// 002-post-users.txt
/// 002-post-users.response.png         a body that is long or not text
/// ```
/// Reading a folder and writing it again gives the same files. Writing a session and reading it again gives
/// the same bodies.
package struct SessionFolder: Sendable {
    private static let head = "apus session 1\n"
    /// Limits in bytes and files, because a folder may come from somebody else.
    private static let textLimit = 16 << 20
    private static let bodyLimit = 512 << 20
    private static let countLimit = 100_000

    private let path: String
    /// The bodies of responses that are elsewhere, by the names of their files.
    private let remote: [String: RemoteBody]

    package init(_ path: String, remote: [String: RemoteBody] = [:]) {
        (self.path, self.remote) = (path, remote)
    }

    /// Whether a path is a folder, of a session or not.
    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    // MARK: writing

    /// Creates the folder, or removes the exchanges, and nothing else, if it is the folder of a session.
    ///
    /// - Throws: ``SessionFileError`` if it contains anything else, and then nothing is removed, or if it cannot be
    ///   written.
    package func begin(session: String) throws(SessionFileError) {
        // A session may have been recorded with its secrets, and always says what somebody does.
        if mkdir(path, 0o700) != 0, errno != EEXIST { throw fault(nil, errno) }
        let names = Folders.names(in: path)
        let isSession = names.contains("session.txt") && (try? self.session()) != nil
        guard isSession || names.isEmpty else {
            throw SessionFileError(
                path,
                "this folder contains other files; choose another or an empty one"
            )
        }
        for name in try ownFiles(among: Set(names)) { unlink("\(path)/\(name)") }
        // Keep it on one line: an imported name may have line ends.
        let name = String(session.map { $0.isNewline ? " " : $0 })
        try write(Array("\(Self.head)\(name)\n".utf8), to: "session.txt")
        // Keep the user's own file if there is one.
        if !names.contains(".gitattributes") {
            try write(Array("* -text\n".utf8), to: ".gitattributes")
        }
    }

    /// The files that were written to the folder before: the texts, and the bodies that they name.
    ///
    /// - Throws: ``SessionFileError`` for a file with the name of an exchange that is not one. Reading the session
    ///   would take it for an exchange.
    private func ownFiles(among names: Set<String>) throws(SessionFileError) -> [String] {
        guard names.contains("session.txt") else { return [] }
        var own = ["session.txt"]
        for name in names.sorted() where Self.isText(name) {
            var bodies: [String] = []
            do throws(SessionFileError) {
                let text = try read(name, limit: Self.textLimit)
                var reader = try SessionFolderReader(text, path: "\(path)/\(name)") {
                    bodies.append($0)
                    return .bytes([])
                }
                _ = try reader.exchange()
            } catch {
                throw SessionFileError(
                    error.path,
                    at: error.place,
                    "\(error.detail); this is not an exchange; move the file elsewhere"
                )
            }
            let ownBodies = name.dropLast(4) + "."
            own += [name] + bodies.filter { names.contains($0) && $0.hasPrefix(ownBodies) }
        }
        return own
    }

    /// Whether a file has the name of an exchange's text: `001-get-users.txt`.
    private static func isText(_ name: String) -> Bool {
        let digits = name.prefix { ("0"..."9").contains($0) }
        return digits.count >= 3 && name[digits.endIndex...].hasPrefix("-")
            && name.hasSuffix(".txt")
    }

    /// Writes an exchange to the folder.
    ///
    /// - Throws: ``SessionFileError`` if it cannot be written, `ApusError` if a body cannot be read.
    package func add(
        _ whole: ExchangeDetails,
        number: Int,
        of count: Int,
        run: (Int, RecordedRun)?
    ) throws {
        let file = try SessionFolderFile(whole, number: number, of: count, run: run)
        try write(Array(file.text.utf8), to: "\(file.name).txt")
        for body in file.bodies { try write(body.bytes, to: body.name) }
    }

    private func write(_ bytes: [UInt8], to name: String) throws(SessionFileError) {
        // An existing file is not ours, and may be a pipe that nobody reads.
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        let descriptor = open("\(path)/\(name)", flags, 0o600)
        guard descriptor >= 0 else { throw fault(name, errno) }
        let isWritten = bytes.withUnsafeBytes { FilePieces.write($0, to: descriptor) }
        let number = errno
        guard close(descriptor) == 0 else { throw fault(name, errno) }
        guard isWritten else { throw fault(name, number) }
    }

    private func fault(_ name: String?, _ number: Int32) -> SessionFileError {
        SessionFileError(name.map { "\(path)/\($0)" } ?? path, String(cString: strerror(number)))
    }

    // MARK: reading

    /// Reads the session's name.
    ///
    /// - Throws: ``SessionFileError`` if the folder is not the folder of a session.
    package func session() throws(SessionFileError) -> String {
        let text = String(decoding: try read("session.txt", limit: Self.textLimit), as: UTF8.self)
        guard text.hasPrefix(Self.head) else {
            throw SessionFileError("\(path)/session.txt", "it does not begin with “apus session 1”")
        }
        return String(text.dropFirst(Self.head.count).prefix { !$0.isNewline })
    }

    /// The exchanges in order, and the faults of the files that cannot be read.
    ///
    /// - Throws: ``SessionFileError`` if the folder is not one of a session.
    package func exchanges() throws(SessionFileError) -> some Sequence<
        Result<ImportedExchange, SessionFileError>
    > {
        let names = Folders.names(in: path).filter(Self.isText)
        guard names.count <= Self.countLimit else {
            throw SessionFileError(path, "it has more than \(Self.countLimit) exchanges")
        }
        if names.isEmpty {
            // An empty session has its name; any other folder is none.
            guard Folders.names(in: path).contains("session.txt") else {
                throw SessionFileError(
                    path,
                    "there are no exchanges in this folder; `apus sessions export SESSION -o FOLDER` "
                        + "writes one that can be imported"
                )
            }
            _ = try session()
        }
        let sorted = names.sorted {
            ($0.utf8.count(before: "-"), $0) < ($1.utf8.count(before: "-"), $1)
        }
        return sequence(state: sorted[...]) { names in
            guard let name = names.popFirst() else { return nil }
            do throws(SessionFileError) {
                return .success(try exchange(name))
            } catch {
                return .failure(error)
            }
        }
    }

    private func exchange(_ name: String) throws(SessionFileError) -> ImportedExchange {
        var reader = try SessionFolderReader(
            try read(name, limit: Self.textLimit),
            path: "\(path)/\(name)"
        ) { (body: String) throws(SessionFileError) in
            // The body must be a file in the same folder.
            guard !body.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }),
                !body.hasPrefix(".")
            else {
                throw SessionFileError(
                    "\(path)/\(name)",
                    "“\(body)” is not the name of a file beside it"
                )
            }
            if let remote = remote[body] { return .remote(remote) }
            return .bytes(try read(body, limit: Self.bodyLimit))
        }
        return try reader.exchange()
    }

    /// Reads a regular file, without following links.
    private func read(_ name: String, limit: Int) throws(SessionFileError) -> [UInt8] {
        let place = "\(path)/\(name)"
        let descriptor = open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw errno == ELOOP
                ? SessionFileError(place, "this is a link, which is not followed")
                : fault(name, errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw SessionFileError(place, "not a regular file")
        }
        guard status.st_size <= limit else {
            throw SessionFileError(place, "it is larger than \(limit >> 20) MiB")
        }
        do throws(ApusError) {
            return try FileBytes.read(descriptor, of: place)
        } catch {
            throw SessionFileError(place, "it cannot be read")
        }
    }
}

extension Sequence<UInt8> {
    /// The number of bytes before a character.
    fileprivate func count(before sign: Unicode.Scalar) -> Int {
        prefix { $0 != UInt8(ascii: sign) }.reduce(0) { count, _ in count + 1 }
    }
}
