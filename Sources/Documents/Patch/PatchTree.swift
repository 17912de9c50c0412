/// A document that is being patched; only the containers around a change are unpacked.
///
/// Values refer to each other by number, so nothing is nested in memory and freeing a deep tree does not
/// recurse.
struct PatchTree {
    enum Value {
        /// A value as it is in a document.
        case source(JSONPatchValue)
        case array(ChunkedList)
        case object(PatchObject)
    }

    typealias Reason = JSONPatchError.Reason

    private var values: [Value] = []
    /// Nil if there is no value at all.
    private var root: Int?

    init(_ document: Document) {
        if document.nodeCount > 0 { root = insert(.source(JSONPatchValue(.root, of: document))) }
    }

    private mutating func insert(_ value: Value) -> Int {
        values.append(value)
        return values.count - 1
    }

    // MARK: - Operations

    mutating func apply(_ operation: JSONPatch.Operation) throws(Reason) {
        switch operation {
        case .add(let path, let value): try add(insert(.source(value)), at: path)
        case .remove(let path): _ = try remove(at: path)
        case .replace(let path, let value): try replace(path, with: value)
        case .move(let from, let path):
            if path.isInside(from) { throw .insideItself(from) }
            try add(try remove(at: from), at: path)
        case .copy(let from, let path):
            let original = try find(from)
            try add(insert(.source(snapshot(of: original))), at: path)
        case .test(let path, let value):
            let found = try find(path)
            guard Self.areEqual(snapshot(of: found), value) else { throw .testFailed(path) }
        }
    }

    private mutating func add(_ value: Int, at path: JSONPointer) throws(Reason) {
        guard let (container, token) = try holder(of: path) else {
            root = value
            return
        }
        switch remove(container) {
        case .array(var list):
            let index = token == [0x2D] ? list.count : Self.index(token)
            if let index, index <= list.count { list.insert(value, at: index) }
            values[container] = .array(list)
            guard let index, index <= list.count else { throw .badIndex(path) }
        case .object(var object):
            object.set(token, to: value)
            values[container] = .object(object)
        case .source: throw .noContainer(path)
        }
    }

    private mutating func remove(at path: JSONPointer) throws(Reason) -> Int {
        guard let (container, token) = try holder(of: path) else {
            guard let value = root else { throw .noValue(path) }
            root = nil
            return value
        }
        var removed: Int?
        switch remove(container) {
        case .array(var list):
            if let index = Self.index(token), index < list.count {
                removed = list.remove(at: index)
            }
            values[container] = .array(list)
        case .object(var object):
            removed = object.remove(token)
            values[container] = .object(object)
        case .source: throw .noContainer(path)
        }
        guard let removed else { throw .noValue(path) }
        return removed
    }

    private mutating func replace(
        _ path: JSONPointer,
        with value: JSONPatchValue
    ) throws(Reason) {
        values[try find(path)] = .source(value)
    }

    // MARK: - Finding

    private mutating func find(_ path: JSONPointer) throws(Reason) -> Int {
        try find(path.tokens[...], of: path)
    }

    /// The container that a path's last step refers to; nil if the path is the whole document.
    private mutating func holder(
        of path: JSONPointer
    ) throws(Reason) -> (container: Int, token: [UInt8])? {
        let tokens = path.tokens
        guard let last = tokens.last else { return nil }
        let container = try find(tokens.dropLast(), of: path)
        guard takeApart(container) else { throw .noContainer(path) }
        return (container, last)
    }

    private mutating func find(
        _ tokens: ArraySlice<[UInt8]>,
        of path: JSONPointer
    ) throws(Reason) -> Int {
        guard var current = root else { throw .noValue(path) }
        for token in tokens {
            guard takeApart(current) else { throw .noValue(path) }
            guard let next = child(token, of: current) else { throw .noValue(path) }
            current = next
        }
        return current
    }

    private func child(_ token: [UInt8], of container: Int) -> Int? {
        switch values[container] {
        case .array(let list):
            guard let index = Self.index(token), index < list.count else { return nil }
            return list[index]
        case .object(let object): return object.value(of: token)
        case .source: return nil
        }
    }

    /// An array index in the form of RFC 6901: digits without leading zeros; nil for any other token.
    private static func index(_ token: [UInt8]) -> Int? {
        guard let first = token.first, token.count <= 18, first != 0x30 || token.count == 1 else {
            return nil
        }
        guard token.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        return token.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    // MARK: - Unpacking

    /// Takes a container out so that it can be changed in place; the caller must put one back.
    private mutating func remove(_ container: Int) -> Value {
        let value = values[container]
        values[container] = .array(ChunkedList([]))
        return value
    }

    /// Unpacks a container, so that its children have numbers; false if the value is not a container.
    private mutating func takeApart(_ number: Int) -> Bool {
        guard case .source(let value) = values[number] else { return true }
        let document = value.document
        switch document.kind(of: value.node) {
        case .array:
            let items = document.children(of: value.node).map {
                insert(.source(JSONPatchValue($0, of: document)))
            }
            values[number] = .array(ChunkedList(items))
        case .object:
            var object = PatchObject()
            for node in document.children(of: value.node) {
                guard let key = document.keyRange(of: node) else { continue }
                let child = insert(.source(JSONPatchValue(node, of: document)))
                object.append(key, of: document.bytes, value: child)
            }
            values[number] = .object(object)
        default: return false
        }
        return true
    }

    // MARK: - Writing

    /// The text of the whole document.
    var text: [UInt8] { root.map { text(of: $0) } ?? [] }

    private enum Token {
        case value(Int)
        case bytes([UInt8])
    }

    private func text(of number: Int) -> [UInt8] {
        var text: [UInt8] = []
        var pending = [Token.value(number)]
        while let token = pending.popLast() {
            switch token {
            case .bytes(let bytes): text += bytes
            case .value(let number):
                switch values[number] {
                case .source(let value): value.append(to: &text)
                case .array(let list):
                    text.append(0x5B)
                    pending.append(.bytes([0x5D]))
                    for (index, item) in list.elements.enumerated().reversed() {
                        pending.append(.value(item))
                        if index > 0 { pending.append(.bytes([0x2C])) }
                    }
                case .object(let object):
                    text.append(0x7B)
                    pending.append(.bytes([0x7D]))
                    for (index, member) in object.present.enumerated().reversed() {
                        pending.append(.value(member.value))
                        pending.append(.bytes((index > 0 ? [0x2C] : []) + member.quotedKey))
                    }
                }
            }
        }
        return text
    }

    // MARK: - Copies and tests

    /// A value in its current state.
    private func snapshot(of number: Int) -> JSONPatchValue {
        if case .source(let value) = values[number] { return value }
        return JSONPatchValue(.root, of: Document.parse(DocumentBytes(text(of: number))))
    }

    private static func areEqual(_ first: JSONPatchValue, _ second: JSONPatchValue) -> Bool {
        let left = Document.parse(DocumentBytes(first.jsonBytes))
        let right = Document.parse(DocumentBytes(second.jsonBytes))
        return DocumentDiff(between: left, and: right).isEqual
    }
}
