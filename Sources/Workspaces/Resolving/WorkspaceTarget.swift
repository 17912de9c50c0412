package import Apus
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
