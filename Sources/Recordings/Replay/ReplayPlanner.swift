package import Apus
import FoundationEssentials
import HTTPTypes
import Secrets

/// Plans the replay of a session.
package struct ReplayPlanner: Sendable {
    /// Where secrets, addresses and chains come from; nil if there is no workspace.
    private let targets: (any ReplayTargets)?
    /// The environment to send to; nil for that of each recorded exchange.
    private let environment: String?
    /// The server to send to; nil for the recorded ones, or those of the environment.
    private let server: ReplayServer?
    private let fields: FieldOverrides
    /// Whether cookies come from the new responses, not from the recording.
    private let usesCookies: Bool
    /// Gets the values of a target that are asked, run or sent for.
    private let complete: Completion
    /// Called with what is left out, and why.
    private let warn: @Sendable (String) -> Void

    /// Gets the values of a target that are asked, run or sent for.
    package typealias Completion =
        @Sendable (any TargetType) async throws(ApusError) -> any TargetType

    /// Makes a planner.
    ///
    /// - Parameters:
    ///   - targets: Where secrets, addresses and chains come from; nil if there is no workspace.
    ///   - environment: The environment to send to; nil for that of each recorded exchange.
    ///   - server: The server to send to; nil for the recorded ones, or those of the environment.
    ///   - fields: Header fields that replace the recorded ones.
    ///   - usesCookies: Whether cookies come from the new responses, not from the recording.
    ///   - complete: Gets the values of a target that are asked, run or sent for.
    ///   - warn: Called with what is left out, and why.
    package init(
        targets: (any ReplayTargets)?,
        environment: String? = nil,
        server: ReplayServer? = nil,
        fields: FieldOverrides = FieldOverrides(),
        usesCookies: Bool = false,
        complete: @escaping Completion = { target throws(ApusError) in target },
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.targets = targets
        self.environment = environment
        self.server = server
        self.fields = fields
        self.usesCookies = usesCookies
        self.complete = complete
        self.warn = warn
    }

    /// Makes the requests and chains to send, with all their secrets.
    ///
    /// - Parameters:
    ///   - session: The session's name.
    ///   - filter: Which of its exchanges are sent.
    ///   - isFiltered: Whether there is a filter.
    ///   - history: The history that has the session.
    /// - Returns: The plan, which has at least one part.
    /// - Throws: ``ReplayError`` that lists what is missing, `RecordingError` if the history cannot be read, or why
    ///   a chain cannot be run.
    package func plan(
        of session: String,
        _ filter: HistoryFilter,
        isFiltered: Bool,
        in history: History
    ) async throws -> ReplayPlan {
        var filter = filter
        filter.sessions = [session]
        var plan = ReplayPlan(isFiltered: isFiltered)
        plan.secrets = targets?.knownSecrets ?? []
        // Per session, because masks are numbered per session.
        var secrets: [RecordedSession.ID?: ReplaySecrets] = [:]
        var requests: [String?: [PreparedRequest]] = [:]
        var problems: [ReplayError.Unsendable] = []
        var runs: [RecordedRun.ID: Int] = [:]
        var lost: Set<RecordedRun.ID> = []
        for exchange in try await history.all(matching: filter) {
            if let id = exchange.origin.run, !lost.contains(id) {
                if let index = runs[id],
                    case .chain(let graph, let run, let known) = plan.parts[index]
                {
                    plan.parts[index] = .chain(graph, run, known + [exchange])
                    continue
                }
                if let (graph, run, sent) = try await chain(of: exchange, id, in: history) {
                    runs[id] = plan.parts.count
                    plan.secrets.formUnion(graph.mask.secrets)
                    plan.sent += sent
                    plan.parts.append(.chain(graph, run, [exchange]))
                    continue
                }
                lost.insert(id)
            }
            guard let whole = try await history.readableExchange(exchange.id) else { continue }
            guard whole.damage.isEmpty || whole.unkeptRequestSize == nil else {
                let damage = whole.damage.joined(separator: "; ")
                warn("exchange \(exchange.id) is not sent: \(damage)")
                continue
            }
            do throws(ReplayError) {
                let (request, credentials) = try await request(
                    of: whole,
                    &secrets[exchange.session, default: ReplaySecrets()],
                    &requests
                )
                plan.secrets.formUnion(request.options.secretTexts.map(\.value))
                plan.sent.append(request.line)
                plan.parts.append(.request(exchange, request, credentials))
            } catch {
                problems.append(
                    ReplayError.Unsendable(
                        exchange: exchange.id,
                        request: "\(exchange.request)",
                        reason: error.description
                    )
                )
            }
        }
        guard problems.isEmpty else { throw ReplayError.unsendable(problems) }
        guard !plan.parts.isEmpty else { throw ReplayError.nothingToSend }
        return plan
    }

    // MARK: chains

    /// The workspace's chain for a recorded run, and its requests.
    ///
    /// Nil if the run is not a chain, or if there is no such chain, which is reported.
    private func chain(
        of exchange: RecordedExchange,
        _ id: RecordedRun.ID,
        in history: History
    ) async throws -> (ChainGraph, RecordedRun, [ApusError.RequestLine])? {
        guard let run = try await history.run(id), run.kind == .chain else { return nil }
        let targets = targets(for: exchange.origin, in: environment ?? run.environment)
        guard let targets, let chain = try targets.replayedChain(named: run.name) else {
            warn(
                """
                the chain “\(run.name)” is not in this workspace; its requests are sent as \
                recorded, with the values captured then
                """
            )
            return nil
        }
        let origin = ExchangeOrigin(workspace: targets.name, environment: targets.environment)
        let graph = try chain.graph.replaying(from: origin) { [server, fields] target in
            target.movedBase = server?.moved(target.baseURL)
            fields.apply(to: &target.headerFields)
        }
        return (graph, run, chain.requests)
    }

    /// The targets in this environment; nil if there is none of this name, or they are not those of the recording.
    private func targets(
        for origin: ExchangeOrigin,
        in name: String?
    ) -> (any ReplayTargets)? {
        guard let targets, origin.workspace ?? targets.name == targets.name else { return nil }
        return name.map { targets.inEnvironment(named: $0) } ?? targets
    }

    // MARK: requests

    private func request(
        of whole: ExchangeDetails,
        _ secrets: inout ReplaySecrets,
        _ requests: inout [String?: [PreparedRequest]]
    ) async throws(ReplayError) -> (PreparedRequest, (any RequestCredentials)?) {
        var recorded = try whole.requestToSend()
        if usesCookies { recorded.head.headerFields[.cookie] = nil }
        let given = fields.fields
        let name = environment ?? whole.exchange.origin.environment
        let target = target(of: whole, in: name)
        try move(&recorded, of: whole, to: target)
        fields.removeOverridden(from: &recorded.head.headerFields)
        let complete = try await completed(target)
        // A target that makes no request has no secrets to give.
        let known = complete.flatMap { try? Endpoint($0).request }
        let own = known.flatMap { maySend(secretsOf: $0, with: recorded) ? $0 : nil }
        // What the target is signed with now takes the place of what it was signed with then.
        let credentials = own == nil ? nil : complete?.signedCredentials
        credentials?.removeCredentials(from: &recorded)
        var restored = secrets.restore(recorded, from: own, fields: given)
        if known == nil, !restored.missing.isEmpty {
            let all = self.requests(of: whole.exchange.origin, in: name, &requests)
            restored = filled(recorded, from: all, given, &secrets) ?? restored
        }
        guard restored.missing.isEmpty else {
            let source = secretSource(of: whole, isElsewhere: known != nil && own == nil)
            throw .noSecret(places: restored.missing, source)
        }
        return (try whole.completed(restored, from: own), credentials)
    }

    /// The target with the values that it has when it is sent.
    private func completed(
        _ target: (any TargetType)?
    ) async throws(ReplayError) -> (any TargetType)? {
        guard let target else { return nil }
        do throws(ApusError) {
            return try await complete(target)
        } catch {
            throw .incompleteTarget(error.workspaceMessage.description)
        }
    }

    private func secretSource(
        of whole: ExchangeDetails,
        isElsewhere: Bool
    ) -> ReplayError.SecretSource {
        let name = whole.exchange.origin.target
        if isElsewhere { return .otherServer(target: name ?? "") }
        return name.map { .noTarget($0) } ?? .noMatch
    }

    /// Whether a request goes to the same server as its target, or to the server that is named.
    private func maySend(secretsOf own: PreparedRequest, with request: PreparedRequest) -> Bool {
        server != nil || URLOrigin.isSame(own.origin + "/", request.origin + "/")
    }

    /// A request without a target, with the secrets of a target on the same server; nil if none has them all.
    ///
    /// Targets with the same method and path come first.
    private func filled(
        _ recorded: PreparedRequest,
        from requests: [PreparedRequest],
        _ fields: HTTPFields,
        _ secrets: inout ReplaySecrets
    ) -> ReplaySecrets.Restored? {
        func isLike(_ request: PreparedRequest) -> Bool {
            let paths = [request, recorded].map { $0.head.path?.prefix { $0 != "?" } }
            return request.head.method == recorded.head.method && paths[0] == paths[1]
        }
        for own in requests.filter(isLike) + requests.filter({ !isLike($0) })
        where maySend(secretsOf: own, with: recorded) {
            var attempt = secrets
            var restored = attempt.restore(recorded, from: own, fields: fields)
            guard restored.missing.isEmpty else { continue }
            secrets = attempt
            // The target's other options do not apply.
            let own = restored.request.options
            restored.request.options = TransportOptions().with {
                $0.secretTexts = own.secretTexts
                $0.secretRules = own.secretRules
            }
            return restored
        }
        return nil
    }

    /// The requests of all targets, made once per environment.
    private func requests(
        of origin: ExchangeOrigin,
        in name: String?,
        _ made: inout [String?: [PreparedRequest]]
    ) -> [PreparedRequest] {
        guard let targets = targets(for: origin, in: name) else { return [] }
        if let requests = made[name] { return requests }
        // A target that makes no request has no secrets to give.
        let requests = targets.completeTargets.compactMap {
            try? Endpoint($0).request
        }
        made[name] = requests
        return requests
    }

    /// The target that was sent, as it is defined now.
    private func target(of whole: ExchangeDetails, in environment: String?) -> (any TargetType)? {
        let origin = whole.exchange.origin
        guard let id = origin.target, let targets = targets(for: origin, in: environment) else {
            return nil
        }
        // Values of another environment would hide those of this one.
        let isSame = targets.environment == origin.environment
        let values = isSame ? whole.variables.filter { !MaskedText($1).isMasked } : [:]
        return targets.target(withID: id, filling: values)
    }

    /// Moves a request to the server or the environment that is named.
    private func move(
        _ request: inout PreparedRequest,
        of whole: ExchangeDetails,
        to target: (any TargetType)?
    ) throws(ReplayError) {
        if let server { return server.move(&request) }
        let recorded = whole.exchange.origin.environment
        guard let environment, environment != recorded else { return }
        guard let name = whole.exchange.origin.target, let recorded else { throw .environmentOfURL }
        guard let target else { throw .noTarget(name) }
        guard let old = self.target(of: whole, in: recorded),
            let rest = request.url.rest(after: old.baseURL.absoluteString)
        else { throw .otherBase(target: name, environment: recorded) }
        let url = target.baseURL.absoluteString
        request.setURL((url.hasSuffix("/") ? String(url.dropLast()) : url) + rest)
    }
}

extension String {
    /// The rest of a URL after a base: empty, or from `/` or `?` on; nil if it does not begin with the base.
    fileprivate func rest(after base: String) -> Substring? {
        let base = base.hasSuffix("/") ? base.dropLast() : base[...]
        guard hasPrefix(base) else { return nil }
        let rest = self[base.endIndex...]
        return rest.isEmpty || rest.first == "/" || rest.first == "?" ? rest : nil
    }
}

extension ChainGraph {
    /// A copy of the chain that uses no cache, and whose targets are changed by `change`.
    fileprivate func replaying(
        from origin: ExchangeOrigin,
        _ change: @escaping @Sendable (inout OverridingTarget) -> Void
    ) throws -> ChainGraph {
        var plan = plan
        (plan.source, plan.caching, plan.keepsResponses) = (.server, CachePolicy.none, true)
        for step in plan.steps.indices {
            (plan.steps[step].source, plan.steps[step].caching) = (nil, nil)
        }
        var graph = try ChainGraph(plan)
        graph.mask = mask
        return graph.mapTargets { _, _, target in
            var changed = OverridingTarget(target)
            change(&changed)
            return RecordingTarget(changed, origin: origin.of(target))
        }
    }
}
