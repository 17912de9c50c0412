import Documents

/// A JSON body as rows, and edits of its values that leave every other byte as it is.
struct JSONBody {
    /// The most bytes that are shown as a tree, because the text is parsed on the main thread at each change.
    static let longestText = 256 << 10

    struct Value: Equatable {
        var node: NodeIndex
        var depth: Int
        /// The key, or the index in an array.
        var name: String
        /// Whether the name is a key.
        var isMember: Bool
        var kind: ValueKind
        /// The text as written; for a container, its count.
        var source: String
        /// The path, which identifies the value.
        var path: String
    }

    private let text: String
    private let document: Document

    /// Parses a text; nil if it is not JSON or longer than `longestText`.
    init?(_ text: String) {
        guard text.utf8.count <= Self.longestText else { return nil }
        let document = Document.parse(DocumentBytes(Array(text.utf8)))
        guard document.fault == nil, document.nodeCount > 0 else { return nil }
        self.text = text
        self.document = document
    }

    /// The syntax error of a text and its position; nil if it is JSON.
    static func fault(in text: String) -> String? {
        let document = Document.parse(DocumentBytes(Array(text.utf8)))
        guard let fault = document.fault else { return nil }
        let place = document.position(of: fault.offset)
        return "line \(place.line), column \(place.column): \(fault.description)"
    }

    /// All values, in the order of the text.
    var values: [Value] {
        var paths: [String] = []
        return (0..<document.nodeCount).map { number in
            let node = NodeIndex(number)
            let depth = document.depth(of: node)
            let key = document.key(of: node)
            let name =
                key ?? (depth == 0 ? "" : String(document.indexInParent(of: node)))
            paths.removeSubrange(min(depth, paths.count)...)
            paths.append((paths.last ?? "") + (key.map(Self.step) ?? "[\(name)]"))
            return Value(
                node: node,
                depth: depth,
                name: name,
                isMember: key != nil,
                kind: document.kind(of: node),
                source: source(of: node),
                path: paths.last ?? ""
            )
        }
    }

    private static func step(_ key: String) -> String { "[\"\(key)\"]" }

    private func source(of node: NodeIndex) -> String {
        switch document.kind(of: node) {
        case .object: "{\(document.childCount(of: node))}"
        case .array: "[\(document.childCount(of: node))]"
        default: document.sourceText(of: node)
        }
    }

    /// The text that is edited for a value: a string without quotes, if that is unambiguous.
    func editable(_ node: NodeIndex) -> String {
        let source = document.sourceText(of: node)
        guard let string = document.string(of: node), !source.contains("\\"),
            !Self.isMarked(string)
        else { return source }
        return string
    }

    /// The body with a value replaced by typed text; a string stays a string.
    func setting(_ node: NodeIndex, to typed: String) -> String {
        let wasString = document.kind(of: node) == .string
        return replacing(
            document.valueRange(of: node),
            with: Self.written(typed, asString: wasString)
        )
    }

    /// Typed text as JSON.
    ///
    /// If `asString`, only valid JSON in quotes, brackets or braces is taken as it is; if not, any valid JSON.
    /// Everything else becomes a string.
    static func written(_ typed: String, asString: Bool) -> String {
        let isValue = !typed.isEmpty && fault(in: typed) == nil
        if isValue, !asString || isMarked(typed) { return typed }
        return JSON(typed).text() ?? "\"\""
    }

    private static func isMarked(_ text: String) -> Bool {
        // `{{ name }}` is a template, not an object.
        guard let first = text.utf8.first, !text.hasPrefix("{{") else { return false }
        return [UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "[")].contains(first)
            && fault(in: text) == nil
    }

    /// The body with a value replaced by source text.
    func replacing(_ node: NodeIndex, with source: String) -> String {
        replacing(document.valueRange(of: node), with: source)
    }

    /// The source text of the value at a path, as `Value.path` has it; nil if there is none.
    func source(at path: String) -> String? {
        values.first { $0.path == path }.map { document.sourceText(of: $0.node) }
    }

    /// Whether a value that is added after another one has a name.
    func takesName(after node: NodeIndex) -> Bool {
        let isInside = isInside(node)
        let holder = isInside ? node : document.parent(of: node) ?? node
        return document.kind(of: holder) == .object
    }

    /// Whether an added value goes into a container instead of after it.
    private func isInside(_ node: NodeIndex) -> Bool {
        document.kind(of: node).isContainer && (document.childCount(of: node) == 0 || node == .root)
    }

    /// The body with a value added after another one, or in an empty or the outermost container.
    func adding(_ name: String, _ typed: String, after node: NodeIndex) -> String? {
        let kind = document.kind(of: node)
        let value = Self.written(typed, asString: false)
        guard !isInside(node) else {
            let member = kind == .object ? "\(key(name)): \(value)" : value
            guard let last = document.children(of: node).reversed().first else {
                let inner = document.valueRange(of: node)
                return replacing(inner.lowerBound + 1..<inner.upperBound - 1, with: member)
            }
            return adding(member, after: last)
        }
        guard let parent = document.parent(of: node) else { return nil }
        let isObject = document.kind(of: parent) == .object
        return adding(isObject ? "\(key(name)): \(value)" : value, after: node)
    }

    private func key(_ name: String) -> String { JSON(name).text() ?? "\"\"" }

    /// The body with a member added after a value, on a line of its own if the value has one.
    private func adding(_ member: String, after node: NodeIndex) -> String {
        let start = memberStart(of: node)
        let bytes = Array(text.utf8)
        var blank = start
        while blank > 0, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[blank - 1]) { blank -= 1 }
        let space = String(decoding: bytes[blank..<start], as: UTF8.self)
        let end = document.valueRange(of: node).upperBound
        return replacing(end..<end, with: ",\(space.contains("\n") ? space : " ")\(member)")
    }

    /// The body without a value and its comma; nil for the outermost value.
    func removing(_ node: NodeIndex) -> String? {
        guard let parent = document.parent(of: node) else { return nil }
        let siblings = Array(document.children(of: parent))
        guard let index = siblings.firstIndex(of: node) else { return nil }
        if index > 0 {
            let before = document.valueRange(of: siblings[index - 1]).upperBound
            return replacing(before..<document.valueRange(of: node).upperBound, with: "")
        }
        if siblings.indices.contains(1) {
            return replacing(memberStart(of: node)..<memberStart(of: siblings[1]), with: "")
        }
        let inner = document.valueRange(of: parent)
        return replacing(inner.lowerBound + 1..<inner.upperBound - 1, with: "")
    }

    /// The offset at which a value or, if it has one, its key begins, with its quote.
    private func memberStart(of node: NodeIndex) -> Int {
        document.keyRange(of: node).map { $0.lowerBound - 1 }
            ?? document.valueRange(of: node).lowerBound
    }

    private func replacing(_ range: Range<Int>, with new: String) -> String {
        var bytes = Array(text.utf8)
        bytes.replaceSubrange(range, with: Array(new.utf8))
        return String(decoding: bytes, as: UTF8.self)
    }
}
