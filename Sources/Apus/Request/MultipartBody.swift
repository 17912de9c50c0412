import Glibc
import HTTPTypes

extension MultipartForm {
    /// The body in pieces, in order.
    package func pieces() -> [BodyPiece] {
        var pieces: [BodyPiece] = []
        for (index, part) in parts.enumerated() {
            pieces.append(.bytes(head(of: part, isFirst: index == 0)))
            switch part.content {
            case .bytes(let bytes): pieces.append(.bytes(bytes))
            case .file(let path): pieces.append(.file(path: path))
            case .stream(let stream): pieces.append(.stream(stream))
            }
        }
        pieces.append(.bytes(Array("\r\n--\(boundary)--\r\n".utf8)))
        return pieces
    }

    /// Whether a part is a file.
    var hasFile: Bool {
        parts.contains { if case .file = $0.content { true } else { false } }
    }

    /// The body with a remark instead of each file and stream, for display.
    package var outline: [UInt8] {
        pieces().reduce(into: []) { text, piece in
            switch piece {
            case .bytes(let bytes): text += bytes
            case .file(let path): text += Array("[the file \(path)]".utf8)
            case .stream(let stream): text += Array(stream.remark.utf8)
            }
        }
    }

    private func head(of part: Part, isFirst: Bool) -> [UInt8] {
        var text = isFirst ? "" : "\r\n"
        text += "--\(boundary)\r\n"
        // The part's own fields replace these.
        if part.headerFields[.contentDisposition] == nil {
            text += "Content-Disposition: form-data; name=\"\(Self.quoted(part.name))\""
            if let name = part.shownFileName { text += "; filename=\"\(Self.quoted(name))\"" }
            text += "\r\n"
        }
        if part.headerFields[.contentType] == nil, let type = part.shownType {
            text += "Content-Type: \(Self.line(type))\r\n"
        }
        var bytes = Array(text.utf8)
        for field in part.headerFields {
            bytes += Array("\(field.name.rawName): ".utf8)
            field.withUnsafeBytesOfValue { bytes += $0 }
            bytes += Array("\r\n".utf8)
        }
        return bytes + Array("\r\n".utf8)
    }

    /// Escapes a name as browsers do (WHATWG HTML, "multipart/form-data encoding algorithm"): only quotes and
    /// line ends.
    private static func quoted(_ name: String) -> String {
        var text = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": text += "%22"
            case "\r": text += "%0D"
            case "\n": text += "%0A"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// Removes line ends, so that a value cannot begin a line of its own.
    private static func line(_ value: String) -> String {
        String(String.UnicodeScalarView(value.unicodeScalars.filter { $0 != "\r" && $0 != "\n" }))
    }
}

/// A piece of a request's body.
package enum BodyPiece: Sendable {
    /// Bytes in memory.
    case bytes([UInt8])
    /// The bytes of a file.
    case file(path: String)
    /// Bytes that are produced while they are sent.
    case stream(BodyStream)

    /// The length in bytes; -1 for a stream of unknown length.
    ///
    /// - Throws: `ApusError` with the reason `.file` for a file that cannot be read, or that has no known length.
    func count() throws(ApusError) -> Int {
        switch self {
        case .bytes(let bytes): return bytes.count
        case .stream(let stream): return stream.count
        case .file(let path):
            var status = stat()
            guard stat(path, &status) == 0 else { throw ApusError(.file(path: path, errno: errno)) }
            if status.st_mode & S_IFMT == S_IFDIR {
                throw ApusError(.file(path: path, errno: EISDIR))
            }
            // The length of a pipe is unknown, and reading it could block.
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw ApusError(.file(path: path, errno: ESPIPE))
            }
            guard access(path, R_OK) == 0 else { throw ApusError(.file(path: path, errno: errno)) }
            return Int(status.st_size)
        }
    }
}
