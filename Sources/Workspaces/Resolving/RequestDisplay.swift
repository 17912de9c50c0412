/// A request as people see it; secrets are masked.
package struct RequestDisplay: Sendable, Hashable {
    /// A header field.
    package struct Field: Sendable, Hashable {
        /// The name.
        package let name: String
        /// The value.
        package let value: String
    }

    /// The method.
    package let method: String
    /// The URL with its query, unescaped.
    package let url: String
    /// The header fields that the workspace sets.
    package let fields: [Field]
    /// Short remarks: variables used, credentials, cache, time limit.
    package let notes: [String]
    /// The body as text, JSON in lines; nil if there is none.
    package let body: String?
    /// Where answers are kept: "keep 5 min in memory and on disk".
    package let cache: String
}
