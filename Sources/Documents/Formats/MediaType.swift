/// A Content-Type: type and subtype in lowercase, and the parameters.
package struct MediaType: Equatable {
    /// Types outside `text/` that are text.
    private static let textual: Set<String> = [
        "application/xml", "application/javascript", "application/ecmascript",
        "application/x-javascript", "application/x-www-form-urlencoded", "application/yaml",
        "application/x-yaml", "application/toml", "application/graphql", "application/sql",
        "application/x-ndjson", "application/ndjson", "application/jsonl",
        "application/json-seq", "application/x-sh", "application/x-pem-file", "message/http",
        "multipart/form-data", "multipart/mixed",
    ]

    let name: String
    private let parameters: HeaderParameters

    /// Nil if the field has no type.
    init?(_ contentType: String?) {
        guard let contentType else { return nil }
        parameters = HeaderParameters(contentType)
        let name = parameters.value.asciiLowercased.filter { $0 != " " && $0 != "\t" }
        guard !name.isEmpty else { return nil }
        self.name = name
    }

    /// The value of a parameter such as `charset`.
    func parameter(_ name: String) -> String? { parameters[name] }

    var isJSON: Bool {
        name == "application/json" || name == "text/json" || name.hasSuffix("+json")
            || name == "application/x-json"
    }

    var isText: Bool {
        name.hasPrefix("text/") || name.hasSuffix("+xml") || name.hasSuffix("+yaml")
            || Self.textual.contains(name)
    }

    /// Whether this is a type that servers send for lack of a better one.
    var isGeneric: Bool {
        name == "application/octet-stream" || name == "binary/octet-stream" || name == "text/plain"
    }
}

/// Types by a file's extension (the IANA registry's names).
extension MediaType {
    private static let byExtension = [
        "json": "application/json", "xml": "application/xml", "pdf": "application/pdf",
        "zip": "application/zip", "gz": "application/gzip", "yaml": "application/yaml",
        "yml": "application/yaml", "js": "text/javascript", "csv": "text/csv",
        "html": "text/html", "htm": "text/html", "css": "text/css", "txt": "text/plain",
        "md": "text/markdown", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
        "gif": "image/gif", "webp": "image/webp", "svg": "image/svg+xml",
        "mp4": "video/mp4", "mp3": "audio/mpeg", "wasm": "application/wasm",
        "avif": "image/avif", "ico": "image/vnd.microsoft.icon", "tiff": "image/tiff",
        "bmp": "image/bmp", "webm": "video/webm", "mov": "video/quicktime",
        "ogg": "audio/ogg", "wav": "audio/wav", "aac": "audio/aac", "flac": "audio/flac",
        "tar": "application/x-tar", "zst": "application/zstd", "7z": "application/x-7z-compressed",
        "doc": "application/msword", "rtf": "application/rtf", "epub": "application/epub+zip",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
        "ics": "text/calendar", "graphql": "application/graphql", "jsonl": "application/jsonl",
        "ndjson": "application/x-ndjson", "geojson": "application/geo+json",
        "mjs": "text/javascript",
        "cbor": "application/cbor", "pem": "application/x-pem-file", "sql": "application/sql",
        "bin": "application/octet-stream",
    ]

    /// Extensions of types that have a better-known one.
    private static let lesserExtensions: Set = ["htm", "jpeg", "mjs", "yml"]

    /// The type for a file name; `application/octet-stream` if the extension is unknown.
    package static func ofFile(named path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else {
            return "application/octet-stream"
        }
        return byExtension[name[dot...].dropFirst().asciiLowercased] ?? "application/octet-stream"
    }

    /// The extension for a media type, with its dot; empty if none is known.
    package static func fileExtension(for value: String?) -> String {
        let type = (value ?? "").prefix { $0 != ";" && $0 != " " }.asciiLowercased
        let name = byExtension.first { $0.value == type && !lesserExtensions.contains($0.key) }?.key
        return name.map { ".\($0)" } ?? ""
    }
}

/// A header field such as Content-Type: a value and its parameters (RFC 9110, section 5.6.6).
struct HeaderParameters: Sendable, Equatable {
    /// The text before the first `;`, trimmed.
    let value: String
    /// In order, with names in lowercase.
    let parameters: [Parameter]

    struct Parameter: Sendable, Equatable {
        let name: String
        let value: String
    }

    init(_ text: String) {
        // By scalars, not characters: a `;` with a combining accent is still a `;` to the sender.
        var rest = text.unicodeScalars[...]
        value = Self.trimmed(rest.prefix { $0 != ";" })
        rest = rest.drop { $0 != ";" }
        var found: [Parameter] = []
        while rest.first == ";" {
            rest = rest.dropFirst()
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest[name.endIndex...]
            guard rest.first == "=" else { continue }
            let value = Self.readValue(&rest)
            found.append(Parameter(name: Self.trimmed(name).asciiLowercased, value: value))
            rest = rest.drop { $0 != ";" }
        }
        parameters = found
    }

    subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// A token, or a quoted string in which only `\"` and `\\` are escapes, so that Windows paths survive.
    private static func readValue(_ rest: inout Substring.UnicodeScalarView) -> String {
        rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
        guard rest.first == "\"" else {
            let token = rest.prefix { $0 != ";" }
            rest = rest[token.endIndex...]
            return trimmed(token)
        }
        rest = rest.dropFirst()
        var value = String.UnicodeScalarView()
        while let next = rest.popFirst(), next != "\"" {
            if next == "\\", rest.first == "\"" || rest.first == "\\", let escaped = rest.popFirst()
            {
                value.append(escaped)
            } else {
                value.append(next)
            }
        }
        return String(value)
    }

    private static func trimmed(_ text: Substring.UnicodeScalarView) -> String {
        func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text = text.dropLast() }
        return String(text)
    }
}
