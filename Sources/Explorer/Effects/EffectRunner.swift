import Apus
import Dispatch
import Documents
import HTTPTypes
import Terminal

/// Runs the model's effects.
///
/// Every task has an entry here, and is cancelled with its run or at the end.
@MainActor
final class EffectRunner {
    private let provider: Provider<MultiTarget>
    private let mailbox: Mailbox<Message>
    private let loadCatalog: @Sendable () async throws -> Catalog
    private var runs: [RunID: Task<Void, Never>] = [:]
    /// The newest body of each pane: an older one that is still being opened
    /// is of no use any more.
    private var bodies: [Pane: Task<Void, Never>] = [:]
    /// What runs for the body of each pane.
    private var trees: [Pane: Tree] = [:]
    /// What looks into the cache for the selected target.
    private var peek: Task<Void, Never>?
    private var loading: Task<Void, Never>?

    private var comparisons: [CatalogID: Task<Void, Never>] = [:]

    private struct Pane: Hashable {
        var item: CatalogID
        var side: PaneSide
    }

    private struct Tree {
        var address: PaneAddress
        var runner: DocumentRunner
    }

    init(
        transport: any Transport,
        cache: ResponseCache.Configuration,
        mailbox: Mailbox<Message>,
        loadCatalog: @escaping @Sendable () async throws -> Catalog
    ) {
        self.mailbox = mailbox
        self.loadCatalog = loadCatalog
        let cache = ResponseCache(
            configuration: cache,
            notice: { notice in
                mailbox.send(.cacheNotice(notice.description))
            }
        )
        // What a workspace says is sent, on every machine the same.
        provider = Provider(transport: transport, cache: cache, headerFields: [:])
    }

    /// Starts an effect.
    func perform(_ effect: Effect) {
        switch effect {
        case .loadCatalog: load()
        case .send(let id, let item, let environment, let target, let source):
            send(id, item, environment, target, source)
        case .runBatch(let id, let batch): run(batch, id)
        case .runChain(let id, let chain): run(chain, id)
        case .cancel(let id): runs[id]?.cancel()
        case .peek(let item, let environment, let target): look(item, environment, target)
        case .openBody(let address, let body, let contentType):
            open(body, contentType, at: address)
        case .compare(let address, let left, let right): compare(left, right, at: address)
        case .endComparison(let item): comparisons.removeValue(forKey: item)?.cancel()
        case .tree(let address, let effect): runner(of: address).perform(effect)
        case .session, .fail: break
        }
    }

    /// Ends everything, and lets the cache write down what it has counted.
    ///
    /// It waits half a second at most: a disk that hangs must not keep the shell
    /// from the user.
    func close() {
        cancelAll()
        let isClosed = DispatchSemaphore(value: 0)
        let closing = Task.detached { [cache = provider.cache] in
            await cache.close()
            isClosed.signal()
        }
        if isClosed.wait(timeout: .now() + .milliseconds(500)) == .timedOut { closing.cancel() }
    }

    private func cancelAll() {
        loading?.cancel()
        for task in runs.values { task.cancel() }
        for task in bodies.values { task.cancel() }
        peek?.cancel()
        for task in comparisons.values { task.cancel() }
        for tree in trees.values { tree.runner.cancelAll() }
    }

    private func load() {
        loading = Task.detached { [mailbox, loadCatalog] in
            do {
                mailbox.send(.catalogLoaded(try await loadCatalog()))
            } catch {
                mailbox.send(.catalogFailed(String(describing: error)))
            }
        }
    }

    private func send(
        _ id: RunID,
        _ item: CatalogID,
        _ environment: Int,
        _ resolved: ResolvedTarget,
        _ source: DataSource
    ) {
        let target = MultiTarget(resolved.target)
        forgetEndedRuns()
        runs[id] = Task.detached { [mailbox, provider] in
            // A source that does not read the cache leaves its pane to us.
            if case .server = source, !resolved.target.task.sendsFile {
                let held = try? await provider.cachedResponse(for: target)
                mailbox.send(.peeked(item, environment: environment, held))
            }
            for await event in provider.events(for: target, from: source) {
                mailbox.send(.exchange(id, event))
            }
        }
    }

    private func run(_ resolved: ResolvedBatch, _ id: RunID) {
        forgetEndedRuns()
        runs[id] = Task.detached { [mailbox, provider] in
            for await event in provider.events(for: resolved.batch) {
                mailbox.send(.batch(id, event))
            }
        }
    }

    private func run(_ resolved: ResolvedChain, _ id: RunID) {
        forgetEndedRuns()
        runs[id] = Task.detached { [mailbox, provider] in
            for await event in resolved.events(of: provider) {
                mailbox.send(.chain(id, event))
                if case .ended(let step, _) = event {
                    mailbox.send(.captured(id, step: step.index, resolved.captures(step)))
                }
            }
        }
    }

    /// Handles of ended runs are not needed; the oldest are dropped,
    /// the last hundred being kept.
    private func forgetEndedRuns() {
        guard runs.count > RunLog.endedLimit * 2 else { return }
        for id in runs.keys.sorted().prefix(RunLog.endedLimit) { runs[id] = nil }
    }

    /// Looks into the cache; the former look, for a target that the cursor has left, is given up.
    private func look(_ item: CatalogID, _ environment: Int, _ resolved: ResolvedTarget) {
        peek?.cancel()
        peek = Task.detached { [mailbox, provider] in
            // A request that cannot be built says so when it is sent.
            let held = try? await provider.cachedResponse(for: MultiTarget(resolved.target))
            guard !Task.isCancelled else { return }
            mailbox.send(.peeked(item, environment: environment, held))
        }
    }

    private func open(_ body: ResponseBody, _ contentType: String?, at address: PaneAddress) {
        let pane = Pane(item: address.item, side: address.side)
        bodies[pane]?.cancel()
        trees.removeValue(forKey: pane)?.runner.cancelAll()
        bodies[pane] = Task.detached { [mailbox] in
            do {
                let document = BodyDocument(try Self.bytes(of: body), contentType: contentType)
                mailbox.send(.bodyOpened(address, document))
            } catch {
                mailbox.send(.bodyFailed(address, String(describing: error)))
            }
        }
    }

    private func compare(_ left: Document, _ right: Document, at address: ComparisonAddress) {
        comparisons[address.item]?.cancel()
        comparisons[address.item] = Task.detached { [mailbox] in
            // Cancelled: the result is not needed.
            guard let diff = try? await DocumentDiff.compare(left, with: right) else { return }
            mailbox.send(.compared(address, AlignedRows(diff)))
        }
    }

    /// What runs for a pane's body; what ran for an older one is ended.
    private func runner(of address: PaneAddress) -> DocumentRunner {
        let pane = Pane(item: address.item, side: address.side)
        if let tree = trees[pane] {
            if tree.address == address { return tree.runner }
            tree.runner.cancelAll()
        }
        let runner = DocumentRunner { [mailbox] in mailbox.send(.tree(address, $0)) }
        trees[pane] = Tree(address: address, runner: runner)
        return runner
    }

    /// The bytes of a body; those of a file come as they are read.
    ///
    /// Never mapped: truncating a mapped file ends the program (SIGBUS).
    nonisolated static func bytes(of body: ResponseBody) throws -> DocumentBytes {
        switch body {
        case .bytes(let bytes): DocumentBytes(bytes)
        case .file(let file): try .streaming(file: file.path)
        }
    }
}
