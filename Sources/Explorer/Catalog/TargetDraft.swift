package import Apus

/// A request as written, for editing: `{{ name }}` is not filled in.
///
/// A catalog makes drafts of its targets and takes edited ones back.
public struct TargetDraft: Sendable, Hashable {
    /// A header field, a query parameter, a member of a form or an option.
    public struct Row: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// Its value as written; nil removes an inherited row.
        public var value: String?
        /// Where it comes from, as in "defaults" or "environment local"; nil if the target sets it itself.
        public var inheritedFrom: String?
        /// What an option is while it has no value, for the screen.
        public var standard: String?

        /// Makes a row.
        public init(
            _ name: String,
            _ value: String?,
            inheritedFrom: String? = nil,
            standard: String? = nil
        ) {
            self.name = name
            self.value = value
            self.inheritedFrom = inheritedFrom
            self.standard = standard
        }
    }

    /// The credentials that are sent.
    public enum Authorization: Sendable, Hashable {
        /// Those that the target inherits.
        case inherited
        case none
        case bearer(String)
        case basic(user: String, password: String)
        /// Sent in response to a server's challenge (RFC 7616), which costs one more request.
        case digest(user: String, password: String)
    }

    /// The credentials that `Authorization.inherited` stands for.
    public struct InheritedAuthorization: Sendable, Hashable {
        /// The credentials.
        public var authorization: Authorization
        /// What sets them: "defaults", "environment local".
        public var source: String

        /// Makes inherited credentials.
        public init(_ authorization: Authorization, from source: String) {
            self.authorization = authorization
            self.source = source
        }
    }

    /// The body of the request.
    public enum Body: Sendable, Hashable {
        case none
        case text(String)
        /// JSON as text; a string that is only `{{ name }}` takes the variable's type.
        case json(String)
        case form([Row])
        /// Parts of a form. The value of a file is "@" and its path, optionally followed by ";type=" and its type.
        /// A text that begins with "@" is written with "\\@".
        case multipart([Row])
        /// A GraphQL query, its variables as JSON, and the operation to run if the query has several.
        case graphQL(query: String, variables: String, operation: String)
        /// A file's path.
        case file(String)
    }

    /// The request method.
    public var method: String
    /// The path, or the whole URL.
    public var url: String
    /// The header fields, in order; inherited ones first.
    public var headers: [Row]
    /// The query parameters in addition to those in the URL, in order; inherited ones first.
    public var query: [Row]
    /// The credentials.
    public var authorization: Authorization
    /// What is inherited if the request has no credentials of its own; nil for nothing.
    public var inheritedAuthorization: InheritedAuthorization?
    /// The body.
    public var body: Body
    /// All other settings that the catalog knows; one with a value of nil is not set.
    public var options: [Row]

    /// Makes a draft.
    public init(
        method: String,
        url: String,
        headers: [Row] = [],
        query: [Row] = [],
        authorization: Authorization = .inherited,
        body: Body = .none,
        options: [Row] = []
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.query = query
        self.authorization = authorization
        self.body = body
        self.options = options
    }
}

// MARK: - Parts of a form

extension TargetDraft.Row {
    /// A text part, taken literally.
    init(_ name: String, part text: String) {
        let isMarked = text.hasPrefix("@") || text.hasPrefix("\\@")
        self.init(name, (isMarked ? "\\" : "") + TargetDraft.literal(text))
    }

    /// A file part.
    init(_ name: String, file path: String, type: String?) {
        let type = type.map { ";type=\(TargetDraft.literal($0))" } ?? ""
        self.init(name, "@\(TargetDraft.literal(path))\(type)")
    }

    /// The path and declared type of a file part; nil for a text part.
    package var file: (path: String, type: String?)? {
        guard let value, value.hasPrefix("@") else { return nil }
        let path = value.dropFirst()
        guard let mark = path.firstRange(of: ";type=") else { return (String(path), nil) }
        return (String(path[..<mark.lowerBound]), String(path[mark.upperBound...]))
    }

    /// The form part that the row describes.
    package var part: MultipartForm.Part {
        if let file { return .file(name, path: file.path, type: file.type) }
        let text = value ?? ""
        let isMarked = text.hasPrefix("\\@") || text.hasPrefix("\\\\@")
        return .text(name, isMarked ? String(text.dropFirst()) : text)
    }
}

/// An edited target that is not in the catalog's files yet.
public struct CatalogEdit: Sendable {
    /// Where an edit is written to.
    public enum Destination: Sendable, Hashable {
        /// In place of the edited target.
        case inPlace
        /// As a new target: next to it, or with slashes in the name in the groups that it names.
        case beside(name: String)
    }

    /// The edited target, under the same identity.
    public var target: CatalogTarget
    /// Writes the edit to the catalog's file and changes nothing else in it; nil if there is no file.
    ///
    /// It throws, and leaves the file alone, if the file has changed in the meantime.
    public var save: (@Sendable (Destination) throws(CatalogProblem) -> Void)?

    /// Makes an edit.
    public init(
        target: CatalogTarget,
        save: (@Sendable (Destination) throws(CatalogProblem) -> Void)? = nil
    ) {
        self.target = target
        self.save = save
    }
}
