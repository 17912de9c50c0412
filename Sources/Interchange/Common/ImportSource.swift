package import Documents
import Glibc
import Secrets

/// What is imported, and the files beside it that it refers to.
package final class ImportSource {
    /// The path of the file or folder, or its URL; empty for standard input.
    package let path: String
    /// Whether it is a folder.
    package let isFolder: Bool
    /// Bytes of the file, in UTF-8 if they are a text; empty for a folder.
    package let bytes: [UInt8]
    /// What the encoding was guessed to be, for a text that is not in UTF-8 and does not say what it is in; else nil.
    package let guessedEncoding: String?
    /// The bytes of URLs that were fetched.
    private let fetched: [String: [UInt8]]
    /// The URLs that were asked for and are not there, which the caller may fetch before the next attempt.
    package private(set) var missing: [String] = []
    private var read: [String: [UInt8]] = [:]
    /// The file as JSON or YAML, once it was asked for: to recognize it, and to read it.
    private var ownTree: Result<ImportTree, ImportError>?

    /// Bytes that were obtained from a path, a URL or standard input.
    package init(path: String, bytes: [UInt8], fetched: [String: [UInt8]] = [:]) {
        self.path = path
        (self.bytes, guessedEncoding) = ImportEncoding.utf8(bytes)
        self.fetched = fetched
        isFolder = false
    }

    /// A folder.
    package init(folder: String) {
        path = folder
        (bytes, guessedEncoding) = ([], nil)
        fetched = [:]
        isFolder = true
    }

    /// The same source, with more URLs that were fetched.
    package func with(fetched: [String: [UInt8]]) -> ImportSource {
        isFolder
            ? ImportSource(folder: path) : ImportSource(path: path, bytes: bytes, fetched: fetched)
    }

    /// The file or folder at a path; nil if it cannot be read.
    package convenience init?(at path: String) {
        if ImportFile.isFolder(path) {
            self.init(folder: path)
        } else {
            guard let bytes = ImportFile.bytes(at: path) else { return nil }
            self.init(path: path, bytes: bytes)
        }
    }

    /// What standard input has; nil if it cannot be read.
    package static func standardInput() -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while bytes.count <= ImportFile.maximumSize {
            let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? bytes : nil }
            bytes += buffer[..<count]
        }
        return nil
    }

    /// Whether it may refer to a URL: one reference of a description is not within the file, or it is a URL itself.
    package var mayReferElsewhere: Bool {
        // UTF-16 is not searched.
        if isURL || bytes.prefix(4).contains(where: { $0 == 0 || $0 >= 0xFE }) { return true }
        for key in ["$ref", "externalValue", "operationRef"] {
            var rest = bytes[...]
            while let found = rest.firstRange(of: key.utf8) {
                rest = rest[found.upperBound...]
                let value = rest.drop { " \t\r\n:\"'".utf8.contains($0) }
                if value.first != UInt8(ascii: "#") { return true }
            }
        }
        return false
    }

    /// Whether the source is a URL.
    package var isURL: Bool { Self.isURL(path) }

    /// Whether a path is a URL with `http` or `https`.
    package static func isURL(_ path: String) -> Bool {
        let lowered = path.prefix(8).lowercased()
        return lowered.hasPrefix("http://") || lowered.hasPrefix("https://")
    }

    /// The file as JSON or YAML.
    ///
    /// - Throws: `ImportError` with the place, if it is neither.
    package func tree() throws(ImportError) -> ImportTree {
        if let ownTree { return try ownTree.get() }
        let result: Result<ImportTree, ImportError>
        do throws(ImportError) {
            result = .success(try ImportTree(bytes, named: path))
        } catch {
            result = .failure(error)
        }
        ownTree = result
        return try result.get()
    }

    /// What was lost when the file was read as text: its encoding, its comments.
    package var textLosses: [ImportLoss] {
        var losses: [ImportLoss] = []
        if let guessedEncoding {
            losses.append(
                ImportLoss(
                    "an encoding",
                    "the file is not in UTF-8 and was read as \(guessedEncoding)"
                )
            )
        }
        if case .success(let tree)? = ownTree { losses += tree.losses }
        return losses
    }

    /// The bytes of another file, by its path from this file's folder, or by a URL.
    ///
    /// - Returns: nil if it cannot be read. A URL that was not fetched yet is added to `missing`.
    package func bytes(of reference: String) -> [UInt8]? {
        let place = resolve(reference)
        if let bytes = read[place] ?? fetched[place] { return bytes }
        if Self.isURL(place) {
            if !missing.contains(place) { missing.append(place) }
            return nil
        }
        guard let bytes = ImportFile.bytes(at: place) else { return nil }
        read[place] = bytes
        return bytes
    }

    /// A reference from this file as a path from where the program runs, or as a URL.
    package func resolve(_ reference: String, from base: String? = nil) -> String {
        if Self.isURL(reference) || reference.hasPrefix("/") && !isURL { return reference }
        let base = base ?? path
        if base == path, isFolder {
            return path.hasSuffix("/") ? path + reference : "\(path)/\(reference)"
        }
        if Self.isURL(base) { return Self.url(reference, from: base) }
        guard let slash = base.lastIndex(of: "/") else { return reference }
        return Self.withoutDots(base[...slash] + reference)
    }

    /// The names of the files and folders in a folder of the source, by its path from it; sorted.
    package func names(in folder: String = "") -> [String] {
        let place = folder.isEmpty ? path : resolve(folder)
        return ImportFile.names(in: place).sorted()
    }

    private static func url(_ reference: String, from base: String) -> String {
        let start = base.firstRange(of: "://").map(\.upperBound) ?? base.startIndex
        let authority = base[start...].firstIndex { "/?#".contains($0) } ?? base.endIndex
        if reference.hasPrefix("//") { return base[..<start].dropLast(2) + reference }
        if reference.hasPrefix("/") { return base[..<authority] + reference }
        let path = base[authority...].prefix { !"?#".contains($0) }
        let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
        return base[..<authority] + withoutDots(folder + reference)
    }

    /// The path without `.` and `x/..` (RFC 3986, section 5.2.4).
    private static func withoutDots(_ path: some StringProtocol) -> String {
        var parts: [Substring] = []
        for part in Substring(path).split(separator: "/", omittingEmptySubsequences: false) {
            if part == "." { continue }
            if part == "..", let last = parts.last, last != "..", !last.isEmpty {
                parts.removeLast()
            } else {
                parts.append(part)
            }
        }
        return parts.joined(separator: "/")
    }
}

