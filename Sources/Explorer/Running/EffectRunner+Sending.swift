import Apus
import FoundationEssentials
import HTTPTypes
import Recordings
import Terminal
import TreeView
import Workspaces

/// Sending of targets, batches, chains, watches, and exchanges of the history.
extension EffectRunner {
    /// Sends one request, and shows what arrives of its body while it arrives.
    func send(
        _ resolved: ResolvedTarget,
        from source: DataSource,
        as id: RunID,
        of item: CatalogID,
        in environment: Int
    ) {
        let (session, origin) = (history?.session, history?.origin(place(environment), of: item))
        start(id) { [mailbox, provider] in
            let target = await Self.recorded(
                resolved.target,
                as: id,
                from: origin,
                in: session,
                mailbox
            )
            let events: ExchangeEvents
            if case .server = source, !resolved.target.task.sendsFile {
                // This source does not read the cache, whose pane is filled all the same.
                events = provider.events(for: target, from: source) { held in
                    mailbox.send(.peeked(item, environment: environment, held))
                }
            } else {
                events = provider.events(for: target, from: source)
            }
            await LiveBody.$isWanted.withValue(true) {
                var growth = ReceivedBodySampler()
                for await event in events {
                    if case .willSend(let request, _) = event {
                        growth = ReceivedBodySampler(request)
                    }
                    mailbox.send(.exchange(id, event))
                    guard case .progress(let progress) = event,
                        let (response, body) = growth.next(progress)
                    else { continue }
                    mailbox.send(.grown(id, response, body))
                }
            }
        }
    }

    /// The target, made to record its exchange under an origin; unchanged if there is none.
    private nonisolated static func recorded(
        _ target: any TargetType,
        as id: RunID,
        from origin: ExchangeOrigin?,
        in session: Task<BegunSession?, Never>?,
        _ mailbox: Mailbox<Message>
    ) async -> any TargetType {
        guard let origin else { return target }
        let recorded = RecordingTarget(
            target,
            origin: origin.of(target),
            session: await session?.value?.id
        ) {
            mailbox.send(.history(.recorded(id, started: $0)))
        }
        return recorded
    }

    func run(
        _ resolved: ResolvedBatch,
        as id: RunID,
        named name: String,
        in place: CatalogPlace
    ) {
        start(id) { [mailbox, provider, history] in
            var batch = resolved.batch
            let recording = await history?.begin(
                .batch,
                id,
                named: name,
                total: batch.count,
                in: place
            )
            if let recording { batch = batch.mapTargets(recording.target) }
            let checks = resolved.checks
            var tally = BatchTally()
            var outcome = RunOutcome()
            for await event in provider.events(for: batch) {
                if case .ended(let index, let summary, _) = event {
                    let isMet = checks?.isMet(summary, of: index)
                    outcome.count(summary, isMet: isMet)
                    if let isMet {
                        tally.count(summary, isFailure: !isMet)
                        mailbox.send(.batchChecked(id, index: index, isMet: isMet))
                    }
                }
                if let checks, case .finished = event {
                    let judgement = tally.check(checks.expectations)
                    outcome.count(judgement)
                    mailbox.send(.batchJudged(id, judgement))
                }
                mailbox.send(.batch(id, event))
            }
            await recording?.end(outcome)
        }
    }

    func run(
        _ resolved: ResolvedChain,
        as id: RunID,
        named name: String,
        in place: CatalogPlace,
        resuming done: ChainState?
    ) {
        start(id) { [mailbox, provider, history] in
            var chain = resolved
            let recording = await history?.begin(
                .chain,
                id,
                named: name,
                total: nil,
                in: place
            )
            if let recording { chain.mapTargets(recording.target) }
            var targets: [Int: [Int?: WorkspaceTarget]] = [:]
            var outcome = RunOutcome()
            for await event in chain.events(of: provider, resuming: done) {
                mailbox.send(.chain(id, event))
                if case .sending(let step, let element, let target) = event {
                    targets[step, default: [:]][element] = target.checkedTarget
                }
                if case .requestEnded(let step, let element, let summary) = event {
                    let checked = targets[step]?.removeValue(forKey: element)?.check(
                        summary.result,
                        after: summary.duration,
                        now: Date(),
                        keepsMet: false
                    )
                    outcome.count(summary, isMet: checked?.isMet)
                    if let checked {
                        mailbox.send(.stepChecked(id, step: step, unmetCount: checked.unmetCount))
                    }
                }
                if case .ended(let step, _) = event {
                    mailbox.send(.captured(id, step: step.index, resolved.captures(step)))
                }
            }
            await recording?.end(outcome)
        }
    }

