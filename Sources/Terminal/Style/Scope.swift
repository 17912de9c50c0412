/// The things that a theme styles, by meaning and not by where they are.
///
/// The raw value is an index into the theme's table, so that a lookup while drawing is an array access.
package enum Scope: UInt8, CaseIterable, Sendable {
    /// Text and titles.
    case text, textMuted, textAccent, title, titleProgram
    /// Borders, and the words in them.
    case border, borderFocused, paneTitle, paneTitleFocused
    /// The selected row, with and without the focus.
    case selection, selectionInactive
    /// Keys in the footer.
    case key, keyHint, footer
    /// Where a response comes from.
    case sourceCache, sourceServer, sourceStub
    /// A response's status, or a failed request.
    case statusSuccess, statusRedirect, statusClientError, statusServerError, statusFailure
    /// HTTP methods.
    case methodGet, methodPost, methodPut, methodPatch, methodDelete, methodHead, methodOther
    /// The parts of a document's tree.
    case treeKey, treeString, treeNumber, treeBoolean, treeNull, treeCount, treeFold, treeEscape
    /// The differences between two documents.
    case diffAdded, diffRemoved, diffChanged, diffMoved
    /// Progress.
    case gaugeFill, gaugeTrack, gaugeUnknown
    /// Whether a cached response is still fresh.
    case freshnessFresh, freshnessStale
    /// Messages and signs of what needs attention.
    case warning, error
    /// A text field: its text, its cursor, and what it shows while it is empty.
    case input, inputCursor, inputPlaceholder
    /// A mark on a title.
    case badge
    /// The list of keys: a key's name, and what it does.
    case helpKey, helpText
    /// The matches of a search.
    case match, matchCurrent
    /// The steps of a chain.
    case chainDone, chainRunning, chainWaiting, chainFailed, chainSkipped

    /// The dotted name, as theme files write it.
    package var name: String { Self.names[Int(rawValue)] }

    /// The scope of a dotted name.
    package init?(name: String) {
        guard let place = Self.names.firstIndex(of: name) else { return nil }
        self.init(rawValue: UInt8(place))
    }

    /// In the order of the cases; a test compares the two.
    private static let names = [
        "text", "text.muted", "text.accent", "title", "title.program", "border", "border.focused",
        "pane.title", "pane.title.focused", "selection", "selection.inactive", "key", "key.hint",
        "footer", "source.cache", "source.server", "source.stub", "status.success",
        "status.redirect", "status.clientError", "status.serverError", "status.failure",
        "method.get", "method.post", "method.put", "method.patch", "method.delete", "method.head",
        "method.other", "tree.key", "tree.string", "tree.number", "tree.boolean", "tree.null",
        "tree.count", "tree.fold", "tree.escape", "diff.added", "diff.removed", "diff.changed",
        "diff.moved", "gauge.fill", "gauge.track", "gauge.unknown", "freshness.fresh",
        "freshness.stale", "warning", "error", "input", "input.cursor", "input.placeholder",
        "badge", "help.key", "help.text", "match", "match.current", "chain.done", "chain.running",
        "chain.waiting", "chain.failed", "chain.skipped",
    ]
}
