import FoundationEssentials
import Glibc
import Synchronization

/// Why a file cannot be read or written, in words that follow its name.
package struct FileReadError: Error, Sendable, Hashable {
    /// For example "does not exist".
    package let detail: String

    /// Makes an error.
    package init(detail: String) {
        self.detail = detail
    }

    /// There is no such file.
    static let missing = FileReadError(detail: "does not exist")
}

/// Reads small text files.
enum TextFile {
    static let maximumSize = 16 << 20

    /// A file's text, without a byte order mark.
    static func read(
        _ path: String,
        atMost limit: Int = maximumSize
    ) throws(FileReadError) -> String {
        let text = try readWhole(path, atMost: limit)
        return text.first == byteOrderMark ? String(text.dropFirst()) : text
    }

    static let byteOrderMark: Character = "\u{FEFF}"

    /// A file's text, including any byte order mark.
    static func readWhole(
        _ path: String,
        atMost limit: Int = maximumSize
    ) throws(FileReadError) -> String {
        let bytes = try bytes(path, limit)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw FileReadError(detail: "is not a UTF-8 text (\(faultPlace(in: bytes)))")
        }
        return text
    }

    static func isFolder(_ path: String) -> Bool {
        var isFolder = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder
    }

    /// Whether symbolic links lead out of the folder of `path`; true as well if the path cannot be resolved.
    static func isLinkedFromOutside(_ path: String) -> Bool {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard let real = realPath(path), let realFolder = realPath(folder) else { return true }
        return !isBelow(real, realFolder)
    }

    /// Whether a real path is inside of a real folder.
    ///
    /// Compares bytes, because Swift treats different encodings of an accented letter as equal.
    static func isBelow(_ path: String, _ folder: String) -> Bool {
        path.utf8.starts(with: folder == "/" ? "/".utf8 : "\(folder)/".utf8)
    }

    /// The path with symbolic links resolved; nil, with `errno` set, if it cannot be resolved.
    static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// The names in a folder, sorted.
    static func names(inFolder path: String) throws(FileReadError) -> [String] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        } catch {
            throw FileReadError(detail: words(for: error))
        }
    }

    /// `path` resolved against the folder of `file`, unless it is absolute.
    static func resolve(_ path: String, besideFile file: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return String(file[...slash]) + path
    }

    /// The folder of a file as an absolute path, if there is such a folder.
    static func folder(of file: String) -> String {
        let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? "."
        return realPath(folder) ?? folder
    }

    /// Reads at most `limit` bytes, only from regular files: pipes and devices may block or never end.
    private static func bytes(_ path: String, _ limit: Int) throws(FileReadError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw FileReadError(detail: words(for: errno)) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw FileReadError(detail: words(for: errno))
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw FileReadError(detail: "is a folder")
        default: throw FileReadError(detail: "is not a regular file")
        }
        let tooLarge = FileReadError(
            detail: limit < 1 << 20
                ? "is larger than \(limit >> 10) KiB" : "is larger than \(limit >> 20) MiB"
        )
        guard status.st_size <= limit else { throw tooLarge }
        var bytes: [UInt8] = []
        // Files in /proc have no size, and others may grow.
        while bytes.count <= limit {
            let piece = try piece(of: descriptor)
            guard !piece.isEmpty else { return bytes }
            bytes += piece
        }
        throw tooLarge
    }

    private static func piece(of descriptor: Int32) throws(FileReadError) -> [UInt8] {
        var failure: Int32 = 0
        let piece = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            var got = 0
            repeat {
                got = Glibc.read(descriptor, buffer.baseAddress, 1 << 16)
            } while got < 0 && errno == EINTR
            failure = got < 0 ? errno : 0
            count = max(0, got)
        }
        guard failure == 0 else { throw FileReadError(detail: words(for: failure)) }
        return piece
    }

    static func words(for error: Int32) -> String {
        switch error {
        case ENOENT, ENOTDIR: FileReadError.missing.detail
        case EACCES, EPERM: "cannot be read (permission denied)"
        default: "cannot be read"
        }
    }

    private static func words(for error: any Error) -> String {
        switch (error as? CocoaError)?.code {
        case .fileReadNoSuchFile, .fileNoSuchFile: "does not exist"
        case .fileReadNoPermission: "cannot be read (permission denied)"
        default: "cannot be read"
        }
    }

    private static func faultPlace(in bytes: [UInt8]) -> String {
        var line = 1
        var start = 0
        for end in bytes.indices where bytes[end] == 0x0A || end == bytes.count - 1 {
            if String(validating: bytes[start...end], as: UTF8.self) == nil { break }
            line += 1
            start = end + 1
        }
        return "line \(line)"
    }
}

/// A file's text and its lines, from which a problem shows one.
final class SourceText: Sendable {
    /// The file's name, as problems show it.
    let name: String
    let text: String
    /// The lines, without line ends; split when the first problem is shown, for most files have none.
    private let lines = Mutex<[String]?>(nil)
    /// Whether problems must not show any of the text.
    let isHidden: Bool
    /// The file's text as it was read, including any byte order mark; nil if there is no file.
    let original: String?
    /// Whether the file is not there yet; `original` is then the text that it begins with.
    let isNew: Bool
    private let hidden = Mutex<HiddenCredentials??>(nil)

    init(
        name: String,
        text: String,
        isHidden: Bool = false,
        original: String? = nil,
        isNew: Bool = false
    ) {
        self.isNew = isNew
        self.name = name
        self.text = text
        self.isHidden = isHidden
        self.original = original
    }

    /// The text's credentials; nil if it is not YAML, so that any word may be one.
    ///
    /// Found when the first problem is reported, because most files have none.
    var credentials: HiddenCredentials? {
        hidden.withLock { hidden in
            if let hidden { return hidden }
            let found = HiddenCredentials(of: text)
            hidden = .some(found)
            return found
        }
    }

    /// The line with this number, from 1; nil if there is none.
    func line(_ number: Int) -> String? {
        lines.withLock { lines in
            let all =
                lines
                ?? text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
                .map(String.init)
            lines = all
            return all.indices.contains(number - 1) ? all[number - 1] : nil
        }
    }
}

/// A line and a column of a file.
package struct SourceLocation: Sendable, Hashable, CustomStringConvertible {
    /// The file's name.
    package let file: String
    /// The line, from 1; 0 for the file as a whole.
    package let line: Int
    /// The column, from 1, in Unicode scalars; 0 for the file as a whole.
    package let column: Int

    /// Makes a location.
    package init(file: String, line: Int = 0, column: Int = 0) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// `demo.apus.yaml:3:5`.
    package var description: String { line == 0 ? file : "\(file):\(line):\(column)" }
}

/// A place in a file: a line, a column and a length.
struct Span: Sendable {
    let source: SourceText
    /// From 1; 0 for the file as a whole.
    var line: Int
    /// From 1, in Unicode scalars, as YAML counts.
    var column: Int
    /// How many scalars the caret underlines, at least 1.
    var length: Int

    init(_ source: SourceText, line: Int = 0, column: Int = 0, length: Int = 1) {
        self.source = source
        self.line = line
        self.column = column
        self.length = max(1, length)
    }

    /// A place `offset` scalars to the right.
    func advanced(by offset: Int, length: Int) -> Span {
        Span(source, line: line, column: column + offset, length: length)
    }

    /// The place without the file's text.
    var location: SourceLocation {
        SourceLocation(file: source.name, line: line, column: column)
    }
}
