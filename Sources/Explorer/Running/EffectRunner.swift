import Apus
import Dispatch
import Documents
import FoundationEssentials
import HTTPTypes
import Recordings
import Terminal
import TreeView
import Workspaces

/// Runs the model's effects.
///
/// Every task has a handle here, and is cancelled with its run or at the end.
@MainActor
final class EffectRunner {
    let provider: AnyProvider
    /// The same without the values that have to be asked, run or sent for, to look at requests.
    let looking: AnyProvider
    /// Asks for these values.
    private let prompt: ScreenPrompt
    let mailbox: Mailbox<Message>
    /// Finds the key for a team's server.
    let servers: TeamServers
    /// Reads the user's themes and keys.
    private let settings: SettingsRunner
    /// Keeps the state for the next start; nil if none is kept.
    private let state: StateRunner?
    private let statePath: String?
    private var isFirstLoad = true
    private let loadCatalog: @Sendable () async throws -> Catalog
    private var runs: [RunID: Task<Void, Never>] = [:]
    /// Opens the newest body of each pane; opening an older one is cancelled.
    private var bodies: [Pane: Task<Void, Never>] = [:]
    /// Checks the newest response of each pane.
    private var checks: [Pane: Task<Void, Never>] = [:]
    /// Runs the effects of each pane's document.
    private var trees: [Pane: Tree] = [:]
    /// Looks up the selected target in the cache.
    private var peek: Task<Void, Never>?
    private var loading: Task<Void, Never>?
    /// Looks whether the catalog's files have changed.
    private var checking: Task<Void, Never>?
    /// Watch the catalog's files for changes.
    private var watches: [FolderWatch] = []
    /// Watch further files, by their paths.
    private var otherWatches: [String: [FolderWatch]] = [:]
    /// Makes a curl command.
    var copying: Task<Void, Never>?
    /// Write bodies to the user's files, by path, each until it is done.
    private var savings: [String: Task<Void, Never>] = [:]
    /// Run the command on the body of each pane.
    private var filters: [Pane: Task<Void, Never>] = [:]
    private var comparisons: [CatalogID: Task<Void, Never>] = [:]
    /// Records exchanges; nil if nothing is recorded.
    let history: HistoryRunner?
    /// Lists and watches what colleagues share; nil if nothing is recorded.
    private let sharing: SharingRunner?
    /// The names of the catalog and its environments, once it is loaded.
    private var names: (catalog: String, environments: [String]) = ("", [])
    /// Runs the effects of requests that are edited.
    private let requests: RequestRunner
    /// Reads files of other programs.
    private let imports: ImportRunner
    /// Signs in and out; nil if the provider is a program's own.
    private let signIn: SignInRunner?
    /// Whether the cache is the explorer's own, so that a workspace may share it.
    private let sharesResponses: Bool
    private var hasSharedCache = false

    /// How often closing waits for a history that makes no progress: masking a large body takes seconds.
    private static let quietLimit = 10

    private struct Pane: Hashable {
        var item: CatalogID
        var side: PaneSide
    }

    private struct Tree {
        var address: PaneAddress
        var runner: DocumentRunner
    }

