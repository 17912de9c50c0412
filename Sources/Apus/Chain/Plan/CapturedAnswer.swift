public import Documents
import HTTPTypes

/// An answer from which values are taken; its body is parsed at most once.
struct CapturedAnswer {
    private let response: Response
    private lazy var document: Document? = {
        // A body that cannot be read has nothing to take, and the capture says so.
        guard let bytes = try? response.body.load() else { return nil }
        let document = Document.parse(DocumentBytes(bytes))
        return document.nodeCount > 0 ? document : nil
    }()

    /// Looks into an answer.
    init(_ response: Response) { self.response = response }

    /// The value at a path, independent of the answer's bytes; nil if there is none.
    mutating func value(at path: CapturePath) -> JSON? {
        switch path {
        case .status: JSON(response.status)
        case .header(let name):
            HTTPField.Name(name).flatMap { response.head.headerFields[$0] }.map { JSON($0) }
        case .body(let query): document.flatMap { Self.value(at: query, in: $0) }
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
    /// The value in an answer, independent of its bytes; nil if there is none.
    public func value(in response: Response) -> JSON? {
        var answer = CapturedAnswer(response)
        return answer.value(at: self)
    }
}

extension JSON {
    /// The value without the document that it is in; nil if it is missing or broken off.
    fileprivate var detached: JSON? {
        guard exists, let bytes = try? bytes() else { return nil }
        return try? JSON(parsing: bytes)
    }
}
