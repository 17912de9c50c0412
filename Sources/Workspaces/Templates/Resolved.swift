/// A text with its variables filled in, as it is sent and as it is shown.
struct ResolvedText: Sendable {
    /// What is sent.
    var text: String
    /// What is shown: secrets are `••••••`.
    var shown: String
    /// Whether any of it comes from a response, directly or through other variables.
    var isFromResponse: Bool

    init(_ text: String, shown: String? = nil, isFromResponse: Bool = false) {
        self.text = text
        self.shown = shown ?? text
        self.isFromResponse = isFromResponse
    }

    static func += (a: inout ResolvedText, b: ResolvedText) {
        a.text += b.text
        a.shown += b.shown
        a.isFromResponse = a.isFromResponse || b.isFromResponse
    }
}

/// A piece of a template with its variable filled in.
struct ResolvedPart: Sendable {
    /// The variable; nil for text of the template itself.
    let reference: Template.Reference?
    let text: ResolvedText

    /// Whether it comes from a response, and the template does not allow that with `raw`.
    var isUnasked: Bool { text.isFromResponse && reference?.isRaw != true }
}

/// A value with its variables filled in, as it is sent and as it is shown.
struct ResolvedValue: Sendable {
    /// What is sent.
    let value: Value
    /// What is shown: secrets are `••••••`.
    let shown: Value
    /// Whether any of it comes from a response.
    let isFromResponse: Bool
    /// Its approximate size as text, in bytes.
    let size: Int

    init(_ value: Value, shown: Value? = nil, isFromResponse: Bool = false) {
        self.value = value
        self.shown = shown ?? value
        self.isFromResponse = isFromResponse
        size = value.size
    }
}

extension Value {
    /// The value's approximate size as text, in bytes.
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
