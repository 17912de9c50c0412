import Documents
public import HTTPTypes

/// A file that an answer's body is written to.
///
/// The bytes go to a temporary file beside it, which takes the place of
/// `path` in one step when the transfer has ended well. The body of an answer that the
/// target's validation refuses goes where it would without a destination.
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
    /// Which answers the file is for.
    var validation = Validation.none
    /// Whether who sends the request follows its redirects.
    var isOfHop = false

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

    /// Whether an answer with this head cannot be one that the file is for.
    func refuses(_ head: HTTPResponse) -> Bool {
        !validation.mayAccept(head.status.code) || isOfHop && RedirectFollower.leadsOn(head)
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

/// What is known of an answer when its file is to be named.
public struct SuggestedDownload: Sendable, Hashable {
    /// The name that the answer suggests, without any folder; never empty.
    ///
    /// It is that of `Content-Disposition` (RFC 6266), else the last part of the
    /// URL's path, else "download", with an extension for the media type.
    public let name: String
    /// The answer's status and header fields.
    public let head: HTTPResponse
    /// The URL that answered.
    public let url: String

    /// Works the name out.
    public init(head: HTTPResponse, url: String) {
        self.head = head
        self.url = url
        let fields = head.headerFields
        let given = fields[.contentDisposition].flatMap { ContentDisposition($0).fileName }
        name =
            given.flatMap(Self.safe) ?? Self.lastPathPart(of: url).flatMap(Self.safe)
            ?? "download" + MediaType.fileExtension(for: fields[.contentType])
    }

    private static func lastPathPart(of url: String) -> String? {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
        let path = rest.prefix { $0 != "?" && $0 != "#" }
        guard let slash = path.lastIndex(of: "/") else { return nil }
        return PercentEncoding.decoded(String(path[path.index(after: slash)...]))
    }

    /// A name cannot lead to another folder, hide itself, be a control sequence, an option of a command, or a
    /// workspace, which the next look at the folder would take for its own.
    private static func safe(_ name: String) -> String? {
        // Not characters: to the system a slash with an accent upon it is a slash.
        let scalars = name.unicodeScalars.filter {
            ![.control, .format].contains($0.properties.generalCategory)
        }
        let last = scalars.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last
        guard let shown = last?.drop(while: { ". -".unicodeScalars.contains($0) }) else {
            return nil
        }
        var text = String(shown)
        // Most file systems take 255 bytes, and a suffix is added while it is written.
        while text.utf8.count > 200 { text.removeLast() }
        if text.lowercased().hasSuffix(".apus.yaml") { text += ".txt" }
        return text.isEmpty ? nil : text
    }
}

/// The value of `Content-Disposition` (RFC 6266), as far as a file's name goes.
struct ContentDisposition {
    /// The name: that of `filename*` (RFC 8187) if it can be read, else of `filename`.
    let fileName: String?

    init(_ value: String) {
        var plain: String?
        var extended: String?
        for (name, value) in Self.parameters(value) {
            switch name {
            case "filename" where plain == nil: plain = value
            case "filename*" where extended == nil: extended = Self.extendedValue(value)
            default: break
            }
        }
        fileName = extended ?? plain
    }

    /// Reads `UTF-8''na%C3%AFve.txt` as "naïve.txt".
    private static func extendedValue(_ value: String) -> String? {
        let parts = value.unicodeScalars
            .split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, String(parts[0]).lowercased() == "utf-8" else { return nil }
        return PercentEncoding.decoded(String(parts[2]))
    }

    private static func parameters(_ value: String) -> [(name: String, value: String)] {
        var found: [(String, String)] = []
        // Not characters: a quote with an accent upon it ends a quoted text.
        var rest = value.unicodeScalars.drop { $0 != ";" }.dropFirst()
        while !rest.isEmpty {
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest[name.endIndex...]
            let key = String(name.filter { $0 != " " && $0 != "\t" }).lowercased()
            guard rest.first == "=" else {
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            found.append((key, takeValue(&rest)))
            rest = rest.drop { $0 != ";" }.dropFirst()
        }
        return found
    }

    private static func takeValue(_ rest: inout Substring.UnicodeScalarView) -> String {
        guard rest.first == "\"" else {
            let token = rest.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
            rest = rest[token.endIndex...]
            return String(token)
        }
        rest = rest.dropFirst()
        var text = String.UnicodeScalarView()
        while let scalar = rest.popFirst(), scalar != "\"" {
            if scalar == "\\", let escaped = rest.popFirst() {
                text.append(escaped)
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }
}
