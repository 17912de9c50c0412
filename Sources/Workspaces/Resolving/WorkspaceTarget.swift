package import Apus
import Documents
package import FoundationEssentials
package import HTTPTypes
package import Secrets

/// A target of a workspace with everything filled in, ready to be sent.
///
/// It contains secrets; its description and its mirror do not show them.
package struct WorkspaceTarget: SignedTarget {
    /// The id of its definition.
    package let id: TargetID
    /// The name of its definition.
    package let name: String
    package let baseURL: URL
    package let path: String
    package let method: HTTPRequest.Method
    package let task: RequestTask
    package let headerFields: HTTPFields
    package let validation: Validation
    /// What its response must be.
    package let expectations: [Expectation]
    /// How many of them, at their end, are those of the step of a chain, which end it.
    let stepExpectationCount: Int
    package let cachePolicy: CachePolicy
    package let options: TransportOptions
    /// Where the file says that responses come from; nil for the source chosen on the screen.
    package let source: DataSource?
    /// How its request gets credentials while it is sent; nil if it has them already, or needs none.
    package let signing: RequestSigning?
    package var credentials: (any RequestCredentials)? { signing }
    /// The response to use in place of the server's; nil to ask the server.
    let usedSample: TargetSample?
    /// The variables that its templates use, with their values; `mask` hides the secrets among them.
    package let variables: [String: String]
    /// The request as people see it.
    package let display: RequestDisplay
    /// Masks its secrets in any text.
    package let mask: CredentialMask
    /// The values that it needs before it is sent; nil if it needs none.
    package internal(set) var supply: TargetSupply?
}

extension WorkspaceTarget {
    package var sample: StubResponse { usedSample?.answer ?? StubResponse() }
    package var stub: StubBehavior { usedSample.map { .immediate($0.answer) } ?? .never }

    /// Whether its response is its sample.
    package var isStubbed: Bool { usedSample != nil }
}

extension WorkspaceTarget: CustomStringConvertible, CustomReflectable {
    package var description: String { "\(display.method) \(display.url)" }
    package var customMirror: Mirror {
        Mirror(self, children: ["id": id, "display": display])
    }
}

/// A request as people see it; secrets are masked.
package struct RequestDisplay: Sendable, Hashable {
    /// A header field as it is shown.
    package struct Field: Sendable, Hashable {
        /// The name as it is sent.
        package let name: String
        /// The value, with secrets masked.
        package let value: String
    }

    /// The method as it is sent.
    package let method: String
    /// The URL with its query, unescaped.
    package let url: String
    /// The header fields that the workspace sets.
    package let fields: [Field]
    /// Short remarks: variables used, credentials, cache, timeout.
    package let notes: [String]
    /// What the workspace would add if the target took its defaults: "bearer", "Accept", "?page".
    package let leftOut: [String]
    /// The body as text, with JSON indented; nil if there is none.
    package let body: String?
    /// Where responses are cached: "cached 5 min in memory and on disk".
    package let cache: String
}
