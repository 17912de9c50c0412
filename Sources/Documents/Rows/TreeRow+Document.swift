extension TreeRow {
    /// A value of a document as a row; no text is longer than `textLimit` bytes.
    init(_ node: NodeIndex, of document: Document, fold: FoldState, textLimit: Int) {
        let kind = document.kind(of: node)
        let keyRange = document.keyRange(of: node)
        let isElement = keyRange == nil && document.parent(of: node) != nil
        let key = keyRange.map { document.bytes.cutText($0, limit: textLimit) }
        let value =
            kind.isContainer
            ? (text: "", isCut: false)
            : document.cutValue(of: node, limit: textLimit)
        self.init(
            node: node,
            depth: document.depth(of: node),
            fold: fold,
            kind: kind,
            key: key?.text,
            index: isElement ? document.indexInParent(of: node) : nil,
            value: value.text,
            isKeyCut: key?.isCut ?? false,
            isValueCut: value.isCut,
            childCount: document.childCount(of: node),
            isIncomplete: document.isIncomplete(node)
        )
    }
}
