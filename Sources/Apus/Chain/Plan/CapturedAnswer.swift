public import Documents
import HTTPTypes

/// An answer from which values are taken; its body is parsed at most once.
struct CapturedAnswer {
    /// Why no value is looked for.
    enum Refusal: Error {
        case tooLarge(size: Int, limit: Int)
        case tooManyValues
    }

    /// What the tree of a body may take.
    private static let treeLimit = TreeMemoryLimit(base: 64 << 20, perTextByte: 8)

    private let response: Response
    private let limit: Int
    private lazy var document: Result<Document?, Refusal> = {
        let size = response.body.count
        guard size <= limit else { return .failure(.tooLarge(size: size, limit: limit)) }
        // A body that cannot be read has nothing to take, and the capture says so.
        guard let bytes = try? response.body.documentBytes() else { return .success(nil) }
        let document = Document.parse(bytes, memory: Self.treeLimit)
        // What stands behind the limit would be missed without a word.
        if document.fault?.kind == .treeTooLarge { return .failure(.tooManyValues) }
        return .success(document.nodeCount > 0 ? document : nil)
    }()

    /// Looks into an answer, into its body only if that has no more bytes than `limit`.
    init(_ response: Response, limit: Int) {
        self.response = response
        self.limit = limit
    }

    /// The value at a path, independent of the answer's bytes; nil if there is none.
    mutating func value(at path: CapturePath) throws(Refusal) -> JSON? {
        switch path {
        case .status: JSON(response.status)
        case .header(let name):
            HTTPField.Name(name).flatMap { response.head.headerFields[$0] }.map { JSON($0) }
        case .body(let query): try document.get().flatMap { Self.value(at: query, in: $0) }
        }
    }

    private static func value(at query: JSONPath, in document: Document) -> JSON? {
        guard !query.isSingular else {
            return JSON(document: document).at(query).detached
        }
        let found = document.nodes(matching: query).map {
            JSON(document: document, node: $0).detached
        }
        let whole = found.compactMap(\.self)
        return whole.count == found.count ? JSON(whole) : nil
    }
}

extension CapturePath {
    /// The value in an answer, independent of its bytes; nil if there is none, or if the body has
    /// more values than a tree can take (64 MiB + 8 times the body).
    public func value(in response: Response) -> JSON? {
        var answer = CapturedAnswer(response, limit: .max)
        return try? answer.value(at: self)
    }
}

extension JSON {
    /// The value without the document that it is in; nil if it is missing or broken off.
    fileprivate var detached: JSON? {
        guard exists, let bytes = try? bytes() else { return nil }
        return try? JSON(parsing: bytes)
    }
}
