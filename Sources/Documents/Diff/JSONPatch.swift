/// A JSON Patch, RFC 6902: operations that make one document of another, in order.
public struct JSONPatch: Sendable, Equatable {
    /// One operation.
    public enum Operation: Sendable, Equatable {
        /// Puts a value into an object or, before the one that is there, into an array.
        case add(JSONPointer, JSONPatchValue)
        /// Takes a value away.
        case remove(JSONPointer)
        /// Puts a value in the place of another one.
        case replace(JSONPointer, JSONPatchValue)
        /// Takes a value away and adds it at another place.
        case move(from: JSONPointer, to: JSONPointer)
        /// Adds a copy of a value at another place.
        case copy(from: JSONPointer, to: JSONPointer)
        /// Goes on only when there is an equal value.
        case test(JSONPointer, JSONPatchValue)
    }

    /// The operations in the order in which they are done.
    public var operations: [Operation]

    /// A patch of some operations.
    public init(_ operations: [Operation]) {
        self.operations = operations
    }

    /// The patch as JSON text in UTF-8, one operation on each line, values as they are written.
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
            DecodedText.appendQuoted(from.escaped, to: &text)
            text.append(0x2C)
        }
        text += Array("\"path\":".utf8)
        DecodedText.appendQuoted(path.escaped, to: &text)
        if let value {
            text += Array(",\"value\":".utf8)
            value.append(to: &text)
        }
        text.append(0x7D)
    }
}
