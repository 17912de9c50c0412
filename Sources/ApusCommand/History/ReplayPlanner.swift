import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Recordings
import Terminal
import Workspaces

/// Makes a plan of a session.
struct ReplayPlanner: Sendable {
    let workspace: NamedWorkspace?
    /// The environment that is asked for.
    let environment: String?
    let base: ReplayBase?
    let fields: [(name: HTTPField.Name, field: HTTPField?)]
    /// Whether cookies are those of the new answers.
    let usesCookies: Bool

    /// Whether somebody has said which server is meant.
    var namesServer: Bool { base != nil || environment != nil }

    /// What is to be sent, with all its secrets.
    ///
    /// - Throws: `CommandFailure` with all that is missing.
    func plan(
        of session: String,
        _ filter: HistoryFilter,
        isFiltered: Bool,
        in history: History
    ) async throws -> ReplayPlan {
        var filter = filter
        filter.sessions = [session]
        var plan = ReplayPlan(isFiltered: isFiltered)
        // Of each session, for a mask's number is one of its session.
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
            guard let whole = try await history.exchange(exchange.id) else { continue }
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

    /// The workspace's chain that a recorded one was a run of, and what it sends; nil if it has none, which
    /// is said.
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
                apus: the chain “\(run.name)” is not in a workspace here: its requests are sent as they \
                were recorded, with what was captured then
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

    /// What the steps of a chain send, and where to, which nothing that is captured decides.
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
            ) { captured.contains($0) ? .string("1") : nil }
            // One that cannot be filled in is taken for one that goes anywhere.
            return ApusError.RequestLine(
                method: step.target.method.rawValue,
                url: target?.baseURL.absoluteString ?? ""
            )
        }
    }

    /// The workspace in the environment that counts; nil if it is another one than the recording's.
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
        of whole: RecordedWhole,
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
        _ whole: RecordedWhole,
        isElsewhere: Bool
    ) -> CommandFailure {
        let name = whole.exchange.origin.target
        let why =
            isElsewhere
            ? "the target “\(name ?? "")” goes to another server; --base-url says where its secrets may go"
            : name.map { "no target “\($0)” of a workspace here has it (-w FILE)" }
                ?? "it was sent for no target, and none of a workspace here has it at the same place"
        let advice = places.contains { $0.hasPrefix("the field ") } ? "; -H gives a field" : ""
        return CommandFailure("no secret for \(places.joined(separator: ", ")): \(why)\(advice)")
    }

    /// Whether a request goes where a target's goes, or somebody has said where.
    private func maySend(secretsOf own: PreparedRequest, with request: PreparedRequest) -> Bool {
        base != nil || URLOrigin.isSame(own.origin + "/", request.origin + "/")
    }

    /// What was sent for no target, with the secrets of one that goes to the same server: best of one
    /// that is like it.
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
            // How that one travels is its own matter.
            let own = restored.request.options
            restored.request.options = TransportOptions().with {
                $0.secretTexts = own.secretTexts
                $0.secretRules = own.secretRules
            }
            return restored
        }
        return nil
    }

    /// What all targets of the workspace send, made once.
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

    /// The target that it was sent for, as the workspace has it now.
    private func target(of whole: RecordedWhole, in environment: String?) -> WorkspaceTarget? {
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

    /// To the server that is asked for.
    private func move(
        _ request: inout PreparedRequest,
        of whole: RecordedWhole,
        to target: WorkspaceTarget?
    ) throws(CommandFailure) {
        if let base { return base.move(&request) }
        let recorded = whole.exchange.origin.environment
        guard let environment, environment != recorded else { return }
        guard let name = whole.exchange.origin.target, recorded != nil else {
            throw CommandFailure(
                "it was sent to a URL, which --environment does not change; --base-url does"
            )
        }
        guard let target else {
            throw CommandFailure("there is no target “\(name)”, or it has no value for a variable")
        }
        guard let old = self.target(of: whole, in: recorded),
            let rest = request.url.rest(behind: old.baseURL.absoluteString)
        else {
            throw CommandFailure(
                "its URL is none of the target “\(name)” in the environment “\(recorded ?? "")”"
            )
        }
        let url = target.baseURL.absoluteString
        let moved = (url.hasSuffix("/") ? String(url.dropLast()) : url) + rest
        request.setURL(moved)
    }
}

extension String {
    /// What is behind a base in a URL: empty, or from a slash or question mark on; nil if that is none.
    fileprivate func rest(behind base: String) -> Substring? {
        let base = base.hasSuffix("/") ? base.dropLast() : base[...]
        guard hasPrefix(base) else { return nil }
        let rest = self[base.endIndex...]
        return rest.isEmpty || rest.first == "/" || rest.first == "?" ? rest : nil
    }
}
