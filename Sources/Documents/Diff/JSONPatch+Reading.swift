extension JSONPatch {
    /// Reads the operations of a JSON Patch; members that RFC 6902 does not know are passed over.
    public init(parsing document: Document) throws(JSONPatchError) {
        guard document.isFinished, document.fault == nil, document.nodeCount > 0 else {
            throw JSONPatchError(operation: nil, reason: .broken(document.fault))
        }
        guard document.kind(of: .root) == .array else {
            throw JSONPatchError(operation: nil, reason: .notAList)
        }
        var operations: [Operation] = []
        for node in document.children(of: .root) {
            do {
                operations.append(try Self.operation(node, of: document))
            } catch {
                throw JSONPatchError(operation: operations.count, reason: error)
            }
        }
        self.init(operations)
    }

    private static func operation(
        _ node: NodeIndex,
        of document: Document
    ) throws(JSONPatchError.Reason) -> Operation {
        guard document.kind(of: node) == .object else { throw .notAnObject }
        func value() throws(JSONPatchError.Reason) -> JSONPatchValue {
            guard let value = document.member("value", of: node) else { throw .missing("value") }
            return JSONPatchValue(value, of: document)
        }
        func pointer(_ name: String) throws(JSONPatchError.Reason) -> JSONPointer {
            guard let text = document.member(name, of: node), document.kind(of: text) == .string
            else { throw .missing(name) }
            let range = document.valueRange(of: text)
            let content = range.lowerBound + 1..<range.upperBound - 1
            guard
                let pointer = JSONPointer(checking: DecodedText.bytes(content, of: document.bytes))
            else { throw .badPointer(document.string(of: text) ?? "") }
            return pointer
        }
        guard let name = document.member("op", of: node).flatMap({ document.string(of: $0) }) else {
            throw .missing("op")
        }
        switch name {
        case "add": return .add(try pointer("path"), try value())
        case "remove": return .remove(try pointer("path"))
        case "replace": return .replace(try pointer("path"), try value())
        case "move": return .move(from: try pointer("from"), to: try pointer("path"))
        case "copy": return .copy(from: try pointer("from"), to: try pointer("path"))
        case "test": return .test(try pointer("path"), try value())
        default: throw .unknownOperation(name)
        }
    }
}
