/// A step of a chain.
package struct ChainStepDefinition: Sendable {
    /// Its name, unique in its chain.
    package let name: String
    /// What it sends.
    package let target: TargetDefinition
    /// What later steps get from its answer.
    package let captures: [Capture]

    let span: Span
    let values: [Assignment]

    /// Takes what the step captures out of its answer.
    ///
    /// - Throws: `CaptureError` for the first that is not there.
    package func capture(
        from answer: some CaptureSource
    ) throws(CaptureError) -> [String: Value] {
        var values: [String: Value] = [:]
        for capture in captures {
            guard let value = capture.path.value(in: answer) else {
                throw CaptureError(name: capture.name, path: capture.path)
            }
            values[capture.name] = value
        }
        return values
    }
}
