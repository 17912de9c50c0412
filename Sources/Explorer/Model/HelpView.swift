import Terminal

/// The help's place.
struct HelpView: Equatable {
    var offset = 0

    /// Where it is after a key; nil when it is closed.
    func after(_ action: Action, size: Size, places: [KeyBinding.Place]) -> HelpView? {
        let page = HelpScreen.pageRows(size: size)
        var moved = self
        switch action {
        case .down: moved.offset += 1
        case .up: moved.offset -= 1
        case .pageDown: moved.offset += page
        case .pageUp: moved.offset -= page
        case .first: moved.offset = 0
        case .last: moved.offset = .max
        case .quit, .help, .back: return nil
        default: break
        }
        let last = HelpScreen.maximumOffset(size: size, places: places)
        moved.offset = min(max(0, moved.offset), last)
        return moved
    }
}
