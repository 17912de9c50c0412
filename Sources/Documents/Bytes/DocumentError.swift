import Glibc

/// Why a file could not be read: the stage that failed, and the system's error.
public struct DocumentError: Error, Equatable, Sendable {
    /// The step that failed.
    public enum Stage: Equatable, Sendable {
        /// The file was being opened or asked for its size.
        case open
        /// The bytes were being read.
        case read
        /// Memory was being reserved.
        case memory
        /// The input has more than this number of bytes: half of the memory, or 64 MiB for a device.
        case limit(Int)
    }

    /// The step that failed.
    public let stage: Stage
    /// The path of the file; nil for a descriptor.
    public let path: String?
    /// The system's `errno`.
    public let code: Int32

    /// Makes an error for a stage that failed with an `errno`.
    public init(stage: Stage, path: String?, code: Int32) {
        self.stage = stage
        self.path = path
        self.code = code
    }
}

extension DocumentError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        let name = path ?? "the input"
        return switch stage {
        case .open: "\(name) cannot be opened: \(reason)"
        case .read: "\(name) cannot be read: \(reason)"
        case .memory: "not enough memory for \(name): \(reason)"
        case .limit: "\(name): \(reason)"
        }
    }

    /// Why, without the file's name.
    package var reason: String {
        switch stage {
        case .open, .read, .memory: String(cString: strerror(code))
        case .limit(let bytes): "it is larger than the limit of \(bytes >> 20) MiB"
        }
    }
}
