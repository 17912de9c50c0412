import Apus
package import HTTPTypes

/// A target as the file has it, its templates not filled in.
///
/// A class, for it is large and stands in many places: a workspace may have 100,000.
package final class TargetDefinition: Sendable {
    /// Its groups and its name.
    package let id: TargetID
    /// Its name.
    package let name: String
    /// What it is for, if the file says so.
    package let summary: String?
    /// The request method.
    package let method: HTTPRequest.Method
    /// The path as written, with its `{{ name }}`, credentials masked.
    package var requestText: String { CredentialMask().masking(url: path.text) }

    /// Where its name stands.
    package var location: SourceLocation { span.location }

    let span: Span
    let path: Template
    let settings: RequestSettings
    let body: BodySetting
    let download: DownloadSetting?

    init(
        id: TargetID,
        name: String,
        summary: String?,
        method: HTTPRequest.Method,
        span: Span,
        path: Template,
        settings: RequestSettings,
        body: BodySetting,
        download: DownloadSetting?
    ) {
        self.id = id
        self.name = name
        self.summary = summary
        self.method = method
        self.span = span
        self.path = path
        self.settings = settings
        self.body = body
        self.download = download
    }
}

/// Targets and groups under one name, in the file's order.
package struct TargetGroup: Sendable {
    /// The names of the groups around it and its own, joined by `/`.
    package let id: String
    /// Its name.
    package let name: String
    /// What is in it.
    package let items: [TreeItem]
}

/// Names a target by its groups and its name: `Users/Show user`.
package struct TargetID: Sendable, Hashable, CustomStringConvertible {
    /// The names, joined by `/`.
    package let rawValue: String

    /// Makes an id.
    package init(_ rawValue: String) {
        self.rawValue = rawValue
    }

    /// The target's own name, without its groups.
    package var name: String {
        rawValue.lastIndex(of: "/").map { String(rawValue[rawValue.index(after: $0)...]) }
            ?? rawValue
    }

    package var description: String { rawValue }
}

/// A group or a target.
package indirect enum TreeItem: Sendable {
    /// A group.
    case group(TargetGroup)
    /// A target.
    case target(TargetDefinition)

    /// The targets in it, in order.
    var targets: [TargetDefinition] {
        switch self {
        case .group(let group): group.items.flatMap(\.targets)
        case .target(let target): [target]
        }
    }
}
