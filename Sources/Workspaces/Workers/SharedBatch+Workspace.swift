package import Apus
import Documents
package import Sharing
import Synchronization

/// A batch of a workspace that workers send, as who starts it knows it.
///
/// Its targets are not filled in here, so that only the workers need the secrets.
package struct WorkersPlan: Sendable {
    /// What workers must know.
    package let batch: SharedBatch
    /// How many requests it sends.
    package let count: Int
    /// The rate of all workers together; nil to send as soon as possible.
    package let rate: BatchRate?
    /// What happens after a failure.
    package var mode: Batch.Mode
    /// What is expected of the batch as a whole.
    package let expectations: [Expectation]
}

extension NamedWorkspace {
    /// A batch for workers.
    ///
    /// - Parameters:
    ///   - name: the batch's name.
    ///   - values: what overrides the workspace's variables.
    ///   - source: where responses come from; nil for what the workspace says.
    ///   - concurrency: how many requests each worker runs at once; nil for what the workspace says.
    ///   - rate: the rate of all together; nil for what the workspace says.
    /// - Returns: the plan.
    /// - Throws: `WorkspaceError` if there is no such batch, or a value is secret: it would be on the server in
    ///   clear.
    package func workersPlan(
        ofBatch name: String,
        values: [String: String] = [:],
        source: SourceName? = nil,
        concurrency: Int? = nil,
        rate: BatchRate? = nil
    ) throws(WorkspaceError) -> WorkersPlan {
        let found = try definition(ofBatch: name)
        let secrets = workspace.knownSecrets
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard
                workspace.isSecret(name, in: environment) || secrets.contains(where: value.contains)
            else { continue }
            throw WorkspaceError(
                """
                the value of “\(name)” is secret, and secrets do not go through the server: set it where \
                the workers run, in their environment or by `apus work --set \(name)=…`
                """
            )
        }
        return WorkersPlan(
            batch: SharedBatch(
                workspace: workspace.name,
                digest: workspace.digest,
                name: name,
                count: rate?.count ?? found.count,
                environment: environment,
                values: values,
                source: source,
                concurrency: concurrency,
                usesSamples: workspace.usesSamples
            ),
            count: rate?.count ?? found.count,
            rate: rate ?? found.rate,
            mode: Batch.Mode(rawValue: found.mode.rawValue) ?? .settled,
            expectations: found.expectations
        )
    }

    /// A worker's part in a batch.
    ///
    /// - Throws: `WorkspaceError` if this workspace is not that of the batch.
    package func work(on batch: SharedBatch) throws(WorkspaceError) -> WorkerTargets {
        guard workspace.name == batch.workspace else {
            throw WorkspaceError(
                "it belongs to the workspace “\(batch.workspace)”, and this one is “\(workspace.name)”"
            )
        }
        guard workspace.digest == batch.digest else {
            throw WorkspaceError(
                """
                it was started with other files of “\(workspace.name)”: both must have the same version, \
                for example the same commit
                """
            )
        }
        return WorkerTargets(try definition(ofBatch: batch.name), of: self, for: batch)
    }
}

extension Workspace {
    /// The digest of its files and tables, without the files of secrets: the same wherever they are.
    var digest: String {
        let texts = sources.map { ($0.name, $0.original ?? $0.text) } + tables.map { ($0, $1) }
        let parts = texts.map { path, text in
            "\(path.split(separator: "/").last ?? "") \(ContentDigest.hex(of: text))\n"
        }
        return ContentDigest.hex(of: parts.sorted().joined())
    }
}

/// The targets of a batch, each filled in when it is sent.
package final class WorkerTargets: Sendable {
    /// The name of the batch.
    package let name: String
    /// Where responses come from.
    package let source: DataSource
    /// The most requests at once.
    package let concurrency: Int

    private let workspace: Workspace
    private let environment: String
    private let entries: [BatchDefinition.Entry]
    /// The index of the first request of each entry, and the number of all.
    private let starts: [Int]
    private let count: Int
    /// The targets of entries whose repeats are all the same.
    private let same = Mutex<[Int: WorkspaceTarget]>([:])

    fileprivate init(
        _ definition: BatchDefinition,
        of workspace: NamedWorkspace,
        for batch: SharedBatch
    ) {
        name = definition.name
        source = batch.source?.source ?? definition.source ?? .server
        concurrency = batch.concurrency ?? definition.concurrency
        (self.workspace, environment) = (workspace.workspace, workspace.environment)
        entries = definition.entries
        var total = 0
        starts = definition.entries.map { entry in
            defer { total += entry.repeatCount }
            return total
        }
        count = total
    }

    /// The target of the request at an index, which goes on after the last from the first, for a rate.
    ///
    /// - Throws: `WorkspaceError` if it cannot be filled in here.
    package func target(at index: Int) throws(WorkspaceError) -> WorkspaceTarget {
        guard count > 0 else { throw WorkspaceError("the batch has no targets") }
        let place = index % count
        let entry = entryIndex(of: place)
        if let target = same.withLock({ $0[entry] }) { return target }
        let (target, isSame) = try workspace.resolveRepeat(
            place - starts[entry] + 1,
            of: entries[entry],
            in: environment
        )
        if isSame { same.withLock { $0[entry] = target } }
        return target
    }

    /// The last entry that starts at a place or before it.
    private func entryIndex(of place: Int) -> Int {
        var (low, high) = (0, starts.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if starts[middle] <= place { low = middle } else { high = middle - 1 }
        }
        return low
    }
}
