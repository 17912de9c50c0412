package import HTTPTypes

/// A file that an answer's body is written to.
///
/// The bytes go to a temporary file beside it, which takes the place of
/// `path` in one step when the transfer has ended well.
public struct DownloadDestination: Sendable, Hashable {
    /// A rule that names the file when the answer's header is there.
    ///
    /// Two rules are equal if they have the same name.
    public struct Naming: Sendable, Hashable {
        /// The rule's name.
        public let name: String
        let path: @Sendable (SuggestedDownload) -> String

        /// Makes a rule; `path` gives the file's path.
        public init(_ name: String, path: @escaping @Sendable (SuggestedDownload) -> String) {
            self.name = name
            self.path = path
        }

        /// Whether two rules have the same name.
        public static func == (a: Naming, b: Naming) -> Bool { a.name == b.name }
        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    /// The file's path; with a `naming` rule it is empty until the answer's
    /// header is there.
    public var path: String
    /// Whether folders that are missing on the way are made.
    public var createsDirectories: Bool
    /// Whether a file that is already there is replaced; if not, it is an error.
    public var replacesExisting: Bool
    /// The rule that names the file; nil for `path` as it is.
    public var naming: Naming?

    /// Makes a destination; by default folders are made and nothing is replaced.
    public init(path: String, createsDirectories: Bool = true, replacesExisting: Bool = false) {
        self.path = path
        self.createsDirectories = createsDirectories
        self.replacesExisting = replacesExisting
    }

    /// A file whose path is chosen when the answer's header is there.
    public init(
        naming: Naming,
        createsDirectories: Bool = true,
        replacesExisting: Bool = false
    ) {
        self.init(
            path: "",
            createsDirectories: createsDirectories,
            replacesExisting: replacesExisting
        )
        self.naming = naming
    }

    /// A file in a folder, under the name that the answer suggests.
    public static func folder(
        _ folder: String,
        createsDirectories: Bool = true,
        replacesExisting: Bool = false
    ) -> DownloadDestination {
        DownloadDestination(
            naming: Naming("folder \(folder)") { "\(folder)/\($0.name)" },
            createsDirectories: createsDirectories,
            replacesExisting: replacesExisting
        )
    }

    /// The destination with its path decided.
    package func resolved(for head: HTTPResponse, url: String) -> DownloadDestination {
        guard let naming else { return self }
        var resolved = self
        resolved.naming = nil
        resolved.path = naming.path(SuggestedDownload(head: head, url: url))
        return resolved
    }
}
