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
        /// What paths are added to; nil if it says nothing.
        package let baseURL: ExportText?
        /// Its variables: those that the requests use, and what those are made of; secrets have no value.
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
    package let chains: [Chain]
    /// What could not be exported at all, with the target's id.
    package var losses: [(target: String, loss: ImportLoss)]
    /// Whether secrets stand in clear.
    package let keepsSecrets: Bool
    /// The folder that paths of files are written relative to where they are in it; nil for absolute paths.
    package let folder: String?

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

    /// A path as an export names it: relative to the folder of the export if the file is in it.
    package func path(_ path: String) -> String {
        guard let folder, path.utf8.starts(with: "\(folder)/".utf8) else { return path }
        return String(path.utf8.dropFirst(folder.utf8.count + 1)) ?? path
    }

    /// The losses of the workspace and of its requests.
    package var ownLosses: [(target: String, loss: ImportLoss)] {
        losses + requests.flatMap { _, request in request.losses.map { (request.id, $0) } }
    }
}
