public import Apus
import FoundationEssentials
import HTTPTypes
import Recordings

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
        var taken: Set<String> = []
        var counts: [String: Int] = [:]
        for target in targets {
            let path = Self.path(of: target)
            let key = path.joined(separator: "/")
            var number = ""
            // A numbered name may be another target's own.
            while !taken.insert(key + number).inserted {
                counts[key, default: 1] += 1
                number = " \(counts[key, default: 1])"
            }
            let entry = CatalogTarget(
                id: CatalogID(key + number),
                name: path[path.count - 1] + number,
                target,
                in: environments
            )
            Self.add(entry, at: path.dropLast(), to: &nodes)
        }
        self.init(
            name: name,
            environments: environments.map(\.name),
            nodes: nodes,
            make: { name, draft throws(CatalogProblem) in
                let environments =
                    draft.takesDefaults
                    ? environments
                    : environments.map { TargetEnvironment($0.name, baseURL: $0.effectiveBaseURL) }
                let base = CatalogTarget(
                    id: CatalogID("\(EditedRequests.newGroup)/\(name)"),
                    name: name,
                    QuickTarget(.get, draft.url),
                    in: environments
                )
                guard let edit = base.edit else { return CatalogEdit(target: base) }
                return try edit(draft)
            }
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

    private static func add(
        _ target: CatalogTarget,
        at path: ArraySlice<String>,
        to nodes: inout [CatalogNode]
    ) {
        guard let name = path.first else { return nodes.append(.target(target)) }
        let place = nodes.firstIndex { if case .group(name, _) = $0 { true } else { false } }
        var inner: [CatalogNode] = []
        if let place, case .group(_, let nodes) = nodes[place] { inner = nodes }
        add(target, at: path.dropFirst(), to: &inner)
        if let place {
            nodes[place] = .group(name: name, inner)
        } else {
            nodes.append(.group(name: name, inner))
        }
    }
}

extension CatalogTarget {
    /// An entry for a program's own target; its request can be edited.
    init(
        id: CatalogID,
        name: String,
        _ target: any TargetType,
        in environments: [TargetEnvironment]
    ) {
        self.init(
            id: id,
            name: name,
            method: target.method.rawValue,
            path: target.path
        ) { index in
            ProgramTarget(
                target,
                in: environments.indices.contains(index) ? environments[index] : nil
            )
        }
    }

    /// An entry whose requests `bound` makes; drafts are applied to these.
    private init(
        id: CatalogID,
        name: String,
        method: String,
        path: String,
        bound: @escaping @Sendable (_ environment: Int) throws(CatalogProblem) -> ProgramTarget
    ) {
        self.init(
            id: id,
            name: name,
            method: method,
            path: path,
            draft: { index throws(CatalogProblem) in
                try TargetDraftSource(try bound(index)).draft
            },
            edit: { draft throws(CatalogProblem) in
                // Throws at once if the draft is not valid.
                _ = try ProgramTarget(draft, of: try bound(0))
                let target = CatalogTarget(
                    id: id,
                    name: name,
                    method: draft.method,
                    path: draft.url
                ) { index throws(CatalogProblem) in
                    try ProgramTarget(draft, of: try bound(index))
                }
                return CatalogEdit(target: target)
            },
            resolve: { index throws(CatalogProblem) in try ResolvedTarget(try bound(index)) }
        )
    }
}

extension ResolvedTarget {
    fileprivate init(_ target: ProgramTarget) throws(CatalogProblem) {
        let endpoint: Endpoint
        do throws(ApusError) {
            endpoint = try Endpoint(target)
        } catch {
            throw CatalogProblem(error.message.title)
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
