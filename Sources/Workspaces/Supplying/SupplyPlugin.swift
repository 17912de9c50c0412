package import Apus
import HTTPTypes

/// Fills in the values that a workspace's targets need, before a request is sent.
///
/// A target that was answered 401 is sent once more, with new values from other targets' responses. Targets that
/// need none are left alone.
struct SupplyPlugin: Plugin {
    /// What an exchange was last filled in with.
    private enum Used: ExchangeKey {
        static let defaultValue: [SupplyNeed] = []
    }

    private enum IsSentAgain: ExchangeKey {
        static let defaultValue = false
    }

    /// How the request of a target with all its values gets credentials; nil for as the target itself says.
    enum Signing: ExchangeKey {
        static let defaultValue: RequestSigning? = nil
    }

    let means: SupplyMeans

    var name: String { "the workspace's values" }
    /// A person may take a while, and other requests have limits of their own.
    var hookLimit: Duration? { .seconds(24 * 60 * 60) }

    func prepare(
        _ request: PreparedRequest,
        in context: ExchangeContext
    ) async throws -> PreparedRequest {
        guard let target = context.target as? WorkspaceTarget, let supply = target.supply else {
            return request
        }
        let complete = try await completed(target, supply)
        context[Used.self] = complete.supply?.needs ?? []
        context[Signing.self] = complete.signing
        return request.replacing(
            try Endpoint(target).request,
            with: try Endpoint(complete).request
        )
    }

    /// The target with all its values, if its workspace may run the commands that it needs.
    func completed(
        _ target: WorkspaceTarget,
        _ supply: TargetSupply
    ) async throws(ApusError) -> WorkspaceTarget {
        let supplier = supply.workspace.supplier
        do throws(SupplyError) {
            if supply.runsCommands {
                try await supplier.requireTrust(in: supply.workspace, by: means)
            }
            return try await supplier.completed(target, by: means)
        } catch {
            throw error.error
        }
    }

    func process(
        _ result: Result<Response, ApusError>,
        in context: ExchangeContext
    ) async throws -> ProcessingResult {
        let response: Response? =
            switch result {
            case .success(let response): response
            case .failure(let error): error.response
            }
        let used = context[Used.self]
        guard let response, response.status == 401, response.source == .server,
            used.contains(where: { $0.key.origin.isResponse }), !context[IsSentAgain.self],
            let target = context.target as? WorkspaceTarget, let supply = target.supply
        else { return .result(result) }
        context[IsSentAgain.self] = true
        supply.workspace.supplier.forgetResponses(of: used)
        return .retry(after: .zero)
    }
}

extension AnyProvider {
    /// This provider, with the values that a workspace's targets need.
    ///
    /// - Parameters:
    ///   - prompt: Who is asked for values, and whether commands may run.
    ///   - trust: Which workspaces' commands may run.
    ///   - made: Makes of a target that is sent for its response what this provider sends, to say how it is
    ///     recorded.
    /// - Returns: A provider that shares everything else with this one.
    package func supplying(
        asking prompt: any SupplyPrompt,
        trust: WorkspaceTrust = WorkspaceTrust(),
        sending made: @escaping @Sendable (SuppliedTarget) async -> any TargetType
    ) -> Self {
        let means = SupplyMeans(prompt: prompt, trust: trust) {
            (target: SuppliedTarget) async throws(ApusError) -> Response in
            let sent = await made(target)
            // A task of its own: who waits may watch the responses of its own task.
            let task = Task.detached { () async -> Result<Response, ApusError> in
                do throws(ApusError) {
                    return .success(try await self.response(for: sent, from: .server))
                } catch {
                    return .failure(error)
                }
            }
            let result = await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
            return try result.get()
        }
        return adding(SupplyPlugin(means: means))
    }
}

extension AnyProvider {
    /// A target with the values that this provider asks, runs and sends for.
    ///
    /// - Returns: The target itself if it needs none.
    /// - Throws: Why there is no value.
    package func completed(_ target: any TargetType) async throws(ApusError) -> any TargetType {
        guard let target = target as? WorkspaceTarget, let supply = target.supply,
            let plugin = plugins.lazy.compactMap({ $0 as? SupplyPlugin }).first
        else { return target }
        return try await plugin.completed(target, supply)
    }
}

/// A target that is sent because its response has a value that another target needs.
package struct SuppliedTarget: Sendable {
    /// The target, with everything filled in.
    package let target: WorkspaceTarget
    /// The names of its workspace and of the environment.
    package let workspace: String
    package let environment: String
}

extension PreparedRequest {
    /// The request with what a target set replaced by what another sets, unless it was changed meanwhile.
    ///
    /// Options of the command line and other plugins may have changed what the target set, and that stands.
    func replacing(_ old: PreparedRequest, with new: PreparedRequest) -> PreparedRequest {
        guard old != new else { return self }
        var request = self
        request.head = head.replacing(old.head, with: new.head)
        if body == old.body { request.body = new.body }
        if destination == old.destination { request.destination = new.destination }
        request.options = options.replacing(old.options, with: new.options)
        return request
    }
}

extension HTTPRequest {
    fileprivate func replacing(_ old: HTTPRequest, with new: HTTPRequest) -> HTTPRequest {
        var head = self
        if method == old.method { head.method = new.method }
        if scheme == old.scheme { head.scheme = new.scheme }
        if authority == old.authority { head.authority = new.authority }
        if let path, let before = old.path, let after = new.path, path.hasPrefix(before) {
            // What follows was added to the query.
            head.path = after + path.dropFirst(before.count)
        }
        for name in Set(old.headerFields.map(\.name) + new.headerFields.map(\.name)) {
            let (before, after) = (old.headerFields[values: name], new.headerFields[values: name])
            guard before != after, headerFields[values: name] == before else { continue }
            head.headerFields[values: name] = after
        }
        return head
    }
}

extension TransportOptions {
    /// The options in which a workspace's values can stand.
    fileprivate func replacing(
        _ old: TransportOptions,
        with new: TransportOptions
    ) -> TransportOptions {
        guard old != new else { return self }
        var options = self
        func replace<Value: Equatable>(_ option: WritableKeyPath<TransportOptions, Value>) {
            if options[keyPath: option] == old[keyPath: option] {
                options[keyPath: option] = new[keyPath: option]
            }
        }
        replace(\.proxy)
        replace(\.clientCertificate)
        replace(\.credentials)
        options.secretTexts = self.secretTexts.subtracting(old.secretTexts).union(new.secretTexts)
        return options
    }
}
