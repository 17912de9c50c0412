/// A JSON Patch (RFC 6902): operations that turn one document into another, applied in order.
public struct JSONPatch: Sendable, Equatable {
    /// A change of a document (RFC 6902, section 4).
    public enum Operation: Sendable, Equatable {
        /// Adds a member to an object, or inserts an element into an array before the index.
        case add(JSONPointer, JSONPatchValue)
        /// Removes a value.
        case remove(JSONPointer)
        /// Replaces a value.
        case replace(JSONPointer, JSONPatchValue)
        /// Removes a value and adds it at another path.
        case move(from: JSONPointer, to: JSONPointer)
        /// Adds a copy of a value at another path.
        case copy(from: JSONPointer, to: JSONPointer)
        /// Fails unless there is an equal value.
        case test(JSONPointer, JSONPatchValue)
    }

    /// The operations in the order in which they are applied.
    public var operations: [Operation]

    /// Creates a patch from operations.
    public init(_ operations: [Operation]) {
        self.operations = operations
    }

    /// The patch as JSON text in UTF-8, one operation per line, with values as their documents have them.
    public func jsonBytes() -> [UInt8] {
        var text = Array("[".utf8)
        for (index, operation) in operations.enumerated() {
            text += Array((index > 0 ? ",\n " : "\n ").utf8)
            operation.append(to: &text)
        }
        text += Array((operations.isEmpty ? "]\n" : "\n]\n").utf8)
        return text
    }
}

extension JSONPatch.Operation {
    fileprivate func append(to text: inout [UInt8]) {
        switch self {
        case .add(let path, let value): append("add", path, value: value, to: &text)
        case .remove(let path): append("remove", path, to: &text)
        case .replace(let path, let value): append("replace", path, value: value, to: &text)
        case .move(let from, let path): append("move", path, from: from, to: &text)
        case .copy(let from, let path): append("copy", path, from: from, to: &text)
        case .test(let path, let value): append("test", path, value: value, to: &text)
        }
    }

    private func append(
        _ name: String,
        _ path: JSONPointer,
        from: JSONPointer? = nil,
        value: JSONPatchValue? = nil,
        to text: inout [UInt8]
    ) {
        text += Array("{\"op\":\"\(name)\",".utf8)
        if let from {
            text += Array("\"from\":".utf8)
            from.escaped.withUnsafeBufferPointer { QuotedText.append($0, to: &text) }
            text.append(0x2C)
        }
        text += Array("\"path\":".utf8)
        path.escaped.withUnsafeBufferPointer { QuotedText.append($0, to: &text) }
        if let value {
            text += Array(",\"value\":".utf8)
            value.append(to: &text)
        }
        text.append(0x7D)
    }
}

extension JSONPatch {
    /// Applies the operations in order and returns the resulting document.
    ///
    /// Values that no operation touches keep their text. Either all operations are applied or none;
    /// the error says which one failed, and why. Of an incomplete document, only the part that is
    /// there is patched.
    public func apply(to document: Document) throws(JSONPatchError) -> Document {
        var tree = PatchTree(document)
        for (index, operation) in operations.enumerated() {
            do {
                try tree.apply(operation)
            } catch {
                throw JSONPatchError(operation: index, reason: error)
            }
        }
        return Document.parse(DocumentBytes(tree.text))
    }
}

extension JSONPatch {
    /// Parses a JSON Patch; members that RFC 6902 does not define are ignored.
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
                let pointer = JSONPointer(checking: EscapedText.bytes(document.bytes.base, content))
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

/// The value of an operation: a reference to a value of a document, not a copy.
public struct JSONPatchValue: Sendable, Equatable, CustomStringConvertible {
    let document: Document
    let node: NodeIndex

    /// Refers to a value of a document.
    public init(_ node: NodeIndex, of document: Document) {
        self.document = document
        self.node = node
    }

    /// The value as JSON text.
    public var description: String { String(decoding: jsonBytes, as: UTF8.self) }

    /// The value as JSON text in UTF-8, as in its document.
    public var jsonBytes: [UInt8] {
        var text: [UInt8] = []
        append(to: &text)
        return text
    }

    /// Whether both values have the same text.
    public static func == (lhs: JSONPatchValue, rhs: JSONPatchValue) -> Bool {
        lhs.jsonBytes == rhs.jsonBytes
    }

