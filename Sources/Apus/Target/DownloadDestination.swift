/// A file that an answer's body is written to.
///
/// The bytes go to a temporary file beside it, which takes the place of
/// `path` in one step when the transfer has ended well.
public struct DownloadDestination: Sendable, Hashable {
    /// The file's path.
    public var path: String
    /// Whether folders that are missing on the way are made.
    public var createsDirectories: Bool
    /// Whether a file that is already there is replaced; if not, it is an error.
    public var replacesExisting: Bool

    /// Makes a destination; by default folders are made and nothing is replaced.
    public init(path: String, createsDirectories: Bool = true, replacesExisting: Bool = false) {
        self.path = path
        self.createsDirectories = createsDirectories
        self.replacesExisting = replacesExisting
    }
}