    /// If a provider is given, `transport` must be its transport, and `cache` is not used.
    init(
        transport: any Transport,
        cache: ResponseCache.Configuration,
        provider given: AnyProvider? = nil,
        history: History?,
        session: String?,
        servers: TeamServers = TeamServers(),
        mailbox: Mailbox<Message>,
        watchedPath: String? = nil,
        configuration: String? = nil,
        depth: ColorDepth = .trueColor,
        statePath: String? = nil,
        readImport: ImportReading? = nil,
        loadCatalog: @escaping @Sendable () async throws -> Catalog
    ) {
        self.mailbox = mailbox
        self.servers = servers
        self.loadCatalog = loadCatalog
        imports = ImportRunner(readImport, mailbox)
        settings = SettingsRunner(folder: configuration, depth: depth, mailbox: mailbox)
        self.statePath = statePath
        state = statePath.map { path in
            StateRunner(path: path) { mailbox.send(.stateFailed($0)) }
        }
        let recording = history.map { history in
            HistoryRunner(
                history,
                session: session,
                servers: servers,
                report: { mailbox.send(.sharing($0)) },
                send: { mailbox.send(.history($0)) }
            )
        }
        self.history = recording
        sharing = history.map { history in
            SharingRunner(history, servers) { mailbox.send(.sharing($0)) }
        }
        sharesResponses = given == nil
        let signIn = given == nil ? SignInRunner(transport) { mailbox.send(.signIn($0)) } : nil
        self.signIn = signIn
        let bare =
            given
            ?? AnyProvider(
                transport: transport,
                cache: ResponseCache(
                    configuration: cache,
                    notice: { notice in
                        if case .shared(_, let event) = notice { mailbox.send(.sharedCache(event)) }
                        mailbox.send(.cacheNotice(notice.description))
                    }
                ),
                // No default fields: a workspace sends the same requests on every machine.
                headerFields: [:],
                interceptors: signIn?.interceptors ?? [],
                // Only targets with a sample have a stub, and only if that was asked for.
                stubs: .targets
            )
        let looking = recording.map { bare.adding($0.plugin) } ?? bare
        let prompt = ScreenPrompt { mailbox.send(.supply($0)) }
        (self.looking, self.prompt) = (looking, prompt)
        provider = looking.supplying(asking: prompt) { supplied in
            guard let recording else { return supplied.target }
            return RecordingTarget(
                supplied.target,
                origin: ExchangeOrigin(
                    target: supplied.target.id.rawValue,
                    workspace: supplied.workspace,
                    environment: supplied.environment,
                    variables: supplied.target.variables
                ),
                session: await recording.session?.value?.id
            )
        }
        requests = RequestRunner(looking, transport) { mailbox.send(.request($0)) }
        watches = watchedPath.map { CatalogFiles.watch($0) { mailbox.send(.catalogChanged) } } ?? []
    }

    /// Starts an effect.
    func perform(_ effect: Effect) {
        switch effect {
        case .loadCatalog: load()
        case .reloadCatalog(let source): reload(source)
        case .indexTargets(let catalog):
            Task.detached { [mailbox] in mailbox.send(.targetsIndexed(TargetIndex(catalog))) }
        case .listThemes: settings.listThemes()
        case .loadTheme(let name): settings.loadTheme(name)
        case .keepTheme(let name): if state != nil { settings.keepTheme(name) }
        case .keepWrap(let wraps): if state != nil { settings.keepWrap(wraps) }
        case .loadKeys: settings.loadKeys()
        case .keepState(let state): self.state?.keep(state)
        case .send(let id, let item, let environment, let target, let source):
            send(target, from: source, as: id, of: item, in: environment)
        case .runBatch(let id, let batch, let name, let environment):
            run(batch, as: id, named: name, in: place(environment))
        case .runByWorkers(let id, let plan, let choice): run(plan, on: choice, as: id)
        case .runChain(let id, let chain, let name, let environment, let done):
            run(chain, as: id, named: name, in: place(environment), resuming: done)
        case .watch(let id, let item, let environment, let target, let plan):
            watch(target, by: plan, as: id, of: item, in: place(environment))
        case .sendAgain(let id, let exchange, let own): sendAgain(exchange, with: own, as: id)
        case .copyRequest(let request, let format, let keepsSecrets):
            copy(request, as: format, keepsSecrets: keepsSecrets)
        case .history(let effect): history?.perform(effect)
        case .sharing(let effect): sharing?.perform(effect)
        case .request(let effect): requests.perform(effect)
        case .imports(let effect): imports.perform(effect)
        case .supply(.answer(let id, let text)): prompt.answer(id, with: text)
        case .supply(.forget(let source, let environment)):
            mailbox.send(.supply(.forgotten(source.forgetValues(in: environment))))
        case .signIn(let effect): signIn?.perform(effect)
        case .cancel(let id): runs[id]?.cancel()
        case .peek(let item, let environment, let target):
            look(up: target, of: item, in: environment)
        case .openBody(let address, let body, let contentType):
            open(body, contentType, at: address)
        case .check(let address, let target, let result, let duration):
            check(result, of: target, after: duration, at: address)
        case .saveBody(let body, let path, let isReplacing):
            save(body, to: path, replacing: isReplacing)
        case .filter(let address, let command, let input): filter(input, command, at: address)
        case .endFilter(let address):
            filters.removeValue(forKey: Pane(item: address.item, side: address.side))?.cancel()
        case .compare(let address, let left, let right): compare(left, right, at: address)
        case .endComparison(let item): comparisons.removeValue(forKey: item)?.cancel()
        case .tree(let address, let effect): runner(of: address).perform(effect)
        case .session, .fail: break
        }
    }

