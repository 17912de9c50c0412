import Terminal

/// The filter of a list: what is typed, and whether it has the keys.
struct ListFilter {
    /// What a key did.
    enum Outcome {
        case changed
        case unchanged
        case quit
    }

    var field: TextField
    /// Whether it has the keys.
    var isTyping = true
    /// Whether it was kept and is typed anew: the first letter takes the place of all.
    fileprivate(set) var isKept = false

    /// What is typed.
    var text: String { field.text }
}

extension ListFilter? {
    /// Whether there is one, and it has the keys.
    var isTyping: Bool { self?.isTyping ?? false }

    /// Goes on typing, or begins.
    mutating func start(placeholder: String, limit: Int) {
        let isKept = self != nil
        self = self ?? ListFilter(field: TextField(placeholder: placeholder, limit: limit))
        self?.isTyping = true
        self?.isKept = isKept
    }

    /// Takes a key, for no letter is a command then; nil while it does not have the keys.
    mutating func handle(_ key: Key) -> ListFilter.Outcome? {
        guard isTyping else { return nil }
        switch key.code {
        case .enter, .tab, .down, .up:
            if self?.text.isEmpty == true { self = nil }
            self?.isTyping = false
        case .escape: self = nil
        default:
            if self?.isKept == true, key.text != nil { self?.field.text = "" }
            self?.isKept = false
            guard self?.field.handle(key) == true else {
                return key == Key("ctrl+c") ? .quit : .unchanged
            }
        }
        return .changed
    }
}
