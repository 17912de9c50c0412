/// The bytes of an answer: in memory, or in a file when they are many.
public enum ResponseBody: Sendable, Hashable {
    /// All bytes, in memory.
    case bytes([UInt8])
    /// A file with the bytes.
    case file(BodyFile)

    /// How many bytes there are.
    public var count: Int {
        switch self {
        case .bytes(let bytes): bytes.count
        case .file(let file): file.count
        }
    }

    /// Whether there is no byte.
    public var isEmpty: Bool { count == 0 }

    /// All bytes, read from the file if they are in one.
    ///
    /// - Throws: `ApusError` with the reason `.file` if the file cannot be read.
    public func load() throws(ApusError) -> [UInt8] {
        switch self {
        case .bytes(let bytes): bytes
        case .file(let file): try file.load()
        }
    }
}