    /// Cancels all tasks, and lets the cache and the history write what they still have.
    ///
    /// Waits half a second, and longer only while the history makes progress with exchanges that are not recorded
    /// yet, because a disk that hangs must not keep the user from the shell. Blocks the main thread, so nothing
    /// that it waits for may need that.
    ///
    /// - Returns: Whether everything was written.
    @discardableResult func close(within patience: DispatchTimeInterval = .milliseconds(500))
        -> Bool
    {
        cancelAll()
        let isClosed = DispatchSemaphore(value: 0)
        let (recording, keeping, watching) = (history?.end(), state?.end(), sharing?.end())
        let closing = Task.detached { [cache = provider.cache] in
            // What is watched is recorded.
            await watching?()
            async let recorded: Void? = recording?()
            async let kept: Void? = keeping?()
            await cache.close()
            _ = await (recorded, kept)
            isClosed.signal()
        }
        var (progress, quietTimes) = (Int?.none, 0)
        while isClosed.wait(timeout: .now() + patience) == .timedOut {
            let unwritten = history?.history.unwritten ?? (count: 0, progress: 0)
            let exchanges = "\(unwritten.count) exchange\(unwritten.count == 1 ? "" : "s")"
            quietTimes = unwritten.progress == progress ? quietTimes + 1 : 0
            guard unwritten.count > 0, quietTimes < Self.quietLimit else {
                if unwritten.count > 0 { StandardError.write("apus: \(exchanges) not recorded") }
                if let problem = history?.problemOfSharing {
                    StandardError.write(
                        "apus: what was recorded last may not be shared: \(problem)"
                    )
                }
                closing.cancel()
                return false
            }
            if progress == nil {
                StandardError.write("apus: recording \(exchanges); ctrl-c quits now")
            }
            progress = unwritten.progress
        }
        return true
    }

    private func cancelAll() {
        (watches, otherWatches) = ([], [:])
        requests.cancel()
        imports.cancel()
        signIn?.cancel()
        settings.close()
        loading?.cancel()
        checking?.cancel()
        for task in runs.values { task.cancel() }
        for task in bodies.values { task.cancel() }
        for task in checks.values { task.cancel() }
        for task in [peek, copying] { task?.cancel() }
        for task in comparisons.values { task.cancel() }
        for task in savings.values { task.cancel() }
        for task in filters.values { task.cancel() }
        for tree in trees.values { tree.runner.cancelAll() }
    }

    /// Starts the task of a run, which can be cancelled until it has ended.
    func start(_ id: RunID, _ work: @escaping @Sendable () async -> Void) {
        runs[id] = Task.detached {
            await work()
            await MainActor.run { self.runs[id] = nil }
        }
    }

    private func load() {
        loading?.cancel()
        let isFirst = isFirstLoad
        let statePath = isFirst ? statePath : nil
        isFirstLoad = false
        loading = Task.detached { [mailbox, loadCatalog] in
            if let kept = statePath.flatMap({ KeptState.read($0) }) {
                mailbox.send(.stateRead(kept))
            }
            do {
                let catalog = try await loadCatalog()
                // A previous version stays in use until this one is known to be right.
                if !isFirst { try catalog.source.check() }
                // A newer load of the files may have begun.
                try Task.checkCancellation()
                await MainActor.run {
                    self.names = (catalog.name, catalog.environments)
                    self.watch(catalog.source.watchedFiles)
                }
                mailbox.send(.catalogLoaded(catalog))
                await self.share(as: catalog.source)
                guard isFirst else { return }
                do throws(CatalogError) {
                    try catalog.source.check()
                } catch {
                    guard !Task.isCancelled else { return }
                    mailbox.send(.catalogChecked(error))
                }
            } catch is CancellationError {
            } catch {
                let problem = error as? CatalogError ?? CatalogError(String(describing: error))
                mailbox.send(.catalogFailed(problem))
            }
        }
    }

    /// Watches further files that change the catalog.
    private func watch(_ files: [String]) {
        guard !watches.isEmpty, Array(otherWatches.keys.sorted()) != files else { return }
        otherWatches = Dictionary(
            files.map { file in
                (file, CatalogFiles.watch(file) { [mailbox] in mailbox.send(.catalogChanged) })
            }
        ) { first, _ in first }
    }

