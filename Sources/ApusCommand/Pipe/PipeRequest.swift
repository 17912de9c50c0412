import Apus
import Documents
import HTTPTypes

/// A line of `apus pipe`'s input.
struct PipeRequest: Sendable {
    /// What is asked for.
    enum Subject: Sendable {
        /// A request of the line's own.
        case url(String, HTTPRequest.Method, HTTPFields, body: [UInt8]?)
        /// A target of the workspace, with values over its variables.
        case target(String, values: [(name: String, value: JSON)])
    }

    /// What is asked for.
    let subject: Subject
    /// Whether redirects are followed.
    let followsRedirects: Bool?
    /// Where the answer comes from; nil for the command's choice.
    let source: SourceWord?
    /// The whole time it may take, in milliseconds; nil for the standard one, 0 for no limit.
    let timeout: Int?
}
