import Apus
import ArgumentParser
import Documents
import FoundationEssentials
import Recordings
import Sharing
import Synchronization
import Terminal
import Workspaces

/// `apus work URL`: sends what it takes of the batches that a team starts.
struct WorkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "work",
        abstract: "Take part in the batches that a team starts with --workers.",
        discussion: """
            The worker waits for batches of its workspace, takes requests in chunks, sends them and \
            reports what came of each. It needs the same files of the workspace as whoever starts the \
            batch, and the team's key; its secrets come from its own environment, from .env or from \
            --set, and never through the server. If it dies, others take over within 5 seconds what it had not \
            reported; when it is interrupted, it leaves that to them at once.

            Examples:
              apus work redis://10.0.0.5/0 --workspace shop.apus.yaml
              apus batch 'Warm the cache' --workspace shop.apus.yaml --workers redis://10.0.0.5/0

            Exit status: 0 --batches batches were worked on, 2 the server, the key or the workspace \
            cannot be used, 130 interrupted.
            """
    )

    @Argument(help: ArgumentHelp("The server: redis://host:port/db.", valueName: "url"))
    var url: String

    @OptionGroup var workspace: WorkspaceOptions

    @Option(
        help: "How many requests run at once. Default: as the batch says."
    )
    var concurrency: Int?

    @Option(help: "End after this many batches. Default: when it is interrupted.")
    var batches: Int?

    @OptionGroup(title: "History") var history: HistoryOptions

    func validate() throws {
        if let concurrency, !(1...100_000).contains(concurrency) {
            throw ValidationError("--concurrency takes 1 to 100000.")
        }
        if let batches, batches < 1 { throw ValidationError("--batches takes 1 or more.") }
        if workspace.environment != nil {
            throw ValidationError("The environment is that of the batch: leave --environment out.")
        }
    }

    func run() throws {
        let server = try history.team.server(at: url)
        // What is wrong with it is better said now than when a batch comes.
        let loaded = try workspace.load()
        let run = WorkRun(
            choice: workspace.choice,
            name: WorkRun.standardName,
            server: BatchServer(server),
            concurrency: concurrency,
            limit: batches,
            history: history
        )
        StandardError.write(
            "apus: \(run.name) works on batches of “\(loaded.name)” at \(server.name); ctrl-c ends"
        )
        try CommandRun.untilEnd { try await run.run() }
    }
}

/// One run of `apus work`.
struct WorkRun: Sendable {
    let choice: WorkspaceChoice
    let name: String
    let server: BatchServer
    let concurrency: Int?
    let limit: Int?
    let history: HistoryOptions

    private static let pause = Duration.seconds(1)
    /// How often a batch that was not taken is looked at again: the files may be the right ones by then.
    private static let refusal = Duration.seconds(10)

    /// This machine's name and the process.
    static var standardName: String {
        let host = ProcessInfo.processInfo.hostName.prefix { $0 != "." }
        return "\(host)/\(ProcessInfo.processInfo.processIdentifier)"
    }

    /// Works until it is interrupted, or on `limit` batches; returns the exit status.
    func run() async throws -> Int32 {
        var refused: [String: ContinuousClock.Instant] = [:]
        var count = 0
        var (isFirst, isFailing) = (true, false)
        while limit.map({ count < $0 }) ?? true {
            try Task.checkCancellation()
            do throws(RedisFault) {
                let batches = try await server.batches()
                if isFailing { note("\(server.address) is there again") }
                (isFirst, isFailing) = (false, false)
                if try await workOnFirst(of: batches, &refused) {
                    count += 1
                } else {
                    try await server.waitForBatch(Self.pause)
                }
            } catch {
                try Task.checkCancellation()
                guard !isFirst else {
                    throw CommandError("\(server.address) cannot be used: \(error)")
                }
                if !isFailing { note("Waiting for \(server.address): \(error)") }
                isFailing = true
                try await Task.sleep(for: Self.pause)
            }
        }
        return 0
    }

    private func note(_ text: String) { StandardError.write("apus: \(text)") }

