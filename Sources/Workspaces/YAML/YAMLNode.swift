/// A value of a YAML file with the place where it is written.
struct YAMLNode: Sendable {
    enum Content: Sendable {
        /// Text; a plain one may be a number, a truth value or nothing.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        case mapping([Entry])
    }

    /// A key and its value.
    struct Entry: Sendable {
        let key: String
        let keySpan: Span
        let value: YAMLNode
    }

    let content: Content
    let span: Span

    /// What it is, in words.
    var kindName: String {
        switch content {
        case .scalar("", isPlain: true): "nothing"
        case .scalar(let text, isPlain: true) where text == "~" || text == "null": "nothing"
        case .scalar: "a text"
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }

    /// Whether nothing is written there.
    var isNull: Bool { kindName == "nothing" }
}
