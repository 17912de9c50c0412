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
    /// The form that was asked for; nil while the body itself decides.
    package private(set) var chosenForm: BodyForm?
    /// What the tree is made from; nil when there is none.
    package let format: DocumentFormat?
    /// The tree, when there is one.
    ///
    /// For another format than JSON it points into text made from the body, begins as the tree of
    /// the first 64 KiB, and is another one when `synchronize` has taken in the rest.
    package private(set) var document: Document?
    /// What speaks against the Content-Type.
    package let mismatch: TypeMismatch?
    /// Why there is no tree although the format has one; nil when there is one, or was never.
    package private(set) var treeProblem: String?

    private var tree: RowIndex?
    private var text: TextDocument?
    private let hex: HexDocument
    private let source: ConvertedBody?
    /// Whether more of it is still to come: that it ends too early is no fault then.
    package let isGrowing: Bool
    /// The faults among the rows of the tree.
    private var faultRows = FaultRows()
    /// The depth from which everything was folded, for a tree that is replaced.
    private var foldDepth: Int?

    /// Decides what the body is, and takes in the first 64 KiB.
    ///
    /// A tree of JSON that would take more than `treeLimit` gives way to the text. With `isGrowing`
    /// it is the beginning of a body, and nobody is told that it ends too early.
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
        placeFaults()
        prepareForm()
    }

    /// About the memory that it takes: the bytes, the tree, and the text that the tree is made of.
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

    /// Shows it in another form, when that is possible.
    package mutating func show(_ form: BodyForm) {
        guard availableForms.contains(form) else { return }
        self.form = form
        chosenForm = form
        prepareForm()
    }

    /// Makes what a form begins with; of a small body that is all of it.
    private mutating func prepareForm() {
        switch form {
        case .tree where document == nil:
            guard let source, treeProblem == nil else { return }
            if source.isSmall { source.openTree() } else { take(source.previewTree()) }
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

    // MARK: - Faults

    /// Why the tree of JSON is not whole; nil while it is still being parsed.
    package var fault: DocumentFault? {
        guard let fault = wholeDocument?.fault, !(isGrowing && fault.kind == .unexpectedEnd) else {
            return nil
        }
        return fault
    }

    /// The tree whose faults are the body's own: of another format it is made without any.
    private var wholeDocument: Document? {
        guard let source else { return document }
        return format?.isJSON ?? false ? source.opened?.document : nil
    }

    /// What was wrong in a body of another format or encoding.
    package var formatFaults: [FormatFault] { isGrowing ? [] : source?.opened?.faults ?? [] }

    /// The first fault because of which the lines say more than the tree.
    package var breakingFault: FormatFault? { formatFaults.first(where: \.breaksText) }

    /// Where the first fault is; it counts lines, so ask once.
    package var faultPosition: TextPosition? {
        if let fault = formatFaults.first { return fault.position }
        guard let document, let fault else { return nil }
        return document.position(of: fault.offset)
    }

    /// What the first fault is, for people.
    package var faultText: String? { formatFaults.first?.description ?? fault?.description }

    /// The line and column where a value is in the body; it counts lines.
    ///
    /// For another format than JSON it is the nearest place that is known in front of the value, and
    /// nil until `synchronize` has taken in the whole tree.
    package func position(of node: NodeIndex) -> TextPosition? {
        guard let document else { return nil }
        guard let source else {
            return document.position(of: document.valueRange(of: node).lowerBound)
        }
        guard let opened = source.opened, opened.document === document else { return nil }
        return opened.position(of: node)
    }

    // MARK: - Taking in the rest

    /// Whether everything was taken in for the form that is shown.
    package var isFinished: Bool {
        switch form {
        case .tree: source == nil ? document?.isFinished ?? true : isSourceFinished
        case .text: isEncoded ? source?.lines?.isFinished ?? false : text?.isFinished ?? true
        case .hex: bytes.isComplete
        }
    }

    /// How far that is.
    package var progress: ParseProgress {
        let loaded = bytes.loadProgress
        return switch form {
        case .tree: source == nil ? document?.progress ?? loaded : sourceProgress
        case .text: isEncoded ? encodedProgress : text?.progress ?? loaded
        case .hex: loaded
        }
    }

    /// Takes in the rest for the form that is shown, off the calling actor.
    ///
    /// Bytes that stream are read to their end. Copies share what it finds. When the task is
    /// cancelled a later call goes on.
    @concurrent package func finish(
        onProgress: (@Sendable (ParseProgress) -> Void)? = nil
    ) async {
        switch form {
        case .tree:
            if source != nil { await bytes.finishLoading(onProgress: onProgress) }
            if let source { await ReadingExecutor.read(format) { source.openTree() } }
            await (source?.opened?.document ?? document)?.finishParsing(onProgress: onProgress)
            source?.dropTreeOverLimit()
        case .text:
            guard let source, source.isEncoded else {
                await text?.finish(onProgress: onProgress)
                return
            }
            await bytes.finishLoading(onProgress: onProgress)
            source.openLines()
            await (source.lines ?? text)?.finish(onProgress: onProgress)
        case .hex: await bytes.finishLoading(onProgress: onProgress)
        }
    }

    /// Takes in the rows that were found since the last time.
    ///
    /// A tree that went over its limit of memory is let go of, and the text is shown instead.
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
        take(nil)
        if form == .tree { form = .text }
        prepareForm()
    }

    /// Whether the lines are of a text that was made from the body.
    private var isEncoded: Bool { source?.isEncoded ?? false }

    private var encodedProgress: ParseProgress {
        let total = bytes.loadProgress.totalBytes
        return source?.lines?.progress ?? ParseProgress(parsedBytes: 0, totalBytes: total)
    }

    private var isSourceFinished: Bool { source?.opened?.document.isFinished ?? (format == nil) }

    private var sourceProgress: ParseProgress {
        // How much of the JSON is parsed says how much of the body is taken in.
        guard let progress = source?.opened?.document.progress, progress.totalBytes > 0 else {
            return ParseProgress(parsedBytes: 0, totalBytes: bytes.loadProgress.totalBytes)
        }
        let part = Double(progress.parsedBytes) / Double(progress.totalBytes)
        return ParseProgress(
            parsedBytes: isSourceFinished ? bytes.count : Int(part * Double(bytes.count)),
            totalBytes: bytes.count
        )
    }

    /// Takes in the whole tree and all lines in place of the first ones.
    private mutating func takeSource() {
        guard let source else { return }
        if let lines = source.lines { text = lines }
        if let problem = source.treeProblem { return dropTree(problem) }
        guard let opened = source.opened, opened.document !== document else { return }
        take(opened.document)
        // Of a text that breaks its format, the lines say more than the tree of a part.
        guard chosenForm == nil, form == .tree, breakingFault != nil else {
            return
        }
        form = .text
        prepareForm()
    }

    private mutating func take(_ document: Document?) {
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
        case .tree: return treeRows(in: range, textLimit: textLimit)
        case .text:
            return range.compactMap { row in
                text?.row(at: row, textLimit: textLimit, textOffset: textOffset).map { .text($0) }
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

    /// The row of the container around what is at a row.
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

    /// The short path of the value at a row.
    package func path(ofRow row: Int) -> String? {
        node(atRow: row).flatMap { document?.dottedPath(of: $0) }
    }

    /// The value at a row of the tree.
    package func node(atRow row: Int) -> NodeIndex? {
        guard form == .tree, faultRows.fault(atRow: row) == nil else { return nil }
        return tree?.node(atRow: faultRows.treeRow(at: row))
    }

    /// The row of a value, or of the folded container that hides it.
    package func row(of node: NodeIndex) -> Int? {
        guard form == .tree, let tree else { return nil }
        return faultRows.row(ofTreeRow: tree.nearestRow(of: node))
    }

    /// The fault at a row of the tree.
    package func fault(atRow row: Int) -> DocumentFault? {
        form == .tree ? faultRows.fault(atRow: row) : nil
    }

    /// The row of the fault with a number, from 0.
    package func row(ofFault number: Int) -> Int? {
        form == .tree ? faultRows.row(ofFault: number) : nil
    }

    // MARK: - Folds

    /// Folds or unfolds the container at a row; elsewhere it does nothing.
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

    /// Folds exactly the containers at a depth and below.
    package mutating func fold(fromDepth depth: Int) {
        foldDepth = depth
        tree?.fold(fromDepth: depth)
        placeFaults()
    }

    /// Unfolds what hides a value.
    package mutating func reveal(_ node: NodeIndex) {
        tree?.reveal(node)
        placeFaults()
    }
}

/// How a body is shown.
package enum BodyForm: Sendable, CaseIterable {
    /// As a folding tree.
    case tree
    /// As lines.
    case text
    /// As bytes.
    case hex
}

/// A row of a body in the form in which it is shown.
package enum BodyRow: Sendable, Equatable {
    /// A value of a tree.
    case tree(TreeRow)
    /// Where the text of a tree broke.
    case fault(FaultRow)
    /// A line.
    case text(TextRow)
    /// Sixteen bytes.
    case hex(HexRow)
}
