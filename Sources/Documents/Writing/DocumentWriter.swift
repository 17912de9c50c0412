/// Writes the values of a document as JSON text.
///
/// Tokens stay as written in the minified and the pretty form: numbers, escapes, equal keys and the
/// order of members. No form recurses, and none holds its output.
public struct DocumentWriter: Sendable {
    /// What the text looks like.
    public enum Form: Sendable, Hashable {
        /// Without any white space.
        case minified
        /// A value a line, indented.
        case pretty(PrettyStyle)
        /// The one form that equal values share.
        case canonical(CanonicalRules)

        /// Indented by two spaces.
        public static let pretty = Form.pretty(PrettyStyle())
        /// RFC 8785 exactly.
        public static let canonical = Form.canonical(.strict)
    }

    /// What the text looks like.
    public let form: Form

    /// Writes in one form.
    public init(_ form: Form = .minified) {
        self.form = form
    }

    /// Writes a value to a sink, in pieces of at most 256 KiB, without a final line feed.
    ///
    /// A text of several values is written as it is read, a value after the other with line feeds
    /// between them. Throws a ``WriteFault`` for a value that is not complete or that the form cannot express, and
    /// what the sink throws; pieces before it have gone out by then.
    public func write(
        _ node: NodeIndex = .root,
        of document: Document,
        to sink: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try OutputBuffer.with(sink) { try write(whole: node, of: document, to: &$0) }
        withExtendedLifetime(document) {}
    }

    /// A value as text in memory, without a final line feed.
    public func bytes(
        of node: NodeIndex = .root,
        in document: Document
    ) throws(WriteFault) -> [UInt8] {
        var bytes: [UInt8] = []
        if node.rawValue >= 0 && node.rawValue < document.nodeCount {
            bytes.reserveCapacity(document.valueRange(of: node).count)
        }
        do {
            try write(node, of: document) { bytes.append(contentsOf: $0) }
        } catch let fault as WriteFault {
            throw fault
        } catch {
            preconditionFailure("an array as a sink throws nothing: \(error)")
        }
        return bytes
    }

    func write(
        whole node: NodeIndex,
        of document: Document,
        to output: inout OutputBuffer
    ) throws {
        try Self.requireWhole(node, of: document)
        guard document.isSequence(node) else {
            return try writeValue(node, of: document, to: &output)
        }
        var isFirst = true
        for value in document.children(of: node) {
            if !isFirst { try output.append(0x0A) }
            isFirst = false
            try writeValue(value, of: document, to: &output)
        }
    }

    private func writeValue(
        _ node: NodeIndex,
        of document: Document,
        to output: inout OutputBuffer
    ) throws {
        if case .canonical(let rules) = form {
            var writer = CanonicalWriter(document, rules: rules)
            return try writer.write(node, to: &output)
        }
        let range = document.valueRange(of: node)
        let layout = TextLayout(document.bytes.base, end: range.upperBound)
        guard case .pretty(let style) = form else {
            return try layout.minify(from: range.lowerBound, to: &output)
        }
        try layout.prettify(from: range.lowerBound, style: style, to: &output)
    }

    private static func requireWhole(
        _ node: NodeIndex,
        of document: Document
    ) throws(WriteFault) {
        guard node.rawValue >= 0 && node.rawValue < document.nodeCount else {
            throw WriteFault(.incomplete, node: node, at: document.fault?.offset ?? 0)
        }
        if document.isFinished && document.fault == nil { return }
        let range = document.valueRange(of: node)
        let end = node.rawValue + document.subtreeSize(of: node)
        let faults = document.faults
        // Of very many faults the last are only counted: they may be anywhere behind.
        let isBroken =
            faults.contains { range.contains($0.offset) }
            || faults.count < document.faultCount
                && faults.last.map { $0.offset < range.upperBound } ?? true
        let isOpen = (node.rawValue..<end).contains { document.isIncomplete(NodeIndex($0)) }
        guard !isBroken && !isOpen else {
            throw WriteFault(.incomplete, node: node, at: range.lowerBound)
        }
    }
}

extension Document {
    /// Whether a value stands for a whole text of several values, so that it has no brackets.
    func isSequence(_ node: NodeIndex) -> Bool {
        node == .root && form == .sequence
    }
}
