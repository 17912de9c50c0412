/// A value that a batch or a step gives to a variable, for its own requests only.
struct Assignment: Sendable {
    let name: String
    let span: Span
    let value: TemplateValue
}
