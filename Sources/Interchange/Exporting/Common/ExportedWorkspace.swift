import Workspaces

/// What is exported of a workspace.
package struct ExportedWorkspace: Sendable {
    /// A group or a request.
    package indirect enum Item: Sendable {
        case group(Group)
        case request(ExportedRequest)
    }

    /// A group of requests.
    package struct Group: Sendable {
        /// The name without those of the groups around it.
        package let name: String
        /// Its note, in Markdown; nil if there is none.
        package let note: String?
        /// Its groups and requests in the order of the workspace.
        package var items: [Item]
    }

    /// An environment with its variables, for formats that have environments.
    package struct Environment: Sendable {
        package let name: String
        /// Its variables: those that the requests use, each after what it is made of; secrets have no value.
        package let values: [(variable: ExportVariable, value: ExportText?)]
    }

    /// A chain: requests one after another.
    package struct Chain: Sendable {
        package let name: String
        package let summary: String?
        /// The steps, in an order in which they can be sent; what they captured are variables of later ones.
        package let steps: [ExportedRequest]
        /// What no format can say: conditions and repetitions.
        package let losses: [ImportLoss]
    }

    /// The workspace's name.
    package let name: String
    /// Its note, in Markdown; nil if there is none.
    package let note: String?
    /// The environment that the requests are filled in for.
    package let environment: String
    /// The environments; one alone for formats without variables.
    package let environments: [Environment]
    /// Groups and requests in the order of the workspace.
    package var items: [Item]
    /// The chains whose targets are all exported.
    package private(set) var chains: [Chain]
    /// The names of the batches whose targets are all exported.
    package let batches: [String]
    /// What could not be exported at all, with the target's id.
    package var losses: [(target: String, loss: ImportLoss)]
    /// Whether secrets stand in clear.
    package let keepsSecrets: Bool
    /// The folder that paths of files are written relative to where they are in it; nil for absolute paths.
    package let folder: String?
    /// The environment variables that are set where it is copied for the clipboard; nil if it is written.
    let setVariables: Set<String>?

    /// Whether it is one request for the clipboard: a command is pasted without comments and without a line end.
    package var isCopied: Bool { setVariables != nil }

    /// All requests, depth first, with the names of their groups.
    package var requests: [(groups: [Group], request: ExportedRequest)] {
        func requests(_ items: [Item], _ groups: [Group]) -> [(
            groups: [Group], request: ExportedRequest
        )] {
            items.flatMap { item in
                switch item {
                case .request(let request): [(groups, request)]
                case .group(let group): requests(group.items, groups + [group])
                }
            }
        }
        return requests(items, [])
    }

    /// A path as an export names it: from the export's own folder if the file is below it, else from the root.
    package func path(_ path: String) -> String {
        let whole = Workspace.absolutePath(path)
        guard let folder, whole.utf8.starts(with: "\(folder)/".utf8) else { return whole }
        return String(whole.utf8.dropFirst(folder.utf8.count + 1)) ?? whole
    }

    /// The names of the variables that must be set before a copied request is sent, as a format spells them.
    package func missingVariables(for exporter: any Exporter.Type) -> [String] {
        var seen: Set<String> = []
        let variables = requests.flatMap { _, request in request.sentTexts.flatMap(\.variables) }
        // Swift reads the environment; the other formats with variables have secrets without values.
        let isFile = exporter.keepsVariables && exporter.name != SwiftExporter.name
        return variables.filter { !exporter.keepsVariables || $0.isSecret }.map { variable in
            isFile ? variable.name : variable.environmentName
        }.filter { name in
            seen.insert(name).inserted && (isFile || setVariables?.contains(name) != true)
        }
    }

    /// Whether some path is named from the export's own folder.
    var namesOwnFiles: Bool {
        requests.contains { _, request in
            request.paths.contains { !path($0).utf8.starts(with: "/".utf8) }
        }
    }

    /// The requests of a format that has some functions only.
    func with(functions isKnown: @escaping @Sendable (ExportCall) -> Bool) -> ExportedWorkspace {
        func known(_ item: Item) -> Item {
            switch item {
            case .request(let request): return .request(request.with(functions: isKnown))
            case .group(var group):
                group.items = group.items.map(known)
                return .group(group)
            }
        }
        var workspace = self
        workspace.items = items.map(known)
        workspace.chains = chains.map { chain in
            Chain(
                name: chain.name,
                summary: chain.summary,
                steps: chain.steps.map { $0.with(functions: isKnown) },
                losses: chain.losses
            )
        }
        return workspace
    }

    /// The variables that texts use, with their values in an environment, each after what it is made of.
    func values(
        of texts: [ExportText],
        in environment: Environment?
    ) -> [(variable: ExportVariable, value: ExportText?)] {
        let known = environment?.values ?? []
        var used: Set<ExportVariable> = []
        var queue = texts.flatMap(\.variables)
        while let variable = queue.popLast() {
            guard used.insert(variable).inserted else { continue }
            queue += known.first { $0.variable == variable }?.value?.variables ?? []
        }
        let others = texts.flatMap(\.variables).filter { variable in
            !known.contains { $0.variable == variable }
        }
        var seen: Set<ExportVariable> = []
        return known.filter { used.contains($0.variable) }
            + others.filter { seen.insert($0).inserted }.map { ($0, nil) }
    }
}
