import Documents

/// A body of JSON as rows, and changes of its values that leave every other byte as it is.
struct JSONBody {
    /// The longest text that is shown as a tree: it is parsed at each change, on the screen's thread.
    static let longestText = 256 << 10

    /// A value of it.
    struct Value: Equatable {
        var node: NodeIndex
        var depth: Int
        /// The key, or the place in an array.
        var name: String
        /// Whether the name is a key.
        var isMember: Bool
        var kind: ValueKind
        /// As written; of a container the count.
        var source: String
        /// The path, which tells it from the others.
        var path: String
    }

    private let text: String
    private let document: Document

    /// Parses a text; nil if it is not JSON or longer than a tree is made of.
    init?(_ text: String) {
        guard text.utf8.count <= Self.longestText else { return nil }
        let document = Document.parse(DocumentBytes(Array(text.utf8)))
        guard document.fault == nil, document.nodeCount > 0 else { return nil }
        self.text = text
        self.document = document
    }

    /// What is wrong with a text, in words; nil if it is JSON.
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

    /// What a value is edited as: a string without its quotes, if it can be written so.
    func editable(_ node: NodeIndex) -> String {
        let source = document.sourceText(of: node)
        guard let string = document.string(of: node), !source.contains("\\"),
            !Self.isMarked(string)
        else { return source }
        return string
    }

    /// The text with another value, as it was typed: a string stays one.
    func setting(_ node: NodeIndex, to typed: String) -> String {
        let wasString = document.kind(of: node) == .string
        return replacing(
            document.valueRange(of: node),
            with: Self.written(typed, asString: wasString)
        )
    }

    /// A value as JSON.
    ///
    /// What has quotes or brackets of its own is taken as it is if it is JSON; in the place of a string all else is
    /// a string, and elsewhere what is no number or word of JSON.
    static func written(_ typed: String, asString: Bool) -> String {
        let isValue = !typed.isEmpty && fault(in: typed) == nil
        if isValue, !asString || isMarked(typed) { return typed }
        return JSON(typed).text() ?? "\"\""
    }

    private static func isMarked(_ text: String) -> Bool {
        // `{{ name }}` alone is a template, and no object.
        guard let first = text.utf8.first, !text.hasPrefix("{{") else { return false }
        return [UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "[")].contains(first)
            && fault(in: text) == nil
    }

    /// The text with another value, as it is written.
    func replacing(_ node: NodeIndex, with source: String) -> String {
        replacing(document.valueRange(of: node), with: source)
    }

    /// The path of a value, which tells it from the others.
    func path(of node: NodeIndex) -> String { document.path(of: node) }

    /// A scalar as written at a path; nil if there is none.
    func source(at path: String) -> String? {
        (0..<document.nodeCount).lazy.map { NodeIndex($0) }
            .first { document.path(of: $0) == path }
            .map { document.sourceText(of: $0) }
    }

    /// Whether a value that is added behind another one has a name.
    func takesName(behind node: NodeIndex) -> Bool {
        let isInside = isInside(node)
        let holder = isInside ? node : document.parent(of: node) ?? node
        return document.kind(of: holder) == .object
    }

    /// Whether a value is added in a container, and not behind it.
    private func isInside(_ node: NodeIndex) -> Bool {
        document.kind(of: node).isContainer && (document.childCount(of: node) == 0 || node == .root)
    }

    /// The text with a value behind another one, or in an empty container.
    func adding(_ name: String, _ typed: String, behind node: NodeIndex) -> String? {
        let kind = document.kind(of: node)
        let value = Self.written(typed, asString: false)
        guard !isInside(node) else {
            let member = kind == .object ? "\(key(name)): \(value)" : value
            guard let last = document.children(of: node).reversed().first else {
                let inner = document.valueRange(of: node)
                return replacing(inner.lowerBound + 1..<inner.upperBound - 1, with: member)
            }
            return adding(member, behind: last)
        }
        guard let parent = document.parent(of: node) else { return nil }
        let isObject = document.kind(of: parent) == .object
        return adding(isObject ? "\(key(name)): \(value)" : value, behind: node)
    }

    private func key(_ name: String) -> String { JSON(name).text() ?? "\"\"" }

    /// Puts a member behind a value, on a line of its own where the value has one.
    private func adding(_ member: String, behind node: NodeIndex) -> String {
        let start =
            document.keyRange(of: node).map { $0.lowerBound - 1 }
            ?? document.valueRange(of: node).lowerBound
        let bytes = Array(text.utf8)
        var blank = start
        while blank > 0, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[blank - 1]) { blank -= 1 }
        let space = String(decoding: bytes[blank..<start], as: UTF8.self)
        let end = document.valueRange(of: node).upperBound
        return replacing(end..<end, with: ",\(space.contains("\n") ? space : " ")\(member)")
    }

    /// The text without a value, and without the comma that it needed; nil for the whole.
    func removing(_ node: NodeIndex) -> String? {
        guard let parent = document.parent(of: node) else { return nil }
        let range = document.valueRange(of: node)
        let start = document.keyRange(of: node).map { $0.lowerBound - 1 } ?? range.lowerBound
        let siblings = Array(document.children(of: parent))
        guard let index = siblings.firstIndex(of: node) else { return nil }
        if index > 0 {
            let before = document.valueRange(of: siblings[index - 1]).upperBound
            return replacing(before..<range.upperBound, with: "")
        }
        if siblings.indices.contains(1) {
            let next = siblings[1]
            let nextStart =
                document.keyRange(of: next).map { $0.lowerBound - 1 }
                ?? document.valueRange(of: next).lowerBound
            return replacing(start..<nextStart, with: "")
        }
        let inner = document.valueRange(of: parent)
        return replacing(inner.lowerBound + 1..<inner.upperBound - 1, with: "")
    }

    private func replacing(_ range: Range<Int>, with new: String) -> String {
        var bytes = Array(text.utf8)
        bytes.replaceSubrange(range, with: Array(new.utf8))
        return String(decoding: bytes, as: UTF8.self)
    }
}
