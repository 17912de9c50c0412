/// The things that a theme gives a look, by meaning and not by place.
///
/// The number is the place in the theme's table: a lookup while drawing is an array access.
package enum Scope: UInt8, CaseIterable, Sendable {
    /// `text`.
    case text
    /// `text.muted`.
    case textMuted
    /// `text.accent`.
    case textAccent
    /// `title`.
    case title
    /// `title.program`.
    case titleProgram
    /// `border`.
    case border
    /// `border.focused`.
    case borderFocused
    /// `pane.title`.
    case paneTitle
    /// `pane.title.focused`.
    case paneTitleFocused
    /// `selection`.
    case selection
    /// `selection.inactive`.
    case selectionInactive
    /// `key`.
    case key
    /// `key.hint`.
    case keyHint
    /// `footer`.
    case footer
    /// `source.cache`.
    case sourceCache
    /// `source.server`.
    case sourceServer
    /// `source.stub`.
    case sourceStub
    /// `status.success`.
    case statusSuccess
    /// `status.redirect`.
    case statusRedirect
    /// `status.clientError`.
    case statusClientError
    /// `status.serverError`.
    case statusServerError
    /// `status.failure`.
    case statusFailure
    /// `method.get`.
    case methodGet
    /// `method.post`.
    case methodPost
    /// `method.put`.
    case methodPut
    /// `method.patch`.
    case methodPatch
    /// `method.delete`.
    case methodDelete
    /// `method.head`.
    case methodHead
    /// `method.other`.
    case methodOther
    /// `tree.key`.
    case treeKey
    /// `tree.string`.
    case treeString
    /// `tree.number`.
    case treeNumber
    /// `tree.boolean`.
    case treeBoolean
    /// `tree.null`.
    case treeNull
    /// `tree.count`.
    case treeCount
    /// `tree.fold`.
    case treeFold
    /// `tree.escape`.
    case treeEscape
    /// `diff.added`.
    case diffAdded
    /// `diff.removed`.
    case diffRemoved
    /// `diff.changed`.
    case diffChanged
    /// `diff.moved`.
    case diffMoved
    /// `gauge.fill`.
    case gaugeFill
    /// `gauge.track`.
    case gaugeTrack
    /// `gauge.unknown`.
    case gaugeUnknown
    /// `freshness.fresh`.
    case freshnessFresh
    /// `freshness.stale`.
    case freshnessStale
    /// `warning`.
    case warning
    /// `error`.
    case error
    /// `input`.
    case input
    /// `input.cursor`.
    case inputCursor
    /// `input.placeholder`.
    case inputPlaceholder
    /// `badge`.
    case badge
    /// `help.key`.
    case helpKey
    /// `help.text`.
    case helpText
    /// `match`.
    case match
    /// `match.current`.
    case matchCurrent
    /// `chain.done`.
    case chainDone
    /// `chain.running`.
    case chainRunning
    /// `chain.waiting`.
    case chainWaiting
    /// `chain.failed`.
    case chainFailed
    /// `chain.skipped`.
    case chainSkipped

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
