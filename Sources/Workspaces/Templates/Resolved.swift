/// A text with its variables filled in, and the same as it may be shown.
struct ResolvedText: Sendable {
    /// What is sent.
    var text: String
    /// What is shown: secrets are `••••••`.
    var shown: String

    init(_ text: String, shown: String? = nil) {
        self.text = text
        self.shown = shown ?? text
    }

    static func + (a: ResolvedText, b: ResolvedText) -> ResolvedText {
        ResolvedText(a.text + b.text, shown: a.shown + b.shown)
    }
}

/// A value with its variables filled in, and the same as it may be shown.
struct ResolvedValue: Sendable {
    /// What is sent.
    var value: Value
    /// What is shown: secrets are `••••••`.
    var shown: Value

    init(_ value: Value, shown: Value? = nil) {
        self.value = value
        self.shown = shown ?? value
    }
}

extension ResolvedText: CustomStringConvertible, CustomReflectable {
    var description: String { shown }
    var customMirror: Mirror { Mirror(self, children: ["shown": shown]) }
}

extension ResolvedValue: CustomStringConvertible, CustomReflectable {
    var description: String { shown.json }
    var customMirror: Mirror { Mirror(self, children: ["shown": shown]) }
}
