/// The things that a theme gives a look, by meaning and not by place.
///
/// The number is the place in the theme's table: a lookup while drawing is an array access.
package enum Scope: UInt8, CaseIterable, Sendable {
    /// Text and titles.
    case text, textMuted, textAccent, title, titleProgram
    /// Borders, and the words in them.
    case border, borderFocused, paneTitle, paneTitleFocused
    /// The row of the cursor.
    case selection, selectionInactive
    /// Keys in the footer.
    case key, keyHint, footer
    /// Where an answer comes from.
    case sourceCache, sourceServer, sourceStub
    /// How an answer or a request ended.
    case statusSuccess, statusRedirect, statusClientError, statusServerError, statusFailure
    /// Methods of HTTP.
    case methodGet, methodPost, methodPut, methodPatch, methodDelete, methodHead, methodOther
    /// A document.
    case treeKey, treeString, treeNumber, treeBoolean, treeNull, treeCount, treeFold, treeEscape
    /// What differs between two documents.
    case diffAdded, diffRemoved, diffChanged, diffMoved
    /// How far something is.
    case gaugeFill, gaugeTrack, gaugeUnknown
    /// How long a cached answer is still fresh.
    case freshnessFresh, freshnessStale
    /// What needs attention.
    case warning, error
    /// A line that is being typed.
    case input, inputCursor, inputPlaceholder
    /// A mark on a title.
    case badge
    /// The help.
    case helpKey, helpText
    /// What a search found.
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
