import Terminal

/// The filter of a list: its text, and whether it takes the keys.
struct ListFilter {
    /// What a key did.
    enum Outcome {
        case changed
        case unchanged
        case quit
    }

    var field: TextField
    /// Whether it takes the keys.
    var isTyping = true
    /// Whether an earlier text was kept: the first letter replaces all of it.
    fileprivate(set) var isKept = false

    var text: String { field.text }
}

extension ListFilter? {
    /// Whether there is one that takes the keys.
    var isTyping: Bool { self?.isTyping ?? false }

    /// Starts typing, or continues.
    mutating func start(placeholder: String, limit: Int) {
        let isKept = self != nil
        self = self ?? ListFilter(field: TextField(placeholder: placeholder, limit: limit))
        self?.isTyping = true
        self?.isKept = isKept
    }

    /// Handles a key, so that no letter is a command while typing; nil if the filter does not take the keys.
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
