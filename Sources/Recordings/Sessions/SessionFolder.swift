import Apus
import FoundationEssentials
import Glibc

/// A session as a folder of text files, one for an exchange, for people and version control.
///
/// ```
/// session.txt                       apus session 1, and the session's name
/// .gitattributes                    * -text: git leaves the bytes as they are
/// 001-get-users-7.txt               the exchanges in their order (``SessionFolderFile``)
/// 002-post-users.txt
/// 002-post-users.answer.png         a body that is long, or no text
/// ```
/// What is read and written again gives the same files, and what is written and read again the same
/// bodies.
package struct SessionFolder: Sendable {
    private static let head = "apus session 1\n"
    /// Who reads a folder does not know who wrote it.
    private static let textLimit = 16 << 20
    private static let bodyLimit = 512 << 20
    private static let countLimit = 100_000

    private let path: String

    package init(_ path: String) { self.path = path }

    /// Whether a folder is one.
    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    // MARK: writing

    /// Makes the folder, or takes the exchanges out of one of a session, and nothing else.
    ///
    /// - Throws: ``SessionFault`` if something else is in it, or it cannot be written; nothing was changed
    ///   then.
    package func begin(session: String) throws(SessionFault) {
        if mkdir(path, 0o777) != 0, errno != EEXIST { throw fault(nil, errno) }
        let names = PrivateFiles.names(in: path)
        let isSession = names.contains("session.txt") && (try? self.session()) != nil
        guard isSession || names.isEmpty else {
            throw SessionFault(
                path,
                "there is something else in this folder; name another, or an empty one"
            )
        }
        for name in try ownFiles(among: Set(names)) { unlink("\(path)/\(name)") }
        // One line: whose name it is may be anybody.
        let name = String(session.map { $0.isNewline ? " " : $0 })
        try write(Array("\(Self.head)\(name)\n".utf8), to: "session.txt")
        // Its user's own, if there is one.
        if !names.contains(".gitattributes") {
            try write(Array("* -text\n".utf8), to: ".gitattributes")
        }
    }

    /// What was written to the folder before: the texts, and the bodies that they name.
    ///
    /// - Throws: ``SessionFault`` for a file that is called as one of an exchange, and is none: it would be
    ///   taken for one when the session is read.
    private func ownFiles(among names: Set<String>) throws(SessionFault) -> [String] {
        guard names.contains("session.txt") else { return [] }
        var own = ["session.txt"]
        for name in names.sorted() where Self.isText(name) {
            var bodies: [String] = []
            do throws(SessionFault) {
                let text = try read(name, limit: Self.textLimit)
                var reader = try SessionFolderReader(text, path: "\(path)/\(name)") {
                    bodies.append($0)
                    return []
                }
                _ = try reader.exchange()
            } catch {
                throw SessionFault(
                    error.path,
                    at: error.place,
                    "\(error.detail); this is no exchange of a session: move it away"
                )
            }
            let ownBodies = name.dropLast(4) + "."
            own += [name] + bodies.filter { names.contains($0) && $0.hasPrefix(ownBodies) }
        }
        return own
    }

    /// Whether a file is called as the text of an exchange: `001-get-users.txt`.
    private static func isText(_ name: String) -> Bool {
        let digits = name.prefix { ("0"..."9").contains($0) }
        return digits.count >= 3 && name[digits.endIndex...].hasPrefix("-")
            && name.hasSuffix(".txt")
    }

    /// Writes an exchange.
    ///
    /// - Throws: ``SessionFault``; `ApusError` for a body that cannot be read.
    package func add(
        _ whole: RecordedWhole,
        number: Int,
        of count: Int,
        run: (Int, RecordedRun)?
    ) throws {
        let file = try SessionFolderFile(whole, number: number, of: count, run: run)
        try write(Array(file.text.utf8), to: "\(file.name).txt")
        for body in file.bodies { try write(body.bytes, to: body.name) }
    }

    private func write(_ bytes: [UInt8], to name: String) throws(SessionFault) {
        // What is there is not ours, and may be a pipe that nobody reads.
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        let descriptor = open("\(path)/\(name)", flags, 0o666)
        guard descriptor >= 0 else { throw fault(name, errno) }
        let isWritten = bytes.withUnsafeBytes { FilePieces.write($0, to: descriptor) }
        let number = errno
        guard close(descriptor) == 0 else { throw fault(name, errno) }
        guard isWritten else { throw fault(name, number) }
    }

    private func fault(_ name: String?, _ number: Int32) -> SessionFault {
        SessionFault(name.map { "\(path)/\($0)" } ?? path, String(cString: strerror(number)))
    }

    // MARK: reading

    /// The session's name.
    ///
    /// - Throws: ``SessionFault`` if the folder is none of a session.
    package func session() throws(SessionFault) -> String {
        let text = String(decoding: try read("session.txt", limit: Self.textLimit), as: UTF8.self)
        guard text.hasPrefix(Self.head) else {
            throw SessionFault("\(path)/session.txt", "it does not begin with “apus session 1”")
        }
        return String(text.dropFirst(Self.head.count).prefix { !$0.isNewline })
    }

    /// The exchanges in their order; the first fault is the last element.
    package func exchanges() throws(SessionFault) -> some Sequence<
        Result<ImportedExchange, SessionFault>
    > {
        let names = PrivateFiles.names(in: path).filter(Self.isText)
        guard names.count <= Self.countLimit else {
            throw SessionFault(path, "it has more than \(Self.countLimit) exchanges")
        }
        let sorted = names.sorted {
            ($0.utf8.count(before: "-"), $0) < ($1.utf8.count(before: "-"), $1)
        }
        return sequence(state: sorted[...]) { names in
            guard let name = names.popFirst() else { return nil }
            do throws(SessionFault) {
                return .success(try exchange(name))
            } catch {
                names = []
                return .failure(error)
            }
        }
    }

    private func exchange(_ name: String) throws(SessionFault) -> ImportedExchange {
        var reader = try SessionFolderReader(
            try read(name, limit: Self.textLimit),
            path: "\(path)/\(name)"
        ) { (body: String) throws(SessionFault) in
            // A body stands beside its text, and nowhere else.
            guard !body.utf8.contains(where: { $0 == UInt8(ascii: "/") || $0 == 0 }),
                !body.hasPrefix(".")
            else {
                throw SessionFault("\(path)/\(name)", "“\(body)” is no name of a file beside it")
            }
            return try read(body, limit: Self.bodyLimit)
        }
        return try reader.exchange()
    }

    /// The bytes of a file, which is no link.
    private func read(_ name: String, limit: Int) throws(SessionFault) -> [UInt8] {
        let place = "\(path)/\(name)"
        let descriptor = open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw errno == ELOOP
                ? SessionFault(place, "this is a link, which is not followed") : fault(name, errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw SessionFault(place, "this is no file")
        }
        guard status.st_size <= limit else {
            throw SessionFault(place, "it is larger than \(limit >> 20) MiB")
        }
        do throws(ApusError) {
            return try FileBytes.read(descriptor, of: place)
        } catch {
            throw SessionFault(place, "it cannot be read")
        }
    }
}

extension Sequence<UInt8> {
    /// How many bytes there are before a sign.
    fileprivate func count(before sign: Unicode.Scalar) -> Int {
        prefix { $0 != UInt8(ascii: sign) }.reduce(0) { count, _ in count + 1 }
    }
}
