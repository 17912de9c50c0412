import Apus
import Documents
import HTTPTypes
import Recordings
import Secrets
import Terminal
import TreeView
import Workspaces

extension Model {
    /// Shows a part of a run: its request and its result.
    ///
    /// The response, which took a time, is checked against what a target expects, if one is given.
    mutating func open(
        _ part: OpenedPart,
        _ result: Result<Response, ApusError>,
        checkedBy target: WorkspaceTarget? = nil,
        after duration: Duration = .zero
    ) -> [Effect] {
        closeOpened()
        responses.shown = .part(part)
        panes.focus = .server
        let effects = prepare(part, result, checkedBy: target, after: duration)
        fitPanes()
        return effects
    }

    /// Fills the panes of a part, which a chain's pane may show too.
    mutating func prepare(
        _ part: OpenedPart,
        _ result: Result<Response, ApusError>,
        checkedBy target: WorkspaceTarget? = nil,
        after duration: Duration = .zero
    ) -> [Effect] {
        if view(of: part.item)?.server.isShowing(result) == true { return [] }
        changeView(of: part.item) { view in
            view = TargetState(environment: view.environment)
            view.request = Self.request(of: result).map { .success(ResolvedTarget($0)) }
            view.checkedTarget = target
        }
        return show(.init(result), in: .server, of: part.item, workspace.environment)
            + check(result, in: .server, after: duration, of: part.item, workspace.environment)
    }

    /// Sends the request of a part again, on its own.
    mutating func sendAlone(
        _ part: OpenedPart,
        asking sending: Confirmation.Sending? = nil
    ) -> [Effect] {
        guard let resolved = request(of: part) else {
            return say("its request was never sent; r sends the whole run")
        }
        let method = resolved.target.method.rawValue
        // Its request was made in the environment of its run.
        let environment = runs[part.run]?.environment ?? workspace.environment
        let isAsked = needsConfirmation(
            sending ?? .part(part),
            in: environment,
            isSafe: Confirmation.isSafe(method),
            "\(method) \(part.name)"
        )
        guard !isAsked else { return [] }
        let single = SingleRun(
            method: resolved.target.method.rawValue,
            target: resolved.requestTarget
        )
        let id = beginRun(.single(single), of: part.item, named: part.name)
        let now = clock.now.uptime
        changeView(of: part.item) { view in
            view.request = .success(resolved)
            view.checkedTarget = resolved.checkedTarget ?? view.checkedTarget
            view.server.awaitResponse(since: now)
        }
        return [.send(id, part.item, environment: workspace.environment, resolved, .server)]
    }

    private func request(of part: OpenedPart) -> ResolvedTarget? {
        if case .success(let resolved)? = view(of: part.item)?.request { return resolved }
        guard let run = runs[part.run] else { return nil }
        switch run.state {
        case .chain(let chain):
            return chain.steps[part.index].target.map {
                ResolvedTarget(target: $0, source: .server, url: $0.path, details: [])
            }
        case .batch:
            guard case .batch(let batch)? = workspace.catalog?.nodes.node(with: run.item),
                let targets = try? batch.resolve(workspace.environment).batch.targets,
                targets.indices.contains(part.index)
            else { return nil }
            let target = targets[part.index]
            return ResolvedTarget(target: target, source: .server, url: target.path, details: [])
        case .single, .watch: return nil
        }
    }

    private static func request(of result: Result<Response, ApusError>) -> PreparedRequest? {
        switch result {
        case .success(let response): response.request
        case .failure(let error): error.response?.request
        }
    }
}

extension ResponseState {
    /// Whether it already shows this result.
    fileprivate func isShowing(_ result: Result<Response, ApusError>) -> Bool {
        switch (content, result) {
        case (.response(let shown), .success(let response)):
            shown.received == response.received && shown.request.head == response.request.head
        default: false
        }
    }
}

extension ResolvedTarget {
    /// A request as sent, to be shown.
    init(_ request: PreparedRequest) {
        let masked = request.mask.maskingParts(of: request)
        self.init(
            target: RequestTarget(request),
            source: .server,
            url: masked.url,
            details: masked.head.headerFields.map { "\($0.name): \($0.value)" }
        )
    }
}
