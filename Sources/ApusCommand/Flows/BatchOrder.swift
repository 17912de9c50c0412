import Apus
import Workspaces

/// A workspace's batch, ready to be sent.
struct BatchOrder: Sendable {
    /// The targets, each as often as it is repeated.
    let targets: [WorkspaceTarget]
    /// Where answers come from.
    var source: DataSource
    /// How many are under way at once.
    var concurrency: Int
    /// Whether the first failure ends all.
    var isAll: Bool

    /// What the engine is given.
    var batch: Batch {
        Batch(targets, from: source, concurrency: concurrency, mode: isAll ? .all : .settled)
    }
}

extension NamedWorkspace {
    /// A batch with everything filled in.
    ///
    /// - Throws: `WorkspaceFault` if there is none of the name, or something in it has no value.
    func batch(named name: String) throws(WorkspaceFault) -> BatchOrder {
        guard let found = workspace.batches.first(where: { $0.name == name }) else {
            throw WorkspaceFault(named: name, kind: "batch", among: workspace.batches.map(\.name))
        }
        do throws(WorkspaceError) {
            return BatchOrder(
                targets: try workspace.resolve(found, in: environment),
                source: found.source ?? .server,
                concurrency: found.concurrency,
                isAll: found.mode == .all
            )
        } catch {
            throw WorkspaceFault(error)
        }
    }
}
