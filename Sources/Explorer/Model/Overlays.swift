/// How far a page over the panes is scrolled.
struct PageScroll: Equatable {
    var offset = 0

    /// Where it is after a key; nil when the page is closed.
    func after(_ action: Action, page: Int, count: Int) -> PageScroll? {
        let last = max(0, count - page)
        let moved: Int
        switch action {
        case .down: moved = offset + 1
        case .up: moved = offset - 1
        case .pageDown: moved = offset + page
        case .pageUp: moved = offset - page
        case .first: moved = 0
        case .last: moved = last
        case .quit, .help, .back, .explain: return nil
        default: moved = offset
        }
        return PageScroll(offset: min(max(0, moved), last))
    }
}
