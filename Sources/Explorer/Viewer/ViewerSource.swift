import Documents
import Glibc

/// What `apus view` reads.
public struct ViewerSource: Sendable {
    /// Where the bytes come from.
    public enum Origin: Sendable {
        /// A file that may be written by others.
        case file(String)
        /// A pipe or another open descriptor; it stays open.
        case descriptor(Int32)
    }

    /// Where the bytes come from.
    public var origin: Origin
    /// What the screen calls it.
    public var name: String
    /// What the bytes are, as a Content-Type; nil to find out from them.
    public var contentType: String?

    /// Names a source.
    public init(origin: Origin, name: String, contentType: String? = nil) {
        self.origin = origin
        self.name = name
        self.contentType = contentType
    }

    /// Opens the document and takes in what is enough for a screen; it may wait for a pipe.
    func open() throws(DocumentError) -> BodyDocument {
        let bytes =
            switch origin {
            case .file(let path): try DocumentBytes.streaming(file: path)
            case .descriptor(let descriptor): try DocumentBytes.streaming(descriptor: descriptor)
            }
        return BodyDocument(bytes, contentType: contentType)
    }

    /// Whether opening it waits for nobody: it is a file on disk.
    var isImmediate: Bool {
        guard case .file(let path) = origin else { return false }
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
}
