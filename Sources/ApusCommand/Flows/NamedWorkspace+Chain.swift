import Apus
import Workspaces

extension NamedWorkspace {
    /// A chain, ready to be run.
    ///
    /// - Throws: `WorkspaceFault` if there is none of the name, or something in it has no value.
    func chain(named name: String) throws(WorkspaceFault) -> ChainGraph {
        guard let found = workspace.chains.first(where: { $0.name == name }) else {
            throw WorkspaceFault(named: name, kind: "chain", among: workspace.chains.map(\.name))
        }
        do throws(WorkspaceError) {
            return try workspace.graph(of: found, in: environment)
        } catch {
            throw WorkspaceFault(error)
        }
    }
}
