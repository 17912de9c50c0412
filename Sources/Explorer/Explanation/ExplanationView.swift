import Terminal

/// The place in the explanation of what the cache did.
struct ExplanationView: Equatable {
    var offset = 0

    /// Where it is after a key; nil when it is closed.
    func after(_ action: Action, page: Int, last: Int) -> ExplanationView? {
        var moved = self
        switch action {
        case .down: moved.offset += 1
        case .up: moved.offset -= 1
        case .pageDown: moved.offset += page
        case .pageUp: moved.offset -= page
        case .first: moved.offset = 0
        case .last: moved.offset = last
        case .quit, .back, .explain, .help: return nil
        default: break
        }
        moved.offset = min(max(0, moved.offset), last)
        return moved
    }
}
