import Apus
package import HTTPTypes
import Secrets

/// A target as written in the file, with its templates not filled in.
///
/// A class because it is large and referenced by many values; a workspace can have 100,000 targets.
package final class TargetDefinition: Sendable {
    /// The names of its groups and its own name, joined by `/`.
    package let id: TargetID
    /// The name without the groups.
    package let name: String
    /// The `description` in the file; nil if there is none.
    package let summary: String?
    /// The request method, such as GET.
    package let method: HTTPRequest.Method
    /// The path as written, including `{{ name }}`, with credentials masked.
    package var requestText: String { CredentialMask().masking(url: path.text) }

    /// The file, line and column of its name.
    package var location: SourceLocation { span.location }

    let span: Span
    let path: Template
    let settings: RequestSettings
    /// Whether the fields, the query, the credentials and the other settings of `defaults` and of the
    /// environment apply to it; false with `defaults: none`.
    let takesDefaults: Bool
    let body: BodySetting
    let download: DownloadSetting?
    /// The `note` in the file, in Markdown; nil if there is none.
    package let note: String?
    /// The response to use without the server; nil if there is none.
    let sample: SampleSetting?
    /// Values of variables: a run sends it once for each row, and what sends it alone has those of the first; nil if
    /// they could not be read.
    let rows: [[Assignment]]?
    /// The target that it is like, which has what it does not say itself; nil if there is none.
    let base: TargetDefinition?
    /// The name under `like`, and its place.
    let like: (name: String, span: Span)?
    /// What it was decoded from, which edits change; nil for one that stands for what cannot be read.
    let node: YAMLNode?

    init(
        id: TargetID,
        name: String,
        summary: String?,
        method: HTTPRequest.Method,
        span: Span,
        path: Template,
        settings: RequestSettings,
        takesDefaults: Bool = true,
        body: BodySetting,
        download: DownloadSetting?,
        note: String? = nil,
        sample: SampleSetting? = nil,
        rows: [[Assignment]]? = [],
        like: (name: String, span: Span)? = nil,
        base: TargetDefinition? = nil,
        node: YAMLNode? = nil
    ) {
        self.id = id
        self.name = name
        self.summary = summary
        self.method = method
        self.span = span
        self.path = path
        self.settings = settings
        self.takesDefaults = takesDefaults
        self.body = body
        self.download = download
        (self.note, self.sample, self.rows) = (note, sample, rows)
        self.like = like
        self.base = base
        self.node = node
    }
}

extension TargetDefinition {
    /// The target with what it lacks taken from another.
    func like(_ base: TargetDefinition) -> TargetDefinition {
        TargetDefinition(
            id: id,
            name: name,
            summary: summary,
            method: hasRequest ? method : base.method,
            span: span,
            path: hasRequest ? path : base.path,
            settings: settings,
            takesDefaults: takesDefaults && base.takesDefaults,
            body: body,
            download: download,
            note: note,
            sample: sample,
            rows: rows,
            like: like,
            base: base,
            node: node
        )
    }

    /// Whether it has a request of its own.
    private var hasRequest: Bool {
        guard case .mapping(let entries) = node?.content else { return true }
        return entries.contains { $0.key == "request" }
    }

    /// The body that is sent: its own, or that of the target that it is like.
    var sentBody: BodySetting {
        if case .none = body { base?.sentBody ?? .none } else { body }
    }

    /// Where the response is written: as it says itself, or as the target that it is like does.
    var sentDownload: DownloadSetting? { download ?? base?.sentDownload }

    /// The response to use without the server: its own, or that of the target that it is like.
    var usedSample: SampleSetting? { sample ?? base?.usedSample }

    /// Its rows, or those of the target that it is like.
    var sentRows: [[Assignment]] {
        guard let rows, rows.isEmpty else { return rows ?? [] }
        return base?.sentRows ?? []
    }

    /// Whether its rows, or those of the target that it is like, could not be read.
    var hasFaultyRows: Bool {
        guard let rows else { return true }
        return rows.isEmpty && base?.hasFaultyRows == true
    }

    /// Its settings, on top of those of the target that it is like.
    var ownSettings: RequestSettings {
        guard let base else { return settings }
        return base.ownSettings.overridden(by: settings)
    }

    /// The settings of the targets that it is like, the most distant first, and then its own, which have no name.
    var layers: [RequestSettings.Layer] {
        (base?.layers.map { ($0.settings, $0.name ?? "like \(base?.id.rawValue ?? "")") } ?? [])
            + [(settings, nil)]
    }
}

/// A named group of targets and groups, in the file's order.
package struct TargetGroup: Sendable {
    /// The names of the enclosing groups and its own, joined by `/`.
    package let id: String
    /// The name without the enclosing groups.
    package let name: String
    /// Its targets and groups, in the file's order.
    package let items: [TreeItem]
    /// The settings of all its targets, and the place of their key; nil if it has none.
    var defaults: (settings: RequestSettings, span: Span)?
    /// Its note, in Markdown, and the place of its key; nil if it has none.
    var note: (text: String, span: Span)?

    /// The `note` in the file, in Markdown; nil if there is none.
    package var noteText: String? { note?.text }
}

/// Identifies a target by its groups and its name: `Users/Show user`.
package struct TargetID: Sendable, Hashable, CustomStringConvertible {
    /// The names, joined by `/`.
    package let rawValue: String

    /// Makes an id from names joined by `/`.
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
    /// A group of targets, which may contain groups.
    case group(TargetGroup)
    /// A single target.
    case target(TargetDefinition)

    /// The group; nil for a target.
    package var group: TargetGroup? { if case .group(let group) = self { group } else { nil } }

    /// All targets in it, depth first.
    var targets: [TargetDefinition] {
        switch self {
        case .group(let group): group.items.flatMap(\.targets)
        case .target(let target): [target]
        }
    }
}
