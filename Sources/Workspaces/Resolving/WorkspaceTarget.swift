package import Apus
import Documents
package import FoundationEssentials
package import HTTPTypes

/// A target of a workspace with everything filled in, ready to be sent.
///
/// It carries secrets; what it prints and mirrors of itself does not.
package struct WorkspaceTarget: TargetType {
    /// Its groups and its name.
    package let id: TargetID
    /// Its name.
    package let name: String
    package let baseURL: URL
    package let path: String
    package let method: HTTPRequest.Method
    package let task: RequestTask
    package let headerFields: HTTPFields
    package let validation: Validation
    package let cachePolicy: CachePolicy
    package let options: TransportOptions
    /// Where the file wants its answers from; nil for what the screen is set to.
    package let source: DataSource?
    /// The variables that its templates name, with their values; secrets among them are in its mask.
    package let variables: [String: String]
    /// What to show of it.
    package let display: RequestDisplay
    /// Takes its secrets out of any text.
    package let mask: CredentialMask
}

extension WorkspaceTarget: CustomStringConvertible, CustomReflectable {
    package var description: String { "\(display.method) \(display.url)" }
    package var customMirror: Mirror {
        Mirror(self, children: ["id": id, "display": display])
    }
}

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
    /// Where answers are kept: "cached 5 min in memory and on disk".
    package let cache: String
}
