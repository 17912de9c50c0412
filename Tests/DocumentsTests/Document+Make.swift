@testable import Documents

extension DocumentBytes {
    static func make(_ text: String = #"{"a":1}"#) -> DocumentBytes {
        DocumentBytes(Array(text.utf8))
    }
}

extension Document {
    static func make(_ text: String = #"{"a":1}"#) -> Document { .parse(.make(text)) }

    /// A parse in pieces, as the screen and the background do it.
    static func make(_ bytes: DocumentBytes, window: Int, slice: Int = .max) -> Document {
        let document = Document(bytes)
        document.parseStart(with: FastestScanner.self, window: window)
        while document.parseSlice(with: FastestScanner.self, length: slice) {}
        return document
    }

    var allNodes: [NodeIndex] { (0..<nodeCount).map { NodeIndex($0) } }

    /// Every field of every node and container.
    var dump: [UInt64] {
        var words: [UInt64] = []
        for index in 0..<nodeCount {
            words.append(nodes.read(index).bits)
        }
        for index in 0..<containerCount {
            let container = containers.read(index)
            words += [container.start, container.bounds, UInt64(container.node)]
            words += [container.parent, container.count, container.extent].map { UInt64($0) }
        }
        return words
    }

    /// The text without its white space, made from the tree.
    var minified: String {
        var text = ""
        var open: [(end: Int, closer: String)] = []
        for node in allNodes {
            while let last = open.last, last.end <= node.rawValue {
                text += last.closer
                open.removeLast()
            }
            if indexInParent(of: node) > 0 { text += "," }
            if let key = keyRange(of: node) { text += "\"" + bytes.string(in: key) + "\":" }
            let kind = kind(of: node)
            if kind.isContainer {
                text += kind == .array ? "[" : "{"
                let end = node.rawValue + subtreeSize(of: node)
                open.append((end, kind == .array ? "]" : "}"))
            } else {
                text += sourceText(of: node)
            }
        }
        return text + open.reversed().map(\.closer).joined()
    }
}
