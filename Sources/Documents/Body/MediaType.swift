/// A Content-Type: type and subtype in small letters, and the parameters.
struct MediaType: Equatable {
    /// Types other than `text` that are meant for people to read.
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

    /// Nil when there is no type in it.
    init?(_ contentType: String?) {
        guard let contentType else { return nil }
        parameters = HeaderParameters(contentType)
        let name = parameters.value.lowercased().filter { $0 != " " && $0 != "\t" }
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

    /// A type that servers send when they know nothing.
    var isUnspecific: Bool {
        name == "application/octet-stream" || name == "binary/octet-stream" || name == "text/plain"
    }
}