    /// Writes the text, and adds the brackets that a broken document or a JSON sequence lacks.
    func append(to text: inout [UInt8]) {
        var open: [(end: Int, closer: UInt8)] = []
        var at = node.rawValue
        let end = at + document.subtreeSize(of: node)
        var isFirst = true
        while at < end {
            while let last = open.last, last.end <= at {
                text.append(last.closer)
                open.removeLast()
                isFirst = false
            }
            let current = NodeIndex(at)
            if !open.isEmpty {
                if !isFirst { text.append(0x2C) }
                appendKey(of: current, to: &text)
            }
            let range = document.valueRange(of: current)
            let kind = document.kind(of: current)
            let size = document.subtreeSize(of: current)
            isFirst = kind.isContainer && !isWhole(current, kind, range)
            if isFirst {
                text.append(kind == .array ? 0x5B : 0x7B)
                open.append((at + size, kind == .array ? 0x5D : 0x7D))
                at += 1
            } else {
                document.bytes.withUnsafeBytes { text.append(contentsOf: $0[range]) }
                at += size
            }
        }
        for last in open.reversed() { text.append(last.closer) }
    }

    private func isWhole(_ node: NodeIndex, _ kind: ValueKind, _ range: Range<Int>) -> Bool {
        guard !document.isIncomplete(node), !range.isEmpty else { return false }
        return document.bytes.base[range.lowerBound] == (kind == .array ? 0x5B : 0x7B)
    }

    private func appendKey(of node: NodeIndex, to text: inout [UInt8]) {
        guard let key = document.keyRange(of: node) else { return }
        text.append(0x22)
        document.bytes.withUnsafeBytes { text.append(contentsOf: $0[key]) }
        text += [0x22, 0x3A]
    }
}

/// Why a JSON Patch could not be parsed or applied, and which operation failed.
public struct JSONPatchError: Error, Equatable, Sendable {
    /// Why a patch cannot be read or applied.
    public enum Reason: Error, Equatable, Sendable {
        /// The patch is not a complete JSON text.
        case broken(DocumentFault?)
        /// The patch is not an array.
        case notAList
        /// An operation is not an object.
        case notAnObject
        /// A member is missing or has a value of the wrong type.
        case missing(String)
        /// The operation's name is unknown.
        case unknownOperation(String)
        /// The text is not a JSON Pointer.
        case badPointer(String)
        /// There is no value at this path.
        case noValue(JSONPointer)
        /// The path does not end in a valid index of the array.
        case badIndex(JSONPointer)
        /// The parent of this path is neither an array nor an object.
        case noContainer(JSONPointer)
        /// A value cannot be moved into itself.
        case insideItself(JSONPointer)
        /// A test found a different value.
        case testFailed(JSONPointer)
    }

    /// The index of the operation, from 0; nil if the error is about the whole patch.
    public let operation: Int?
    /// Why the patch cannot be read or applied.
    public let reason: Reason

    /// Creates an error.
    public init(operation: Int?, reason: Reason) {
        self.operation = operation
        self.reason = reason
    }
}

extension JSONPatchError: CustomStringConvertible {
    /// One sentence for people; operations are counted from 1.
    public var description: String {
        guard let operation else { return words }
        return "operation \(operation + 1): \(words)"
    }

    private var words: String {
        switch reason {
        case .broken(let fault):
            "the patch is not complete JSON" + (fault.map { ": \($0) (byte \($0.offset))" } ?? "")
        case .notAList: "a patch must be an array of operations"
        case .notAnObject: "an operation must be an object"
        case .missing(let name): "\"\(name)\" is missing or has the wrong type"
        case .unknownOperation(let name): "unknown operation \"\(name)\""
        case .badPointer(let text): "\"\(text)\" is not a JSON Pointer"
        case .noValue(let path): "there is no value at \"\(path)\""
        case .badIndex(let path): "\"\(path)\" is not a valid index of the array"
        case .noContainer(let path): "the parent of \"\(path)\" is not an array or object"
        case .insideItself(let path): "a value cannot be moved into itself (\"\(path)\")"
        case .testFailed(let path): "the value at \"\(path)\" is different"
        }
    }
}