    /// Sends a target repeatedly, until its condition is met or the run is cancelled.
    func watch(
        _ resolved: ResolvedTarget,
        by plan: WatchPlan,
        as id: RunID,
        of item: CatalogID,
        in place: CatalogPlace
    ) {
        start(id) { [mailbox, provider, history] in
            let recording = await history?.begin(
                .watch,
                id,
                named: item.description,
                total: nil,
                in: place
            )
            var count = 0
            var isReached = false
            var last: Result<Response, ApusError>?
            while !Task.isCancelled, !isReached {
                let next = ContinuousClock.now + plan.interval
                let target = recording?.target(count, item.description, resolved.target)
                for await event in provider.events(
                    for: target ?? resolved.target,
                    from: .server
                ) {
                    guard case .finished(let summary) = event, !Task.isCancelled else { continue }
                    if case .success(let response) = summary.result {
                        isReached = plan.isReached(by: response)
                    }
                    let isChange = last.map { !WatchPlan.isSame($0, summary.result) } ?? false
                    last = summary.result
                    mailbox.send(
                        .watched(id, summary.result, after: summary.duration, isChange: isChange)
                    )
                }
                count += 1
                // A cancelled sleep ends the loop.
                if !isReached { try? await Task.sleep(until: next, clock: .continuous) }
            }
            mailbox.send(.watchEnded(id, isReached: isReached))
            await recording?.end()
        }
    }

    /// Sends an exchange of the history again, with the current secrets of its target.
    func sendAgain(_ exchange: RecordedExchange, with own: ResolvedTarget?, as id: RunID) {
        guard let history else { return }
        let session = history.session
        start(id) { [mailbox, provider, history = history.history] in
            func fail(_ text: String) {
                let error = ApusError(.vetoed(reason: text), request: exchange.request)
                let summary = ExchangeSummary(
                    result: .failure(error),
                    responseCount: 0,
                    attempts: 0,
                    duration: .zero
                )
                mailbox.send(.exchange(id, .finished(summary)))
                let notice = Notice(kind: .warning, text: "not sent: \(text)")
                mailbox.send(.history(.notice(notice)))
            }
            let whole: ExchangeDetails?
            do throws(RecordingError) {
                whole = try await history.exchange(exchange.id)
                let message = try await HistoryRunner.open(
                    exchange,
                    beside: .none,
                    false,
                    in: history
                )
                mailbox.send(.history(message))
            } catch {
                return fail(error.description)
            }
            guard let whole else { return fail("it is no longer in the history") }
            var own = own
            var prepared: PreparedRequest?
            if let found = own {
                do throws(ApusError) {
                    let complete = try await provider.completed(found.target)
                    own?.target = complete
                    // A target that makes no request has no secrets to give.
                    prepared = try? await provider.preparedRequest(for: complete)
                } catch {
                    return fail(error.message.title)
                }
            }
            // Only the target's own address gets its credentials.
            let signing = prepared == nil ? nil : own?.signing
            let request: PreparedRequest
            do throws(ReplayError) {
                request = try whole.requestToSendAgain(to: prepared) {
                    signing?.removeCredentials(from: &$0)
                }
            } catch {
                return fail(error.description)
            }
            let bare: any TargetType = RequestTarget(request)
            let target = await Self.recorded(
                signing.map { SigningTarget(bare, $0) } ?? bare,
                as: id,
                from: whole.exchange.origin.again,
                in: session,
                mailbox
            )
            for await event in provider.events(for: target, from: .server) {
                mailbox.send(.exchange(id, event))
            }
        }
    }
}

extension CurlCommand {
    /// What a notice calls it.
    var name: String {
        hasWords
            ? "the request as a curl command; SECRET stands for what is masked"
            : "the request as a curl command"
    }
}
