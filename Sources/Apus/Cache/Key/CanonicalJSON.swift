import Documents

/// JSON text in the one form that equal values share: no white space, members
/// sorted by name, escapes in strings undone.
///
/// Numbers keep their text, for 1.0 and 1 may not be the same to a server; so do
/// members of one name keep their order.
enum CanonicalJSON {
    /// The canonical form; nil if the text is not JSON.
    static func bytes(of text: [UInt8]) -> [UInt8]? {
        let document = Document.parse(DocumentBytes(text))
        guard document.fault == nil, document.nodeCount > 0 else { return nil }
        var writer = Writer(document: document)
        writer.write(.root)
        return writer.out
    }

    /// Writes a tree without recursion, for its depth is bounded only by its size.
    private struct Writer {
        /// What is still to be written, the next last.
        private enum Step {
            case value(NodeIndex)
            case member(NodeIndex, name: String)
            case text(UInt8)
        }

        let document: Document
        var out: [UInt8] = []
        private var steps: [Step] = []

        init(document: Document) { self.document = document }

        mutating func write(_ root: NodeIndex) {
            steps = [.value(root)]
            while let step = steps.popLast() {
                switch step {
                case .text(let byte): out.append(byte)
                case .value(let node): write(value: node)
                case .member(let node, let name):
                    JSONText.append(name, to: &out)
                    out.append(UInt8(ascii: ":"))
                    write(value: node)
                }
            }
        }

        private mutating func write(value node: NodeIndex) {
            switch document.kind(of: node) {
            case .object: writeObject(node)
            case .array: writeArray(node)
            case .string: JSONText.append(document.string(of: node) ?? "", to: &out)
            default: out.append(contentsOf: document.sourceText(of: node).utf8)
            }
        }

        private mutating func writeObject(_ node: NodeIndex) {
            // The standard library's sort keeps the order of equals.
            let members = document.children(of: node).map {
                (node: $0, name: document.key(of: $0) ?? "")
            }
            .sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
            out.append(UInt8(ascii: "{"))
            push(members.map { .member($0.node, name: $0.name) }, closing: UInt8(ascii: "}"))
        }

        private mutating func writeArray(_ node: NodeIndex) {
            out.append(UInt8(ascii: "["))
            push(document.children(of: node).map { .value($0) }, closing: UInt8(ascii: "]"))
        }

        private mutating func push(_ items: [Step], closing: UInt8) {
            steps.append(.text(closing))
            for (index, item) in items.enumerated().reversed() {
                steps.append(item)
                if index > 0 { steps.append(.text(UInt8(ascii: ","))) }
            }
        }
    }
}
