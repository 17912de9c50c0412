/// Writes the values of a document as JSON text.
///
/// The minified and the pretty form keep tokens as written: numbers, escapes, duplicate keys and the order of
/// members. No form recurses, and none holds its output in memory.
public struct DocumentWriter: Sendable {
    /// What the text looks like.
    public enum Form: Sendable, Hashable {
        /// Without any white space.
        case minified
        /// One value per line, indented.
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
    /// The values of a sequence are written one after another, with line feeds between them. Throws a
    /// ``DocumentWritingError`` for a value that is incomplete or that the form cannot express, and whatever the sink
    /// throws; earlier pieces have been written by then.
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
    ) throws(DocumentWritingError) -> [UInt8] {
        var bytes: [UInt8] = []
        if node.rawValue >= 0 && node.rawValue < document.nodeCount {
            bytes.reserveCapacity(document.valueRange(of: node).count)
        }
        do {
            try write(node, of: document) { bytes.append(contentsOf: $0) }
        } catch let fault as DocumentWritingError {
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
    ) throws(DocumentWritingError) {
        guard node.rawValue >= 0 && node.rawValue < document.nodeCount else {
            throw DocumentWritingError(.incomplete, node: node, at: document.fault?.offset ?? 0)
        }
        if document.isFinished && document.fault == nil { return }
        let range = document.valueRange(of: node)
        let end = node.rawValue + document.subtreeSize(of: node)
        let faults = document.faults
        // Beyond the first thousand, faults are only counted: they may be anywhere after that.
        let isBroken =
            faults.contains { range.contains($0.offset) }
            || faults.count < document.faultCount
                && faults.last.map { $0.offset < range.upperBound } ?? true
        let isOpen = (node.rawValue..<end).contains { document.isIncomplete(NodeIndex($0)) }
        guard !isBroken && !isOpen else {
            throw DocumentWritingError(.incomplete, node: node, at: range.lowerBound)
        }
    }
}

extension Document {
    /// Whether a value is the root of a sequence, which has no brackets.
    func isSequence(_ node: NodeIndex) -> Bool {
        node == .root && form == .sequence
    }
}

/// How a pretty text is laid out.
public struct PrettyStyle: Sendable, Hashable {
    /// The indentation of a value for each container around it.
    public enum Indentation: Sendable, Hashable {
        /// This number of spaces, from 1 to 8.
        case spaces(Int)
        /// One tab.
        case tab
    }

    /// The indentation of a value for each container around it.
    public let indentation: Indentation
    /// The greatest length in bytes of an array of scalars that stays on one line; 0 for none.
    public let lineWidth: Int

    /// Describes a layout; a number of spaces is clamped to 1 to 8.
    public init(indentation: Indentation = .spaces(2), lineWidth: Int = 0) {
        self.lineWidth = max(0, lineWidth)
        guard case .spaces(let count) = indentation else {
            self.indentation = indentation
            return
        }
        self.indentation = .spaces(min(max(count, 1), 8))
    }

    var unit: [UInt8] {
        switch indentation {
        case .spaces(let count): Array(repeating: 0x20, count: count)
        case .tab: [0x09]
        }
    }
}

/// Why a value could not be written, and where it is.
public struct DocumentWritingError: Error, Equatable, Sendable {
    /// Why a value cannot be written.
    public enum Kind: Sendable, CaseIterable {
        /// The value is still being parsed, or has a fault in it.
        case incomplete
        /// RFC 8785 allows a key only once in an object.
        case duplicateKey
        /// A lone surrogate, which is not a character.
        case loneSurrogate
        /// A number that no double can hold.
        case numberTooLarge
    }

    /// Why the value cannot be written.
    public let kind: Kind
    /// The value, or the member whose key is wrong.
    public let node: NodeIndex
    /// The byte of the text where the value or the key begins.
    public let offset: Int

    /// Makes a fault of a kind at a node and its offset.
    public init(_ kind: Kind, node: NodeIndex, at offset: Int) {
        self.kind = kind
        self.node = node
        self.offset = offset
    }
}

extension DocumentWritingError: CustomStringConvertible {
    /// One sentence for people, without the position.
    public var description: String {
        switch kind {
        case .incomplete: "this value is not complete"
        case .duplicateKey: "canonical JSON allows a key only once in an object"
        case .loneSurrogate: "a lone surrogate is not a character"
        case .numberTooLarge: "this number is too large for canonical JSON"
        }
    }
}
