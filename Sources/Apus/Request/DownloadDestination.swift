import Documents
public import HTTPTypes

/// A file that the body of a response is written to.
///
/// The bytes go to a temporary file beside it, which replaces `path` in one step when the transfer has
/// succeeded. If the target's validation rejects the response, its body is treated as if there were no
/// destination.
public struct DownloadDestination: Sendable, Hashable {
    /// A rule that names the file once the response's header has arrived.
    ///
    /// Two rules are equal if they have the same name.
    public struct Naming: Sendable, Hashable {
        /// The rule's name.
        public let name: String
        let path: @Sendable (SuggestedDownload) -> String

        /// Makes a rule; `path` returns the file's path.
        public init(_ name: String, path: @escaping @Sendable (SuggestedDownload) -> String) {
            self.name = name
            self.path = path
        }

        /// Whether two rules have the same name.
        public static func == (a: Naming, b: Naming) -> Bool { a.name == b.name }
        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }

    /// The file's path; with a `naming` rule it is empty until the response's header has arrived.
    public var path: String
    /// Whether missing directories on the path are created.
    public var createsDirectories: Bool
    /// Whether an existing file is replaced; if not, it is an error.
    public var replacesExisting: Bool
    /// The rule that names the file; nil for `path` as it is.
    public var naming: Naming?
    /// Which responses the file is for.
    var validation = Validation.none
    /// Whether the request is one hop of followed redirects; the file is then not for a redirect itself.
    var isOfHop = false

    /// Makes a destination; by default directories are created and nothing is replaced.
    public init(path: String, createsDirectories: Bool = true, replacesExisting: Bool = false) {
        self.path = path
        self.createsDirectories = createsDirectories
        self.replacesExisting = replacesExisting
    }

    /// A file whose path is chosen once the response's header has arrived.
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

    /// A file in a directory, with the name that the response suggests.
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

    /// Whether a response with this head is not one that the file is for.
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

/// What a naming rule knows of the response.
public struct SuggestedDownload: Sendable, Hashable {
    /// The name that the response suggests, without any directory; never empty.
    ///
    /// It comes from `Content-Disposition` (RFC 6266), else from the last part of the URL's path, else it is
    /// "download" with an extension for the media type.
    public let name: String
    /// The response's status and header fields.
    public let head: HTTPResponse
    /// The URL that the response came from.
    public let url: String

    /// Finds the name in the header fields and the URL.
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

    /// Makes a name safe: no directory, no control characters, no dot or dash in front (a hidden file, an option
    /// of a command), and not a workspace, which a program that opens the directory next would load.
    private static func safe(_ name: String) -> String? {
        // Scalars, not characters: to the system, a slash with a combining accent is still a slash.
        let scalars = name.unicodeScalars.filter {
            ![.control, .format].contains($0.properties.generalCategory)
        }
        let last = scalars.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last
        guard let shown = last?.drop(while: { ". -".unicodeScalars.contains($0) }) else {
            return nil
        }
        var text = cut(String(shown))
        if text.asciiLowercased.hasSuffix(".apus.yaml") { text += ".txt" }
        return text.isEmpty ? nil : text
    }

    /// Cuts a name to 200 bytes, before its extension if it has one of at most 20 bytes.
    ///
    /// Most file systems allow 255 bytes, and a suffix is added while the file is written.
    private static func cut(_ name: String) -> String {
        guard name.utf8.count > 200 else { return name }
        let dot = name.unicodeScalars.lastIndex(of: ".") ?? name.endIndex
        let end = name[dot...].utf8.count <= 20 ? dot : name.endIndex
        var room = 200 - name[end...].utf8.count
        let stem = name.unicodeScalars[..<end].prefix { scalar in
            room -= UTF8.width(scalar)
            return room >= 0
        }
        return String(stem) + name[end...]
    }
}

/// The file's name in a `Content-Disposition` value (RFC 6266).
struct ContentDisposition {
    /// The name from `filename*` (RFC 8187) if it can be read, else from `filename`.
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

    /// Decodes `UTF-8''na%C3%AFve.txt` as "naïve.txt".
    private static func extendedValue(_ value: String) -> String? {
        let parts = value.unicodeScalars
            .split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, String(parts[0]).asciiLowercased == "utf-8" else { return nil }
        return PercentEncoding.decoded(String(parts[2]))
    }

    private static func parameters(_ value: String) -> [(name: String, value: String)] {
        var found: [(String, String)] = []
        // Scalars, not characters: a quote with a combining accent still ends a quoted text.
        var rest = value.unicodeScalars.drop { $0 != ";" }.dropFirst()
        while !rest.isEmpty {
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest[name.endIndex...]
            let key = String(name.filter { $0 != " " && $0 != "\t" }).asciiLowercased
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
