/// A body as a pane shows it: a tree, lines or bytes, with the same methods for their rows.
///
/// A body is a value with its own folds. Its copies share what is parsed in the background, which each adopts by
/// `synchronize`.
package struct BodyDocument: Sendable {
    /// The body as it was sent.
    package let bytes: DocumentBytes
    /// The `Content-Type` as the server sent it; nil if there was none.
    package let declaredType: String?
    /// Whether it is shown as a tree, as text or as bytes.
    package private(set) var form: BodyForm
    /// The form that somebody chose; nil if the body decides.
    package private(set) var chosenForm: BodyForm?
    /// The format that the tree is made from; nil if there is no tree.
    package let format: DocumentFormat?
    /// The tree; nil if there is none.
    ///
    /// For a format other than JSON it points into text made from the body. It begins as the tree of the first
    /// 64 KiB, and `synchronize` replaces it with the tree of the whole body.
    package private(set) var document: Document?
    /// How the body contradicts its Content-Type; nil if it does not.
    package let mismatch: TypeMismatch?
    /// Why there is no tree although the format has one; nil if there is a tree, or the format has none.
    package private(set) var treeProblem: String?

    private var tree: RowIndex?
    private var text: TextDocument?
    private let hex: HexDocument
    private let source: ConvertedBody?
    /// Whether more of the body is still to come, so that an early end is not a fault.
    package let isGrowing: Bool
    /// The faults among the rows of the tree.
    private var faultRows = FaultRows()
    /// The pretty-printed lines; nil if the format cannot be pretty-printed.
    private let pretty: PrettyLines?
    /// Whether pretty-printed lines are shown, as soon as they are made.
    package private(set) var wantsPretty = false
    /// The depth from which everything was folded, to fold a new tree likewise.
    private var foldDepth: Int?

    /// Detects what the body is, and reads its first 64 KiB.
    ///
    /// A JSON body whose tree would take more than `treeLimit` is shown as text. With `isGrowing`, the bytes
    /// are the beginning of a body, and an early end is not reported.
    package init(
        _ bytes: DocumentBytes,
        contentType: String?,
        isGrowing: Bool = false,
        treeLimit: TreeMemoryLimit = .standard
    ) {
        let guess = BodyDetection(bytes, contentType: contentType, treeLimit: treeLimit)
        self.bytes = bytes
        self.isGrowing = isGrowing
        declaredType = contentType
        form = guess.form
        format = guess.format
        document = guess.document
        source = guess.source
        mismatch = guess.mismatch
        tree = guess.document.map { RowIndex($0) }
        hex = HexDocument(bytes)
        pretty = [.json, .jsonLines, .xml, .html].contains(guess.format) ? PrettyLines() : nil
        placeFaults()
        prepareForm()
    }

    /// The approximate memory that it takes, in bytes: the body, the tree, and any text made for the tree.
    package var heldMemory: Int {
        let made = document.map { $0.bytes === bytes ? 0 : $0.bytes.count } ?? 0
        return bytes.count + made + (document?.treeSize ?? 0)
    }

    // MARK: - Forms

    /// The forms it can be shown in.
    package var availableForms: [BodyForm] {
        hasTree ? [.tree, .text, .hex] : [.text, .hex]
    }

    private var hasTree: Bool {
        guard treeProblem == nil else { return false }
        guard let document else { return format != nil }
        return document.nodeCount > 0
    }

    /// Shows the body in another form, if that is available.
    package mutating func show(_ form: BodyForm) {
        guard availableForms.contains(form) else { return }
        self.form = form
        chosenForm = form
        prepareForm()
    }

    /// Makes the first part of a form; for a small body, all of it.
    private mutating func prepareForm() {
        prepareRows()
        if form == .text, wantsPretty, bytes.isComplete, bytes.count <= ConvertedBody.smallSize {
            makePretty()
        }
    }

    private mutating func prepareRows() {
        switch form {
        case .tree where document == nil:
            guard let source, treeProblem == nil else { return }
            if source.isSmall { source.openTree() } else { show(source.previewTree()) }
        case .text where text == nil:
            guard let source, source.isEncoded else {
                text = TextDocument(bytes)
                return
            }
            if source.isSmall { source.openLines() } else { text = source.previewLines() }
        default: return
        }
        takeSource()
    }

    // MARK: - Layout

    /// Whether the text can be pretty-printed.
    package var hasPretty: Bool { pretty != nil }

    /// Why the text is shown as it was sent although it should be pretty-printed; nil if nothing prevents it.
    package var prettyProblem: String? { wantsPretty ? pretty?.problem : nil }

    /// Whether the lines that are shown are pretty-printed.
    package var isPretty: Bool { form == .text && wantsPretty && pretty?.lines != nil }

    /// The text whose lines are shown: the body, in UTF-8 and perhaps pretty-printed.
    package var textBytes: DocumentBytes { lines?.bytes ?? bytes }

    /// The line of the text that contains a byte; nil if that has not been indexed yet.
    package func line(at offset: Int) -> Int? { lines?.row(at: offset) }

    /// Shows the text pretty-printed, or as it was sent.
    package mutating func showPretty(_ isWanted: Bool) {
        guard pretty != nil else { return }
        wantsPretty = isWanted
        prepareForm()
    }

    private var lines: TextDocument? { wantsPretty ? pretty?.lines ?? text : text }

    /// Lays out a body of which all is there.
    private func makePretty() {
        guard let pretty, !pretty.isDone else { return }
        guard !isGrowing else { return pretty.refuse("it is still arriving") }
        guard bytes.count <= PrettyLines.largest else {
            return pretty.refuse("it is too large, so it is shown as it was sent")
        }
        guard format?.isJSON == true else {
            if let text { pretty.make(ofMarkup: text.bytes, isHTML: format == .html) }
            return
        }
        if let document = source?.opened?.document ?? document, document.isFinished {
            pretty.make(of: document)
        } else if treeProblem != nil {
            pretty.refuse("it has no tree, so it is shown as it was sent")
        }
    }

    /// Lays out the body off the calling actor.
    @concurrent private func finishPretty() async {
        guard wantsPretty, let pretty, !pretty.isDone else { return }
        await bytes.finishLoading()
        if format?.isJSON == true, bytes.count <= PrettyLines.largest {
            if let source { await BlockingWorkExecutor.read(format) { source.openTree() } }
            await (source?.opened?.document ?? document)?.finishParsing()
        }
        guard !Task.isCancelled else { return }
        makePretty()
        // Whatever the reason is, it does not go away.
        pretty.refuse("it cannot be read, so it is shown as it was sent")
    }

    // MARK: - Faults

    /// The first fault of the JSON tree; nil if there is none so far.
    package var fault: DocumentFault? {
        guard let fault = wholeDocument?.fault, !(isGrowing && fault.kind == .unexpectedEnd) else {
            return nil
        }
        return fault
    }

    /// The tree whose faults are the body's own; nil for another format, whose JSON text has none.
    private var wholeDocument: Document? {
        guard let source else { return document }
        return format?.isJSON ?? false ? source.opened?.document : nil
    }

    /// The faults in a body of another format or encoding.
    package var formatFaults: [FormattingError] { isGrowing ? [] : source?.opened?.faults ?? [] }

    /// The first fault that makes the lines show more than the tree; nil if there is none.
    package var breakingFault: FormattingError? { formatFaults.first(where: \.mayLoseText) }

    /// The line and column of the first fault; each call counts lines.
    package var faultPosition: TextPosition? {
        if let fault = formatFaults.first { return fault.position }
        guard let document, let fault else { return nil }
        return document.position(of: fault.offset)
    }

    /// The description of the first fault, for people.
    package var faultText: String? { formatFaults.first?.description ?? fault?.description }

    /// The line and column of a value in the body; each call counts lines.
    ///
    /// For a format other than JSON it is the nearest known position before the value, and nil until `synchronize`
    /// has adopted the whole tree.
    package func position(of node: NodeIndex) -> TextPosition? {
        guard let document else { return nil }
        guard let source else {
            return document.position(of: document.valueRange(of: node).lowerBound)
        }
        guard let opened = source.opened, opened.document === document else { return nil }
        return opened.position(of: node)
    }

    // MARK: - Taking in the rest

    /// Whether the whole body has been read for the current form.
    package var isFinished: Bool {
        switch form {
        case .tree: source == nil ? document?.isFinished ?? true : isSourceFinished
        case .text:
            (isEncoded ? source?.lines?.isFinished ?? false : text?.isFinished ?? true)
                && (!wantsPretty || pretty?.isDone ?? true)
        case .hex: bytes.isComplete
        }
    }

    /// How far the reading for the current form is.
    package var progress: ParseProgress {
        let loaded = bytes.loadProgress
        return switch form {
        case .tree: source == nil ? document?.progress ?? loaded : sourceProgress
        case .text: isEncoded ? encodedProgress : text?.progress ?? loaded
        case .hex: loaded
        }
    }

    /// Reads the rest of the body for the current form, off the calling actor.
    ///
    /// Streamed bytes are read to their end. Copies share the result. After a cancellation a later call continues.
    @concurrent package func finish(
        onProgress: (@Sendable (ParseProgress) -> Void)? = nil
    ) async {
        switch form {
        case .tree:
            if source != nil { await bytes.finishLoading(onProgress: onProgress) }
            if let source { await BlockingWorkExecutor.read(format) { source.openTree() } }
            await (source?.opened?.document ?? document)?.finishParsing(onProgress: onProgress)
            source?.dropTreeOverLimit()
        case .text:
            if let source, source.isEncoded {
                await bytes.finishLoading(onProgress: onProgress)
                source.openLines()
                var body = self
                body.synchronize()
                await body.text?.finish(onProgress: onProgress)
                await body.finishPretty()
            } else {
                await text?.finish(onProgress: onProgress)
                await finishPretty()
            }
        case .hex: await bytes.finishLoading(onProgress: onProgress)
        }
    }

    /// Adopts the rows that were found since the last call.
    ///
    /// A tree that exceeded its memory limit is dropped, and the text is shown instead.
    package mutating func synchronize() {
        if let problem = document?.limitFault?.description { dropTree(problem) }
        takeSource()
        tree?.synchronize()
        placeFaults()
    }

    private mutating func placeFaults() {
        guard fault != nil, let tree, let document, document === wholeDocument else {
            faultRows = FaultRows()
            return
        }
        faultRows = FaultRows(document, among: tree)
    }

    private mutating func dropTree(_ problem: String) {
        guard treeProblem == nil else { return }
        treeProblem = "\(problem): shown as text"
        show(nil)
        if form == .tree { form = .text }
        prepareForm()
    }

    /// Whether the lines are those of a text that was converted from the body.
    private var isEncoded: Bool { source?.isEncoded ?? false }

    private var encodedProgress: ParseProgress {
        let total = bytes.loadProgress.totalBytes
        return source?.lines?.progress ?? ParseProgress(parsedBytes: 0, totalBytes: total)
    }

    private var isSourceFinished: Bool { source?.opened?.document.isFinished ?? (format == nil) }

    private var sourceProgress: ParseProgress {
        // The parsed part of the JSON text shows how much of the body has been read.
        guard let progress = source?.opened?.document.progress, progress.totalBytes > 0 else {
            return ParseProgress(parsedBytes: 0, totalBytes: bytes.loadProgress.totalBytes)
        }
        let part = Double(progress.parsedBytes) / Double(progress.totalBytes)
        return ParseProgress(
            parsedBytes: isSourceFinished ? bytes.count : Int(part * Double(bytes.count)),
            totalBytes: bytes.count
        )
    }

    /// Replaces the first part of the tree and of the lines with the whole.
    private mutating func takeSource() {
        guard let source else { return }
        if let lines = source.lines { text = lines }
        if let problem = source.treeProblem { return dropTree(problem) }
        guard let opened = source.opened, opened.document !== document else { return }
        show(opened.document)
        // If a text breaks its format, its lines show more than the tree of a part.
        guard chosenForm == nil, form == .tree, breakingFault != nil else {
            return
        }
        form = .text
        prepareForm()
    }

    private mutating func show(_ document: Document?) {
        self.document = document
        tree = document.map { RowIndex($0) }
        if let foldDepth { tree?.fold(fromDepth: foldDepth) }
        placeFaults()
    }

    // MARK: - Rows

    /// The number of rows.
    package var rowCount: Int {
        switch form {
        case .tree: (tree?.rowCount ?? 0) + faultRows.count
        case .text: lines?.rowCount ?? 0
        case .hex: hex.rowCount
        }
    }

    /// The row at an index; nil if there is none.
    package func row(at row: Int, textLimit: Int = 512, textOffset: Int = 0) -> BodyRow? {
        guard row >= 0 && row < rowCount else { return nil }
        return rows(in: row..<row + 1, textLimit: textLimit, textOffset: textOffset).first
    }

    /// The rows of a range, clamped to those that exist.
    ///
    /// No text is longer than `textLimit` bytes. `textOffset` is the first byte that is shown of every line;
    /// the other forms do not scroll sideways.
    package func rows(
        in range: Range<Int>,
        textLimit: Int = 512,
        textOffset: Int = 0
    ) -> [BodyRow] {
        let range = range.clamped(to: 0..<rowCount)
        switch form {
        case .tree: return treeRows(in: range, textLimit: textLimit)
        case .text:
            return range.compactMap { row in
                lines?.row(at: row, textLimit: textLimit, textOffset: textOffset).map { .text($0) }
            }
        case .hex:
            return range.compactMap { hex.row(at: $0).map { .hex($0) } }
        }
    }

    private func treeRows(in range: Range<Int>, textLimit: Int) -> [BodyRow] {
        guard let tree, let document else { return [] }
        let first = faultRows.treeRow(at: range.lowerBound)
        let values = tree.rows(
            in: first..<max(first, faultRows.treeRow(at: range.upperBound)),
            textLimit: textLimit
        )
        return range.compactMap { row in
            if let fault = faultRows.fault(atRow: row) {
                return .fault(FaultRow(fault, of: document, textLimit: textLimit))
            }
            let place = faultRows.treeRow(at: row) - first
            return values.indices.contains(place) ? .tree(values[place]) : nil
        }
    }

    /// The row of the container around the value or fault at a row; nil if there is none.
    package func parentRow(of row: Int) -> Int? {
        guard form == .tree, let tree, let document else { return nil }
        if let fault = faultRows.fault(atRow: row) {
            let around = document.node(at: fault.offset - 1)
            let node = around.flatMap {
                document.kind(of: $0).isContainer ? $0 : document.parent(of: $0)
            }
            return node.flatMap { self.row(of: $0) }
        }
        guard let node = node(atRow: row), let parent = document.parent(of: node) else {
            return nil
        }
        return tree.row(of: parent).map { faultRows.row(ofTreeRow: $0) }
    }

    /// The short path of the value at a row; nil if the row has none.
    package func path(ofRow row: Int) -> String? {
        node(atRow: row).flatMap { document?.dottedPath(of: $0) }
    }

    /// The value at a row of the tree; nil if the row has none.
    package func node(atRow row: Int) -> NodeIndex? {
        guard form == .tree, faultRows.fault(atRow: row) == nil else { return nil }
        return tree?.node(atRow: faultRows.treeRow(at: row))
    }

    /// The row of a value, or of the folded container that hides it.
    package func row(of node: NodeIndex) -> Int? {
        guard form == .tree, let tree else { return nil }
        return faultRows.row(ofTreeRow: tree.nearestRow(of: node))
    }

    /// The fault at a row of the tree; nil if the row shows none.
    package func fault(atRow row: Int) -> DocumentFault? {
        form == .tree ? faultRows.fault(atRow: row) : nil
    }

    /// The row of the fault with a number, from 0; nil if there is none.
    package func row(ofFault number: Int) -> Int? {
        form == .tree ? faultRows.row(ofFault: number) : nil
    }

    // MARK: - Folds

    /// Folds or unfolds the container at a row; does nothing if there is none.
    package mutating func toggle(row: Int) {
        guard let node = node(atRow: row) else { return }
        tree?.toggle(node)
        placeFaults()
    }

    /// Folds every container but the outermost.
    package mutating func foldAll() { fold(fromDepth: 1) }

    /// Unfolds every container.
    package mutating func unfoldAll() {
        foldDepth = nil
        tree?.unfoldAll()
        placeFaults()
    }

    /// Folds the containers at a depth and below, and unfolds all others.
    package mutating func fold(fromDepth depth: Int) {
        foldDepth = depth
        tree?.fold(fromDepth: depth)
        placeFaults()
    }

    /// Unfolds the containers that hide a value.
    package mutating func reveal(_ node: NodeIndex) {
        tree?.reveal(node)
        placeFaults()
    }
}

/// How a body is shown.
package enum BodyForm: Sendable, CaseIterable {
    /// As a tree whose containers can be folded.
    case tree
    /// As lines of text.
    case text
    /// As rows of sixteen bytes.
    case hex
}

/// A row of a body in the form in which it is shown.
package enum BodyRow: Sendable, Equatable {
    /// A value of a tree.
    case tree(TreeRow)
    /// A fault in the text of the tree.
    case fault(FaultRow)
    /// A line of the text, cut if it is long.
    case text(TextRow)
    /// Sixteen bytes.
    case hex(HexRow)
}
