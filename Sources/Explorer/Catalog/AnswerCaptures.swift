import Apus
import Documents
import HTTPTypes
import Workspaces

/// An answer, as captures read it.
struct AnswerCaptures: CaptureSource {
    private let response: Response
    private let document: Document?

    init(_ response: Response) {
        self.response = response
        // A body that cannot be read gives nothing, and the capture says so.
        document = (try? response.body.load()).map { Document.parse(DocumentBytes($0)) }
    }

    var status: Int { response.status }

    func headerField(_ name: String) -> String? {
        HTTPField.Name(name).flatMap { response.head.headerFields[$0] }
    }

    func bodyValue(at steps: [CapturePath.Step]) -> Value? {
        guard let document, document.nodeCount > 0 else { return nil }
        var node = NodeIndex.root
        for step in steps {
            guard let child = document.child(of: node, at: step) else { return nil }
            node = child
        }
        return document.value(of: node)
    }
}

extension Document {
    fileprivate func child(of node: NodeIndex, at step: CapturePath.Step) -> NodeIndex? {
        switch step {
        case .member(let name): return member(name, of: node)
        case .index(let index):
            guard kind(of: node) == .array else { return nil }
            return self.child(at: index < 0 ? childCount(of: node) + index : index, of: node)
        }
    }

    /// A value of the document as a template's value; nil for one that is nested
    /// deeper than any template could use.
    fileprivate func value(of node: NodeIndex, levels: Int = 64) -> Value? {
        guard levels > 0 else { return nil }
        switch kind(of: node) {
        case .null: return .null
        case .false: return .boolean(false)
        case .true: return .boolean(true)
        case .integer, .decimal: return .number(sourceText(of: node))
        case .string: return string(of: node).map { .string($0) }
        case .array:
            return .array(children(of: node).compactMap { value(of: $0, levels: levels - 1) })
        case .object:
            return .object(
                children(of: node).compactMap { child -> Value.Member? in
                    guard let name = key(of: child),
                        let value = value(of: child, levels: levels - 1)
                    else { return nil }
                    return Value.Member(name, value)
                }
            )
        }
    }
}

extension Value {
    /// The value in a few characters.
    var shortText: String {
        switch self {
        case .string(let text), .number(let text): text
        case .boolean(let flag): flag ? "true" : "false"
        case .null: "null"
        case .array(let elements): "[\(elements.count)]"
        case .object(let members): "{\(members.count)}"
        }
    }
}
