/// A body as a pane shows it: a tree, lines or bytes, asked for rows in one way.
///
/// A value: folds belong to it. What is parsed in the background is shared by all its copies, and
/// `synchronize` takes it in.
package struct BodyDocument: Sendable {
    /// The body.
    package let bytes: DocumentBytes
    /// The Content-Type as sent.
    package let declaredType: String?
    /// How it is shown.
    package private(set) var form: BodyForm
    /// The tree, when there is one.
    package let document: Document?
    /// What speaks against the Content-Type.
    package let mismatch: TypeMismatch?

    private var tree: RowIndex?
    private var text: TextDocument?
    private let hex: HexDocument

    /// Decides what the body is, and takes in the first 64 KiB.
    package init(_ bytes: DocumentBytes, contentType: String?) {
        let guess = BodyGuess(bytes, contentType: contentType)
        self.bytes = bytes
        declaredType = contentType
        form = guess.form
        document = guess.document
        mismatch = guess.mismatch
        tree = guess.document.map { RowIndex($0) }
        hex = HexDocument(bytes)
        if form == .text { text = TextDocument(bytes) }
    }

    // MARK: - Forms

    /// The forms it can be shown in.
    package var availableForms: [BodyForm] {
        (document?.nodeCount ?? 0) > 0 ? [.tree, .text, .hex] : [.text, .hex]
    }

    /// Shows it in another form, when that is possible.
    package mutating func show(_ form: BodyForm) {
        guard availableForms.contains(form) else { return }
        self.form = form
        if form == .text && text == nil { text = TextDocument(bytes) }
    }

    /// Why the tree is not whole; nil while it is still being parsed.
    package var fault: DocumentFault? { document?.fault }

    /// Where the fault is; it counts lines, so ask once.
    package var faultPosition: TextPosition? {
        guard let document, let fault = document.fault else { return nil }
        return document.position(of: fault.offset)
    }

    // MARK: - Taking in the rest

    /// Whether everything was taken in for the form that is shown.
    package var isFinished: Bool {
        switch form {
        case .tree: document?.isFinished ?? true
        case .text: text?.isFinished ?? true
        case .hex: true
        }
    }

    /// How far that is.
    package var progress: ParseProgress {
        let whole = ParseProgress(parsedBytes: bytes.count, totalBytes: bytes.count)
        return switch form {
        case .tree: document?.progress ?? whole
        case .text: text?.progress ?? whole
        case .hex: whole
        }
    }

    /// Takes in the rest for the form that is shown, off the calling actor.
    ///
    /// Copies share what it finds. When the task is cancelled a later call goes on.
    @concurrent package func finish(
        onProgress: (@Sendable (ParseProgress) -> Void)? = nil
    ) async {
        switch form {
        case .tree: await document?.finishParsing(onProgress: onProgress)
        case .text: await text?.finish(onProgress: onProgress)
        case .hex: break
        }
    }

    /// Takes in the rows that were found since the last time.
    package mutating func synchronize() { tree?.synchronize() }

    // MARK: - Rows

    /// The number of rows.
    package var rowCount: Int {
        switch form {
        case .tree: tree?.rowCount ?? 0
        case .text: text?.rowCount ?? 0
        case .hex: hex.rowCount
        }
    }

    /// One row.
    package func row(at row: Int, textLimit: Int = 512, textOffset: Int = 0) -> BodyRow? {
        guard row >= 0 && row < rowCount else { return nil }
        return rows(in: row..<row + 1, textLimit: textLimit, textOffset: textOffset).first
    }

    /// The rows of a range, cut to what there is.
    ///
    /// No text is longer than `textLimit` bytes. `textOffset` is the first byte that is shown of
    /// every line; the other forms don't scroll sideways.
    package func rows(
        in range: Range<Int>,
        textLimit: Int = 512,
        textOffset: Int = 0
    ) -> [BodyRow] {
        let range = range.clamped(to: 0..<rowCount)
        switch form {
        case .tree:
            return tree?.rows(in: range, textLimit: textLimit).map { .tree($0) } ?? []
        case .text:
            return range.compactMap { row in
                text?.row(at: row, textLimit: textLimit, textOffset: textOffset).map { .text($0) }
            }
        case .hex:
            return range.compactMap { hex.row(at: $0).map { .hex($0) } }
        }
    }

    /// The row of the container around the value at a row.
    package func parentRow(of row: Int) -> Int? {
        guard form == .tree, let tree, let node = tree.node(atRow: row) else { return nil }
        return document?.parent(of: node).flatMap { tree.row(of: $0) }
    }

    /// The short path of the value at a row.
    package func path(ofRow row: Int) -> String? {
        guard form == .tree, let node = tree?.node(atRow: row) else { return nil }
        return document?.dottedPath(of: node)
    }

    /// The value at a row of the tree.
    package func node(atRow row: Int) -> NodeIndex? {
        form == .tree ? tree?.node(atRow: row) : nil
    }

    /// The row of a value, or of the folded container that hides it.
    package func row(of node: NodeIndex) -> Int? {
        form == .tree ? tree?.nearestRow(of: node) : nil
    }

    // MARK: - Folds

    /// Folds or unfolds the container at a row; elsewhere it does nothing.
    package mutating func toggle(row: Int) {
        guard let node = node(atRow: row) else { return }
        tree?.toggle(node)
    }

    /// Folds every container but the outermost.
    package mutating func foldAll() { tree?.foldAll() }

    /// Unfolds every container.
    package mutating func unfoldAll() { tree?.unfoldAll() }

    /// Folds exactly the containers at a depth and below.
    package mutating func fold(fromDepth depth: Int) { tree?.fold(fromDepth: depth) }

    /// Unfolds what hides a value.
    package mutating func reveal(_ node: NodeIndex) { tree?.reveal(node) }
}