    /// Works on the oldest batch that it can; false if there is none.
    private func workOnFirst(
        of batches: [SharedBatch?],
        _ refused: inout [String: ContinuousClock.Instant]
    ) async throws(RedisFault) -> Bool {
        for batch in batches {
            guard let batch else {
                if refused.updateValue(.now, forKey: "") == nil {
                    note(
                        "A batch was left out: it is not signed with the team's key, or by a newer apus"
                    )
                }
                continue
            }
            if let last = refused[batch.id], .now - last < Self.refusal { continue }
            let workspace: NamedWorkspace
            let targets: WorkerTargets
            do throws(WorkspaceError) {
                var choice = choice
                choice.environment = batch.environment
                choice.values.merge(batch.values) { own, _ in own }
                choice.usesSamples = batch.usesSamples
                workspace = try choice.load().keepingCookies()
                targets = try workspace.work(on: batch)
            } catch {
                let isNew = refused.updateValue(.now, forKey: batch.id) == nil
                if isNew { note("“\(batch.name)” is not taken: \(error)") }
                continue
            }
            await work(on: batch, targets, of: workspace)
            return true
        }
        return false
    }

    private func work(
        on batch: SharedBatch,
        _ targets: WorkerTargets,
        of workspace: NamedWorkspace
    ) async {
        note("“\(batch.name)” begins")
        let concurrency = concurrency ?? targets.concurrency
        let origin = workspace.origin()
        let sent: Int
        do {
            let recorder = try history.recorder(secrets: workspace.knownSecrets)
            await recorder.begin(
                .batch,
                named: batch.name,
                in: batch.environment,
                total: batch.count
            )
            let record = recorder.recording(from: origin)
            let shown = Mutex<[Int: RequestDisplay]>([:])
            let worker = BatchWorker(batch, named: name, on: server, concurrency: concurrency) {
                index in
                do throws(WorkspaceError) {
                    let target = try targets.target(at: index)
                    shown.withLock { $0[index] = target.display }
                    return .success(MultiTarget(record(index, nil, target)))
                } catch {
                    let failure = WorkResult.Failure(
                        name: "not sent",
                        code: Int(ExitStatus.usage),
                        reason: ApusError(.invalidRequest(.target(detail: ""))).code,
                        message: "\(error)"
                    )
                    return .failure(failure)
                }
            } notice: { notice in
                note(notice)
            }
            (sent, _) = try await recorder.performing {
                let provider = AnyProvider.forCommand(
                    by: CurlTransport(.forMany(atOnce: concurrency)),
                    sharing: workspace.workspace.storeForCommand,
                    plugins: recorder.plugins,
                    suppliesValues: true
                )
                let count = await worker.work(by: provider, from: targets.source) {
                    index,
                    summary in
                    let display = shown.withLock { $0.removeValue(forKey: index) }
                    return WorkResult(summary, of: index, display)
                }
                await provider.cache.close()
                return count
            }
        } catch {
            return note("“\(batch.name)” was left: \(error)")
        }
        note("“\(batch.name)” ended; \(Readable.count(sent)) requests")
    }

    private func note(_ notice: BatchWorker.Notice) {
        switch notice {
        case .failed(let fault): note("Waiting for \(server.address): \(fault)")
        case .recovered: note("\(server.address) is there again")
        case .refused: note("A chunk was left out: it is not signed with the team's key")
        case .tookOver(let count): note("Took over \(count) requests from a worker that was gone")
        }
    }
}

extension WorkResult {
    /// What is told of a request.
    fileprivate init(_ summary: ExchangeSummary, of index: Int, _ display: RequestDisplay?) {
        var status: Int?
        var size = 0
        var failure: Failure?
        switch summary.result {
        case .success(let response): (status, size) = (response.status, response.body.count)
        case .failure(let error):
            status = error.response?.status
            size = error.response?.body.count ?? 0
            failure = Failure(
                name: error.reason.shortName,
                code: Int(ExitStatus.of(error)),
                reason: error.code,
                message: "\(error.workspaceMessage)"
            )
        }
        self.init(
            index: index,
            method: display?.method ?? "",
            url: display?.url ?? "",
            status: status,
            failure: failure,
            duration: summary.duration,
            size: size
        )
    }
}
