package import Apus

/// A request as it is written, for editing: `{{ name }}` in it is not filled in.
///
/// A catalog gives drafts of its targets and takes edited ones back; what the catalog is made of is its own
/// affair.
public struct TargetDraft: Sendable, Hashable {
    /// A header field, a query parameter, a member of a form or an option.
    public struct Row: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// Its value as it is written; nil takes an inherited one away.
        public var value: String?
        /// Where it comes from if the target does not say it itself: "defaults", "environment local".
        public var inheritedFrom: String?

        /// Makes a row.
        public init(_ name: String, _ value: String?, inheritedFrom: String? = nil) {
            self.name = name
            self.value = value
            self.inheritedFrom = inheritedFrom
        }
    }

    /// The credentials that are sent.
    public enum Authorization: Sendable, Hashable {
        /// Whatever stands around the target.
        case inherited
        case none
        case bearer(String)
        case basic(user: String, password: String)
        /// As the answer to a server's challenge (RFC 7616), which costs a request.
        case digest(user: String, password: String)
    }

    /// What is sent behind the head.
    public enum Body: Sendable, Hashable {
        case none
        case text(String)
        /// JSON as text; a string that is nothing but `{{ name }}` has the variable's type.
        case json(String)
        case form([Row])
        /// Parts; the value of one that is a file is "@" and its path, then perhaps ";type=" and its type. "\\@"
        /// begins a text with that sign.
        case multipart([Row])
        /// A query of GraphQL, its variables as JSON, and which of its operations is run if it has several.
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
    /// The query parameters beside those in the URL, in order; inherited ones first.
    public var query: [Row]
    /// The credentials.
    public var authorization: Authorization
    /// The body.
    public var body: Body
    /// Everything else that can be set, all names that the catalog knows; a value of nil is not set.
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
    /// A part that is a text, taken as it is.
    init(_ name: String, part text: String) {
        let isMarked = text.hasPrefix("@") || text.hasPrefix("\\@")
        self.init(name, (isMarked ? "\\" : "") + TargetDraft.literal(text))
    }

    /// A part that is a file.
    init(_ name: String, file path: String, type: String?) {
        let type = type.map { ";type=\(TargetDraft.literal($0))" } ?? ""
        self.init(name, "@\(TargetDraft.literal(path))\(type)")
    }

    /// The path of the file that this part is, and the type that it is said to have; nil for a text.
    package var file: (path: String, type: String?)? {
        guard let value, value.hasPrefix("@") else { return nil }
        let path = value.dropFirst()
        guard let mark = path.firstRange(of: ";type=") else { return (String(path), nil) }
        return (String(path[..<mark.lowerBound]), String(path[mark.upperBound...]))
    }

    /// The part of a form that this is.
    package var part: MultipartForm.Part {
        if let file { return .file(name, path: file.path, type: file.type) }
        let text = value ?? ""
        let isMarked = text.hasPrefix("\\@") || text.hasPrefix("\\\\@")
        return .text(name, isMarked ? String(text.dropFirst()) : text)
    }
}

/// An edited target, which the catalog's files do not have yet.
public struct CatalogEdit: Sendable {
    /// Where an edit is written to.
    public enum Destination: Sendable, Hashable {
        /// In the place of the target that was edited.
        case inPlace
        /// As a new target beside it.
        case beside(name: String)
    }

    /// The target as it is edited, under the same identity.
    public var target: CatalogTarget
    /// Writes the edit to the catalog's file, without touching anything else in it; nil if there is none.
    ///
    /// It throws if the file has changed meanwhile, and leaves it as it is.
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
