/// A variable as a workspace or an environment defines it.
struct Variable: Sendable {
    enum Content: Sendable {
        case value(TemplateValue)
        case secret(Secret)
    }

    let name: String
    let span: Span
    let content: Content
}
