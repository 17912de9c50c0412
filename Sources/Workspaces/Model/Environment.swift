/// A named set of base URL, variables and settings to send requests with.
package struct Environment: Sendable {
    /// Its name.
    package let name: String
    /// What it is for, if the file says so.
    package let summary: String?

    let span: Span
    let variables: [Variable]
    let settings: RequestSettings
}
