import ArgumentParser
import Glibc
import Terminal

/// The program's output, or a file's, gathered into large writes.
struct StandardOutput: ~Copyable {
    private static let capacity = 256 << 10
    private var pending: [UInt8] = []
    private let descriptor: Int32
    private let name: String

    /// Writes to standard output, or to a descriptor that messages call `name`.
    init(descriptor: Int32 = STDOUT_FILENO, name: String = "standard output") {
        self.descriptor = descriptor
        self.name = name
    }

    /// Whether somebody looks at it on a terminal.
    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether colours are wanted: on a terminal, unless `NO_COLOR` is set to something.
    static var wantsColor: Bool {
        guard isTerminal, getenv("TERM").map({ String(cString: $0) }) != "dumb" else {
            return false
        }
        return getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
    }

    /// Writes a text and a line end to standard output.
    static func print(_ text: String) throws {
        var output = StandardOutput()
        try output.write(text + "\n")
        try output.flush()
    }

    /// Writes bytes, sooner or later.
    mutating func write(_ bytes: UnsafeRawBufferPointer) throws {
        guard pending.count + bytes.count > Self.capacity else {
            pending.append(contentsOf: bytes)
            return
        }
        try flush()
        if bytes.count > Self.capacity {
            try writeNow(bytes)
        } else {
            pending.append(contentsOf: bytes)
        }
    }

    /// Writes bytes, sooner or later.
    mutating func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { try write($0) }
    }

    /// Writes text, sooner or later.
    mutating func write(_ text: String) throws {
        var text = text
        try text.withUTF8 { try write(UnsafeRawBufferPointer($0)) }
    }

    /// Writes what is still pending: the last call.
    mutating func flush() throws {
        defer { pending.removeAll(keepingCapacity: true) }
        try pending.withUnsafeBytes { try writeNow($0) }
    }

    private func writeNow(_ bytes: UnsafeRawBufferPointer) throws {
        let code = DescriptorWrite.all(bytes, to: descriptor)
        guard code == 0 else { throw CommandFailure(writing: name, code) }
    }
}