    /// Shares responses as a catalog says.
    private func share(as source: any CatalogSource) {
        guard sharesResponses else { return }
        do throws(SharedStoreError) {
            let store = try source.sharedStore()
            mailbox.send(.sharing(.cacheServer(store?.name)))
            guard store != nil || hasSharedCache else { return }
            hasSharedCache = store != nil
            looking.cache.share(through: store)
            // What was wrong before may be so no longer; what is shows when it is used.
            mailbox.send(.sharedCache(.recovered))
        } catch {
            hasSharedCache = true
            looking.cache.share(through: nil)
            mailbox.send(.sharedCache(.failed(error.description)))
            mailbox.send(.cacheNotice(error.description))
        }
    }

    /// Loads the files again unless they are as a source has them; a load that runs may be of older files.
    private func reload(_ source: any CatalogSource) {
        checking?.cancel()
        checking = Task.detached {
            guard !source.isCurrent, !Task.isCancelled else { return }
            await MainActor.run { self.load() }
        }
    }

    /// The names of an environment and its catalog.
    func place(_ environment: Int) -> CatalogPlace {
        let names = names
        return CatalogPlace(
            catalog: names.catalog,
            environment: names.environments.indices.contains(environment)
                ? names.environments[environment] : ""
        )
    }

    /// Looks up a target in the cache; cancels the lookup of the target that the cursor has left.
    private func look(up resolved: ResolvedTarget, of item: CatalogID, in environment: Int) {
        peek?.cancel()
        peek = Task.detached { [mailbox, looking] in
            // A request that cannot be built reports that when it is sent.
            let held = try? await looking.cachedResponse(for: resolved.target)
            guard !Task.isCancelled else { return }
            mailbox.send(.peeked(item, environment: environment, held))
        }
    }

    private func open(_ body: ResponseBody, _ contentType: String?, at address: PaneAddress) {
        let pane = Pane(item: address.item, side: address.side)
        bodies[pane]?.cancel()
        filters.removeValue(forKey: pane)?.cancel()
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

    /// Checks a response; the outcome of an older one in the pane is not needed any more.
    private func check(
        _ result: Result<Response, ApusError>,
        of target: WorkspaceTarget,
        after duration: Duration,
        at address: PaneAddress
    ) {
        let pane = Pane(item: address.item, side: address.side)
        checks[pane]?.cancel()
        checks[pane] = Task.detached { [mailbox] in
            let checked = target.check(result, after: duration, now: Date())
            guard !Task.isCancelled else { return }
            mailbox.send(.checked(address, checked))
        }
    }

    /// Runs a command; cancels the one that runs in the pane.
    private func filter(_ input: FilterInput, _ command: String, at address: PaneAddress) {
        let pane = Pane(item: address.item, side: address.side)
        filters[pane]?.cancel()
        filters[pane] = Task.detached { [mailbox] in
            var outcome = await FilterProcess.run(command, on: input)
            guard !Task.isCancelled else { return }
            let shown = outcome.output.isEmpty ? Array(outcome.errors.utf8) : outcome.output
            if !shown.isEmpty {
                let type = outcome.output.isEmpty ? "text/plain" : nil
                outcome.document = BodyDocument(DocumentBytes(shown), contentType: type)
            }
            mailbox.send(.filtered(address, outcome))
        }
    }

    private func save(_ body: ResponseBody, to path: String, replacing isReplacing: Bool) {
        savings[path]?.cancel()
        savings[path] = Task.detached { [mailbox] in
            let outcome = BodySaveOutcome(of: body, to: path, replacing: isReplacing)
            await MainActor.run { self.savings[path] = nil }
            if !Task.isCancelled { mailbox.send(.bodySaved(outcome)) }
        }
    }

    private func compare(_ left: Document, _ right: Document, at address: ComparisonAddress) {
        comparisons[address.item]?.cancel()
        comparisons[address.item] = Task.detached { [mailbox] in
            // If cancelled, the result is not needed.
            guard let diff = try? await DocumentDiff.compare(left, with: right) else { return }
            mailbox.send(.compared(address, AlignedRows(diff)))
        }
    }

    /// The runner of a pane's document; cancels the one of an older document.
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

    /// The bytes of a body; those of a file are read as they are needed.
    ///
    /// Files are not mapped, because truncating a mapped file ends the program (SIGBUS).
    nonisolated static func bytes(of body: ResponseBody) throws -> DocumentBytes {
        switch body {
        case .bytes(let bytes): DocumentBytes(bytes)
        case .file(let file): try .streaming(file: file.path)
        }
    }
}
