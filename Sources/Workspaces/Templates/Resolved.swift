/// A text with its variables filled in, and the same as it may be shown.
struct ResolvedText: Sendable {
    /// What is sent.
    var text: String
    /// What is shown: secrets are `••••••`.
    var shown: String
    /// Whether any of it comes from an answer: a capture, or what was made of one.
    var isFromAnswer: Bool

    init(_ text: String, shown: String? = nil, isFromAnswer: Bool = false) {
        self.text = text
        self.shown = shown ?? text
        self.isFromAnswer = isFromAnswer
    }

    static func += (a: inout ResolvedText, b: ResolvedText) {
        a.text += b.text
        a.shown += b.shown
        a.isFromAnswer = a.isFromAnswer || b.isFromAnswer
    }
}

/// A piece of a template that is filled in.
struct ResolvedPart: Sendable {
    /// The variable; nil for what stands in the template itself.
    let reference: Template.Reference?
    let text: ResolvedText

    /// Whether it stands as an answer gave it, and the template does not say that it may.
    var isUnasked: Bool { text.isFromAnswer && reference?.isRaw != true }
}

/// A value with its variables filled in, and the same as it may be shown.
struct ResolvedValue: Sendable {
    /// What is sent.
    let value: Value
    /// What is shown: secrets are `••••••`.
    let shown: Value
    /// Whether any of it comes from an answer.
    let isFromAnswer: Bool
    /// About how many bytes it takes in a text.
    let size: Int

    init(_ value: Value, shown: Value? = nil, isFromAnswer: Bool = false) {
        self.value = value
        self.shown = shown ?? value
        self.isFromAnswer = isFromAnswer
        size = value.size
    }
}

extension Value {
    /// About how many bytes the value takes in a text.
    fileprivate var size: Int {
        switch self {
        case .string(let text), .number(let text): text.utf8.count
        case .boolean, .null: 4
        case .array(let elements): elements.reduce(2) { $0 + $1.size + 1 }
        case .object(let members): members.reduce(2) { $0 + $1.name.utf8.count + $1.value.size + 4 }
        }
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
