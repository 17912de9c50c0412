/// A file could not become a document: at which stage, and what the system said.
public struct DocumentError: Error, Equatable, Sendable {
    /// What was being done.
    public enum Stage: Equatable, Sendable {
        /// The file was being opened or asked for its size.
        case open
        /// The bytes were being read.
        case read
        /// The file was being mapped.
        case map
        /// Memory was being reserved.
        case memory
        /// More than so many bytes came: half of the memory, or 64 MiB of a device.
        case limit(Int)
    }

    /// What was being done.
    public let stage: Stage
    /// The file, when it had a name.
    public let path: String?
    /// The system's `errno`.
    public let code: Int32

    /// Says that a stage failed with an `errno`.
    public init(stage: Stage, path: String?, code: Int32) {
        self.stage = stage
        self.path = path
        self.code = code
    }
}
