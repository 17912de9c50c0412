import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Recordings
import Secrets
import Terminal
import Workspaces

/// Plans the replay of a session.
struct ReplayPlanner: Sendable {
    let workspace: NamedWorkspace?
    /// The environment named on the command line.
    let environment: String?
    let base: ReplayBase?
    let fields: [(name: HTTPField.Name, field: HTTPField?)]
    /// Whether cookies come from the new responses, not from the recording.
    let usesCookies: Bool

    /// Whether the command line names the server.
    var namesServer: Bool { base != nil || environment != nil }

    /// Makes the requests and chains to send, with all their secrets.
    ///
    /// - Throws: `CommandFailure` that lists what is missing.
    func plan(
        of session: String,
        _ filter: HistoryFilter,
        isFiltered: Bool,
        in history: History
    ) async throws -> ReplayPlan {
        var filter = filter
        filter.sessions = [session]
        var plan = ReplayPlan(isFiltered: isFiltered)
        plan.secrets = workspace?.workspace.knownSecrets ?? []
        // Per session, because masks are numbered per session.
        var secrets: [RecordedSession.ID?: ReplaySecrets] = [:]
        var requests: [String?: [PreparedRequest]] = [:]
        var problems: [String] = []
        var runs: [RecordedRun.ID: Int] = [:]
        var lost: Set<RecordedRun.ID> = []
        for exchange in try await history.all(matching: filter) {
            if let id = exchange.origin.run, !lost.contains(id) {
                if let place = runs[id],
                    case .chain(let graph, let run, let known) = plan.parts[place]
                {
                    plan.parts[place] = .chain(graph, run, known + [exchange])
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
                StandardError.write("apus: exchange \(exchange.id) is not sent: \(damage)")
                continue
            }
            do {
                let request = try request(
                    of: whole,
                    &secrets[exchange.session, default: ReplaySecrets()],
                    &requests
                )
                plan.secrets.formUnion(request.options.secretTexts.map(\.value))
                plan.sent.append(request.line)
                plan.parts.append(.request(exchange, request))
            } catch {
                problems.append("exchange \(exchange.id), \(exchange.request): \(error)")
            }
        }
        guard problems.isEmpty else { throw Self.failure(problems) }
        guard !plan.parts.isEmpty else { throw CommandFailure("there is nothing to send") }
        return plan
    }

    private static func failure(_ problems: [String]) -> CommandFailure {
        let rest = problems.count > 10 ? ["and \(problems.count - 10) more"] : []
        return CommandFailure(
            (["nothing is sent:"] + problems.prefix(10).map { "  \($0)" } + rest).joined(
                separator: "\n"
            )
        )
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
        guard let workspace = workspace(of: exchange.origin, in: environment ?? run.environment),
            let chain = workspace.workspace.chains.first(where: { $0.name == run.name })
        else {
            StandardError.write(
                """
                apus: the chain “\(run.name)” is not in this workspace; its requests are sent as \
                recorded, with the values captured then
                """
            )
            return nil
        }
        let graph = try workspace.chain(named: run.name)
            .replaying(from: workspace.origin()) { [base, fields] target in
                target.movedBase = base?.moved(target.baseURL)
                target.headerFields.removeAll { field in fields.contains { $0.name == field.name } }
                target.headerFields.append(contentsOf: fields.compactMap(\.field))
            }
        return (graph, run, sent(by: chain, of: workspace))
    }

    /// The requests of a chain's steps; captured values do not decide which server they go to.
    private func sent(
        by chain: ChainDefinition,
        of workspace: NamedWorkspace
    ) -> [ApusError.RequestLine] {
        let captured = Set(
            chain.steps.flatMap { step in
                step.captures.map(\.name) + (step.forEach.map { [$0.element, "index"] } ?? [])
            }
        )
        return chain.steps.map { step in
            let target = try? workspace.workspace.resolve(
                step,
                in: workspace.environment,
                names: Array(captured)
            ) { captured.contains($0) ? JSON("1") : nil }
            // A target with missing values counts as one that may go anywhere.
            return ApusError.RequestLine(
                method: step.target.method.rawValue,
                url: target?.baseURL.absoluteString ?? ""
            )
        }
    }

    /// The workspace in this environment; nil if it has none, or is not the workspace of the recording.
    private func workspace(of origin: ExchangeOrigin, in name: String?) -> NamedWorkspace? {
        guard let workspace,
            origin.workspace ?? workspace.workspace.name == workspace.workspace.name
        else { return nil }
        guard let name else { return workspace }
        let isKnown = workspace.workspace.environments.contains { $0.name == name }
        return isKnown ? NamedWorkspace(workspace: workspace.workspace, environment: name) : nil
    }

    // MARK: requests

    private func request(
        of whole: ExchangeDetails,
        _ secrets: inout ReplaySecrets,
        _ requests: inout [String?: [PreparedRequest]]
    ) throws -> PreparedRequest {
        var recorded = try whole.requestToSend()
        if usesCookies { recorded.head.headerFields[.cookie] = nil }
        let given = HTTPFields(fields.compactMap(\.field))
        let place = environment ?? whole.exchange.origin.environment
        let target = target(of: whole, in: place)
        try move(&recorded, of: whole, to: target)
        recorded.head.headerFields.removeAll { field in fields.contains { $0.name == field.name } }
        let known = target.flatMap { try? Endpoint(MultiTarget($0)).request }
        let own = known.flatMap { maySend(secretsOf: $0, with: recorded) ? $0 : nil }
        var restored = secrets.restore(recorded, from: own, fields: given)
        if known == nil, !restored.missing.isEmpty {
            let all = self.requests(of: whole.exchange.origin, in: place, &requests)
            restored = filled(recorded, from: all, given, &secrets) ?? restored
        }
        guard restored.missing.isEmpty else {
            throw Self.missing(restored.missing, whole, isElsewhere: known != nil && own == nil)
        }
        return try whole.completed(restored, from: own)
    }

    private static func missing(
        _ places: [String],
        _ whole: ExchangeDetails,
        isElsewhere: Bool
    ) -> CommandFailure {
        let name = whole.exchange.origin.target
        let why =
            if isElsewhere {
                """
                the target “\(name ?? "")” goes to another server; use --base-url to say where its \
                secrets may go
                """
            } else if let name {
                "no workspace here has a target “\(name)” with it (use -w FILE)"
            } else {
                """
                it was sent without a target, and no target of the workspace has it in the same place
                """
            }
        let hasField = places.contains { $0.hasPrefix("the field ") }
        let advice = hasField ? "; or set the field with -H" : ""
        return CommandFailure("no secret for \(places.joined(separator: ", ")): \(why)\(advice)")
    }

    /// Whether a request goes to the same server as its target, or to `--base-url`.
    private func maySend(secretsOf own: PreparedRequest, with request: PreparedRequest) -> Bool {
        base != nil || URLOrigin.isSame(own.origin + "/", request.origin + "/")
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

    /// The requests of all targets of the workspace, made once per environment.
    private func requests(
        of origin: ExchangeOrigin,
        in name: String?,
        _ made: inout [String?: [PreparedRequest]]
    ) -> [PreparedRequest] {
        guard let workspace = workspace(of: origin, in: name) else { return [] }
        if let requests = made[name] { return requests }
        let requests = workspace.workspace.targets.compactMap { definition in
            let target = try? workspace.workspace.resolve(definition, in: workspace.environment)
            return target.flatMap { try? Endpoint(MultiTarget($0)).request }
        }
        made[name] = requests
        return requests
    }

    /// The target that was sent, as the workspace defines it now.
    private func target(of whole: ExchangeDetails, in environment: String?) -> WorkspaceTarget? {
        let origin = whole.exchange.origin
        guard let name = origin.target,
            let workspace = workspace(of: origin, in: environment),
            let definition = workspace.workspace.definition(TargetID(name))
        else { return nil }
        // Values of another environment would hide those of this one.
        let isSame = workspace.environment == origin.environment
        let values = isSame ? whole.variables.filter { !MaskedText($1).isMasked } : [:]
        return
            (try? workspace.workspace.resolve(definition, in: workspace.environment))
            ?? (try? workspace.workspace.resolve(
                definition,
                in: workspace.environment,
                captured: values.mapValues { .string($0) }
            ))
    }

    /// Moves a request to the server named on the command line.
    private func move(
        _ request: inout PreparedRequest,
        of whole: ExchangeDetails,
        to target: WorkspaceTarget?
    ) throws(CommandFailure) {
        if let base { return base.move(&request) }
        let recorded = whole.exchange.origin.environment
        guard let environment, environment != recorded else { return }
        guard let name = whole.exchange.origin.target, recorded != nil else {
            throw CommandFailure(
                "it was sent to a URL, which --environment cannot change; use --base-url"
            )
        }
        guard let target else {
            throw CommandFailure("there is no target “\(name)”, or it has no value for a variable")
        }
        guard let old = self.target(of: whole, in: recorded),
            let rest = request.url.rest(behind: old.baseURL.absoluteString)
        else {
            throw CommandFailure(
                "its URL does not belong to the target “\(name)” in the environment "
                    + "“\(recorded ?? "")”"
            )
        }
        let url = target.baseURL.absoluteString
        let moved = (url.hasSuffix("/") ? String(url.dropLast()) : url) + rest
        request.setURL(moved)
    }
}

extension String {
    /// The rest of a URL after a base: empty, or from `/` or `?` on; nil if it does not begin with the base.
    fileprivate func rest(behind base: String) -> Substring? {
        let base = base.hasSuffix("/") ? base.dropLast() : base[...]
        guard hasPrefix(base) else { return nil }
        let rest = self[base.endIndex...]
        return rest.isEmpty || rest.first == "/" || rest.first == "?" ? rest : nil
    }
}

extension ChainGraph {
    /// A copy of the chain that uses no cache, and whose targets are changed by `change`.
    func replaying(
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
