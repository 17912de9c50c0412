public import Apus
import FoundationEssentials
import HTTPTypes
import Recordings
package import Workspaces

extension Catalog {
    /// A catalog of a program's own targets, whose requests can be edited.
    ///
    /// A `NamedTarget` is listed under its own name, in the groups named before its slashes. Enum cases are listed
    /// by case name in a group named after the enum, all other targets by type name. A name that is taken gets
    /// " 2", " 3" and so on appended.
    ///
    /// Edits stay in memory. Multipart forms and bodies that are not text stay as the program makes them, but the
    /// rest of such a request can be edited. A request with a streamed body cannot be edited.
    ///
    /// - Parameters:
    ///   - name: the name in the title bar.
    ///   - targets: what can be sent, in order.
    ///   - environments: the environments to choose from; each replaces the targets' own. If empty, the
    ///     targets' own are used.
    public init(
        name: String,
        targets: [any TargetType],
        environments: [TargetEnvironment] = []
    ) {
        var nodes: [CatalogNode] = []
        var source = ProgramSource(environments: environments)
        var counts: [String: Int] = [:]
        for target in targets {
            let path = Self.path(of: target)
            let key = path.joined(separator: "/")
            var number = ""
            // A numbered name may be another target's own.
            while source.targets[CatalogID(key + number)] != nil {
                counts[key, default: 1] += 1
                number = " \(counts[key, default: 1])"
            }
            let entry = CatalogTarget(
                id: CatalogID(key + number),
                name: path[path.count - 1] + number,
                method: target.method.rawValue,
                path: target.path
            )
            source.targets[entry.id] = target
            Self.insert(entry, at: path.dropLast(), to: &nodes)
        }
        self.init(
            name: name,
            environments: environments.map(\.name),
            nodes: nodes,
            source: source
        )
    }

    /// A target's groups, then its name.
    private static func path(of target: any TargetType) -> [String] {
        if let named = target as? any NamedTarget {
            let path = named.recordedName.split(separator: "/").map(String.init)
            if !path.isEmpty { return path }
        }
        let mirror = Mirror(reflecting: target)
        let type = String(describing: mirror.subjectType)
        guard mirror.displayStyle == .enum else { return [type] }
        // Only the label of a case with values: a value may be a secret.
        return [type, mirror.children.first?.label ?? String(describing: target)]
    }

    private static func insert(
        _ target: CatalogTarget,
        at path: ArraySlice<String>,
        to nodes: inout [CatalogNode]
    ) {
        guard let name = path.first else { return nodes.append(.target(target)) }
        let index = nodes.firstIndex { if case .group(name, _) = $0 { true } else { false } }
        var inner: [CatalogNode] = []
        if let index, case .group(_, let nodes) = nodes[index] { inner = nodes }
        insert(target, at: path.dropFirst(), to: &inner)
        if let index {
            nodes[index] = .group(name: name, inner)
        } else {
            nodes.append(.group(name: name, inner))
        }
    }
}

/// A program's own targets, and requests that are made beside them.
///
/// Edits stay in memory.
package struct ProgramSource: CatalogSource {
    var targets: [CatalogID: any TargetType] = [:]
    var environments: [TargetEnvironment] = []

    package func resolve(
        _ target: CatalogTarget,
        in environment: Int
    ) throws(CatalogError) -> ResolvedTarget {
        try ResolvedTarget(try edited(target, in: environment))
    }

    package func draft(
        of target: CatalogTarget,
        in environment: Int
    ) throws(CatalogError) -> TargetDraft {
        var draft = try TargetDraftSource(try edited(target, in: environment)).draft
        // Only a new request can go without what the environment shares.
        if targets[target.id] == nil, target.edits?.takesDefaults == false {
            draft.takesDefaults = false
        }
        return draft
    }

    package func applying(
        _ draft: TargetDraft,
        to target: CatalogTarget
    ) throws(CatalogError) -> CatalogTarget {
        var changed = target
        changed.edits = draft
        (changed.method, changed.path) = (draft.method, draft.url)
        // Throws at once if the draft is not valid.
        _ = try edited(changed, in: 0)
        return changed
    }

    package func adding(
        _ draft: TargetDraft,
        named name: String
    ) throws(CatalogError) -> CatalogTarget {
        let id = CatalogID("\(EditedRequests.newGroup)/\(name)")
        let target = CatalogTarget(id: id, name: name, method: draft.method, path: draft.url)
        return try applying(draft, to: target)
    }

    private func edited(
        _ target: CatalogTarget,
        in index: Int
    ) throws(CatalogError) -> ProgramTarget {
        var environment = environments.indices.contains(index) ? environments[index] : nil
        let own: any TargetType
        if let known = targets[target.id] {
            own = known
        } else if let draft = target.edits {
            own = QuickTarget(.get, draft.url)
            if !draft.takesDefaults {
                environment = environment.map {
                    TargetEnvironment($0.name, baseURL: $0.effectiveBaseURL)
                }
            }
        } else {
            throw CatalogError("the program has no target \(target.name)")
        }
        let base = ProgramTarget(own, in: environment)
        guard let draft = target.edits else { return base }
        return try ProgramTarget(draft, of: base)
    }

    // MARK: What a program has not

    package var isSavable: Bool { false }
    package var isCurrent: Bool { true }

    package func save(
        _ target: CatalogTarget,
        to destination: SaveDestination
    ) throws(CatalogError) -> Catalog? {
        throw CatalogError("a program's own targets have no file")
    }

    package func nameNewFile(_ name: String) throws(CatalogError) {
        throw CatalogError("a program's own targets have no file")
    }

    package func makeNewFile() throws(CatalogError) {
        throw CatalogError("a program's own targets have no file")
    }

    package func variables(in environment: Int) -> [CatalogVariable] { [] }
    package func supply(_ value: String, for name: String) {}
    package func cookies(in environment: Int) -> CookieJar? { nil }
}

extension ResolvedTarget {
    fileprivate init(_ target: ProgramTarget) throws(CatalogError) {
        let endpoint: Endpoint
        do throws(ApusError) {
            endpoint = try Endpoint(target)
        } catch {
            throw CatalogError(error.message.title)
        }
        let fields = endpoint.request.head.headerFields.map { "\($0.name.rawName): \($0.value)" }
        self.init(
            target: target,
            source: nil,
            url: endpoint.request.url,
            details: [endpoint.cachePolicy.words] + fields
        )
    }
}