/// Why something cannot be imported, as a sentence without its period.
package struct ImportError: Error, CustomStringConvertible, Hashable {
    /// The sentence.
    package let description: String

    /// Makes an error.
    package init(_ description: String) {
        self.description = description
    }
}

/// A JSON or YAML file, with the lines of its values.
package struct ImportTree {
    /// The file's value.
    package let root: JSON
    /// What reading it as JSON or YAML left out.
    let losses: [ImportLoss]
    private let document: FormattedDocument
    /// The offsets after each line's end, found once: a file may have thousands of losses.
    private let lineStarts: [Int]

    /// Reads bytes as JSON or, if they do not begin as JSON does, as YAML, whatever the file is called.
    ///
    /// - Throws: `ImportError` with the place, if they are neither.
    package init(_ bytes: [UInt8], named name: String) throws(ImportError) {
        let original = ImportEncoding.utf8(bytes).bytes
        let first = original.first { !" \t\r\n\u{FEFF}".utf8.contains($0) }
        let isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
        let read = isJSON ? Self.json(original) : Self.yaml(original)
        document = read.document
        losses = read.losses
        // A byte order mark is no part of the text.
        let hasMark = read.bytes.starts(with: [0xEF, 0xBB, 0xBF])
        let mark = hasMark ? read.bytes.count - document.text.count : 0
        lineStarts = read.bytes.indices.lazy.filter { read.bytes[$0] == UInt8(ascii: "\n") }
            .map { $0 + 1 - mark }
        root = JSON(document: document.document)
        if let fault = document.faults.first {
            throw ImportError(
                "\(name):\(fault.position.line):\(fault.position.column): \(fault.description)"
            )
        }
        if let fault = document.document.fault {
            throw ImportError("\(name): \(fault)")
        }
    }

    private typealias Reading = (
        document: FormattedDocument, bytes: [UInt8], losses: [ImportLoss]
    )

    private static func json(_ bytes: [UInt8]) -> Reading {
        let opened = FormattedDocument.opening(DocumentBytes(bytes), as: .json)
        guard opened.document.fault != nil else { return (opened, bytes, []) }
        if let loose = LooseJSON(bytes) {
            let other = FormattedDocument.opening(DocumentBytes(loose.bytes), as: .json)
            if other.document.fault == nil, other.faults.isEmpty {
                let losses = loose.comments.map { text, line in
                    ImportLoss("a comment", "JSON has none", text: text, line: line)
                }
                return (other, loose.bytes, losses)
            }
        }
        // YAML may begin with a brace, too.
        let other = FormattedDocument.opening(DocumentBytes(bytes), as: .yaml)
        return other.faults.isEmpty ? (other, bytes, []) : (opened, bytes, [])
    }

    private static func yaml(_ bytes: [UInt8]) -> Reading {
        let opened = FormattedDocument.opening(DocumentBytes(bytes), as: .yaml)
        guard !opened.faults.isEmpty, let untabbed = TabbedYAML.untabbed(bytes) else {
            return (opened, bytes, [])
        }
        let other = FormattedDocument.opening(DocumentBytes(untabbed), as: .yaml)
        guard other.faults.isEmpty else { return (opened, bytes, []) }
        let reason = "YAML has none; each was read as two blanks"
        return (other, untabbed, [ImportLoss("tabs as indentation", reason)])
    }

    /// The line of a value of this file, from 1; nil if it is of another file.
    package func line(of value: JSON) -> Int? {
        guard let (document, node) = value.source, document === self.document.document else {
            return nil
        }
        guard let offset = self.document.offset(of: node) else { return nil }
        var (low, high) = (0, lineStarts.count)
        while low < high {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle + 1 } else { high = middle }
        }
        return low + 1
    }
}
