/// The header of the index of SQLite's log of writes, in the memory that all processes share which
/// have the file open.
///
/// Every commit changes it: it counts them
/// (https://www.sqlite.org/walformat.html, section 2.1, "The WAL-Index Header").
struct LogIndex {
    /// The header comes twice: who writes changes the second first, and who reads one between the
    /// two sees that they differ.
    private static let copy = 48
    /// The index is shared in pieces of so many bytes.
    static let piece = 32768

    private let shared: UnsafeRawBufferPointer
    private var seen: [UInt8] = []

    /// What `start` points to belongs to SQLite; it must outlive this.
    init(_ start: UnsafeRawPointer) {
        shared = UnsafeRawBufferPointer(start: start, count: 2 * Self.copy)
    }

    /// Remembers the header as it is; false if it is being written.
    mutating func look() -> Bool {
        seen = [UInt8](shared)
        return seen.prefix(Self.copy) == seen.suffix(Self.copy)
    }

    /// Whether anything was committed since the last look.
    var hasChanged: Bool { !seen.withUnsafeBytes(shared.isEqual(to:)) }
}
