package import Apus
import Documents
import Synchronization

/// Gets the values that commands, people and responses supply, each when a request first needs it, and keeps
/// them until it is told to forget them.
///
/// ```
/// a target waits ─▶ for each variable without a value: ask, run, or send and capture ─▶ fill it in again
///                             (requests that wait for the same value share it)
/// ```
/// Filling in stays synchronous: a target that lacks a value has the variable's name in its place, and knows how
/// to be filled in again.
package final class VariableSupplier: Sendable {
    /// A supplied value.
    struct Supplied: Sendable {
        let value: Value
        /// Tells it from the variable's earlier values.
        let number: Int
        let expires: ContinuousClock.Instant?

        /// The texts in it that must be masked; very short ones would be masked in every response.
        var secretTexts: Set<String> {
            value.credentials { [$0] }.filter { $0.utf8.count >= Workspace.shortestSecret }
        }
    }

    private struct State {
        var values: [SupplyNeed.Key: Supplied] = [:]
        /// How many values were supplied in all.
        var count = 0
        /// Commands that may run until the program ends, of workspaces that are in no file.
        var trusted: Set<[ShellCommand]> = []
    }

    /// A target whose values need further targets, which need others, is filled in this often.
    private static let maximumRounds = 64

    private let state = Mutex(State())
    private let flights = SingleFlight<SupplyNeed.Key, Result<Void, SupplyError>, Never>()
    private let trusting = SingleFlight<[ShellCommand], Result<Void, SupplyError>, Never>()
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Makes a supplier without values; `now` is the time by which they expire.
    package init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        self.now = now
    }

    /// The value of a variable; nil if it has none, or if that has expired.
    func value(for key: SupplyNeed.Key) -> Supplied? {
        guard let found = state.withLock({ $0.values[key] }) else { return nil }
        return found.expires.map { $0 <= now() } == true ? nil : found
    }

    /// The texts of all values that must be masked.
    var secretTexts: Set<String> {
        let values = state.withLock(\.values).filter { $0.key.origin.isSecret($0.key.name) }
        return values.values.reduce(into: []) { $0.formUnion($1.secretTexts) }
    }

    /// The values that variables of an environment have now, by their names; secret ones only if they are asked for.
    func values(in environment: String, withSecrets: Bool) -> [String: Value] {
        let keys = state.withLock { $0.values.keys.filter { $0.environment == environment } }
        var values: [String: Value] = [:]
        for key in keys where withSecrets || !key.origin.isSecret(key.name) {
            values[key.name] = value(for: key)?.value
        }
        return values
    }

    /// Forgets the values in an environment, so that the next request asks, runs and sends for them again.
    ///
    /// - Returns: The names of the variables that had a value.
    package func forgetAll(in environment: String) -> [String] {
        state.withLock { state in
            let keys = state.values.keys.filter { $0.environment == environment }
            for key in keys { state.values[key] = nil }
            return keys.map(\.name).sorted()
        }
    }

    /// Forgets the values from responses that a target was filled in with, unless there are newer ones.
    func forgetResponses(of needs: [SupplyNeed]) {
        state.withLock { state in
            for need in needs
            where need.key.origin.isResponse && state.values[need.key]?.number == need.number {
                state.values[need.key] = nil
            }
        }
    }

    /// A target with all its values.
    ///
    /// - Parameters:
    ///   - target: The target, which may lack values or have some that have expired.
    ///   - means: Who is asked, and how other targets are sent.
    /// - Returns: The target itself if it lacks nothing.
    /// - Throws: `SupplyError` if there is no value, or the target cannot be filled in with it.
    func completed(
        _ target: WorkspaceTarget,
        by means: SupplyMeans
    ) async throws(SupplyError) -> WorkspaceTarget {
        try await completed(target, by: means, after: [])
    }

    /// `path` has the targets that wait for this one.
    private func completed(
        _ target: WorkspaceTarget,
        by means: SupplyMeans,
        after path: [TargetID]
    ) async throws(SupplyError) -> WorkspaceTarget {
        var target = target
        for _ in 0..<Self.maximumRounds {
            guard let supply = target.supply else { return target }
            if supply.needs.allSatisfy({ value(for: $0.key)?.number == $0.number }),
                !supply.isWaiting
            {
                return target
            }
            for need in supply.needs where value(for: need.key) == nil {
                try await self.supply(
                    need,
                    of: supply.workspace,
                    by: means,
                    after: path + [target.id]
                )
            }
            do throws(WorkspaceError) {
                target = try supply.remake()
            } catch {
                throw .unusable(error.problems.map(\.summary).joined(separator: "; "))
            }
        }
        throw .unusable("the values of `\(target.id)` expire before it can be sent")
    }

    /// Gets a variable's value, together with all who wait for it.
    private func supply(
        _ need: SupplyNeed,
        of workspace: Workspace,
        by means: SupplyMeans,
        after path: [TargetID]
    ) async throws(SupplyError) {
        if case .response(let origin) = need.key.origin, path.contains(origin.target) {
            // Loading refuses this; waiting for oneself would never end.
            let names = (path.drop { $0 != origin.target } + [origin.target]).map(\.rawValue)
            throw .unusable("`\(need.key.name)` needs itself: \(names.joined(separator: " → "))")
        }
        let flight = await flights.value(for: need.key) {
            { _ in
                // Who has just got it may have left between the look and this.
                guard self.value(for: need.key) == nil else { return .success(()) }
                do throws(SupplyError) {
                    let value = try await self.value(
                        of: need,
                        in: workspace,
                        by: means,
                        after: path
                    )
                    self.keep(value.value, for: need.key, until: value.expires)
                    means.prompt.didSupply(need.key.name, from: need.key.origin.target)
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
        }
        guard let flight else { throw .failed(ApusError(.cancelled)) }
        try flight.value.get()
    }

    /// Asks whether the workspace's commands may run, unless it is known that they may.
    ///
    /// - Throws: `SupplyError` if they may not.
    func requireTrust(
        in workspace: Workspace,
        by means: SupplyMeans
    ) async throws(SupplyError) {
        let commands = workspace.commands
        // Read each time, for another program may have asked meanwhile.
        guard !state.withLock({ $0.trusted.contains(commands) }),
            !means.trust.isTrusted(commands, at: workspace.path)
        else { return }
        let flight = await trusting.value(for: commands) {
            { _ in
                do throws(SupplyError) {
                    try await means.prompt.allow(commands, of: workspace.path ?? workspace.name)
                    try self.trust(commands, of: workspace, in: means.trust)
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
        }
        guard let flight else { throw .failed(ApusError(.cancelled)) }
        try flight.value.get()
    }

    private func trust(
        _ commands: [ShellCommand],
        of workspace: Workspace,
        in trust: WorkspaceTrust
    ) throws(SupplyError) {
        guard let path = workspace.path else {
            state.withLock { _ = $0.trusted.insert(commands) }
            return
        }
        do throws(PrivateFileError) {
            try trust.keep(commands, at: path)
        } catch {
            throw .unusable("the trust in \(path) cannot be kept: \(error)")
        }
    }

    private func keep(
        _ value: Value,
        for key: SupplyNeed.Key,
        until expires: ContinuousClock.Instant?
    ) {
        state.withLock { state in
            state.count += 1
            state.values[key] = Supplied(value: value, number: state.count, expires: expires)
        }
    }

    private func value(
        of need: SupplyNeed,
        in workspace: Workspace,
        by means: SupplyMeans,
        after path: [TargetID]
    ) async throws(SupplyError) -> (value: Value, expires: ContinuousClock.Instant?) {
        let name = need.key.name
        switch need.key.origin {
        case .command(let command, let limit):
            try await requireTrust(in: workspace, by: means)
            do throws(ShellCommandError) {
                return (.string(try await command.output(within: limit)), nil)
            } catch {
                throw .noValue(name, "\(error)")
            }
        case .question(let question):
            return (.string(try await means.prompt.answer(to: question)), nil)
        case .response(let origin):
            let value = try await self.value(
                of: origin,
                for: need.key,
                in: workspace,
                by: means,
                after: path
            )
            return (value, origin.lifetime.map { now() + $0 })
        }
    }

    /// Sends a target, and captures the value from its response.
    private func value(
        of origin: ResponseOrigin,
        for key: SupplyNeed.Key,
        in workspace: Workspace,
        by means: SupplyMeans,
        after path: [TargetID]
    ) async throws(SupplyError) -> Value {
        guard let definition = workspace.definition(origin.target) else {
            throw .noValue(key.name, "there is no target `\(origin.target)`")
        }
        let target: WorkspaceTarget
        do throws(WorkspaceError) {
            target = try workspace.resolve(definition, in: key.environment)
        } catch {
            throw .unusable(error.problems.map(\.summary).joined(separator: "; "))
        }
        let complete = try await completed(target, by: means, after: path)
        let response: Response
        do throws(ApusError) {
            response = try await means.send(
                SuppliedTarget(
                    target: complete,
                    workspace: workspace.name,
                    environment: key.environment
                )
            )
        } catch {
            throw .failed(error)
        }
        guard (200..<400).contains(response.status) else {
            throw .noValue(key.name, "`\(origin.target)` was answered \(response.status)")
        }
        guard let found = origin.capture.value(in: response), let value = Value(found) else {
            let what = "the response of `\(origin.target)`"
            throw .noValue(key.name, "\(what) has nothing at `\(origin.capture)`")
        }
        return value
    }
}

/// Who is asked for values, and how targets are sent whose responses have them.
package struct SupplyMeans: Sendable {
    let prompt: any SupplyPrompt
    let trust: WorkspaceTrust
    /// Sends a target, and records its exchange if the others are.
    let send: @Sendable (SuppliedTarget) async throws(ApusError) -> Response
}

/// Asks a person for what requests need.
package protocol SupplyPrompt: Sendable {
    /// The answer to a question.
    ///
    /// - Throws: `SupplyError` if nobody can be asked, or nobody answers.
    func answer(to question: Question) async throws(SupplyError) -> String
    /// Returns if the commands of a workspace may run.
    ///
    /// - Throws: `SupplyError` if they may not.
    func allow(_ commands: [ShellCommand], of workspace: String) async throws(SupplyError)
    /// Is called when a variable has got a value, from the response of a target if one is given.
    func didSupply(_ variable: String, from target: TargetID?)
}

/// Why a request did not get a value that it needs.
package enum SupplyError: Error, Sendable {
    /// Another request failed.
    case failed(ApusError)
    /// A variable has no value, for a reason in words.
    case noValue(String, String)
    /// A person does not want it to be sent.
    case refused(String)
    /// Something else, in words.
    case unusable(String)

    /// The failure of the request that needs the value.
    package var error: ApusError {
        switch self {
        case .failed(let error): error
        case .noValue(let name, let why):
            ApusError(.invalidRequest(.target(detail: "`\(name)` has no value: \(why)")))
        case .refused(let words): ApusError(.vetoed(reason: words))
        case .unusable(let words): ApusError(.invalidRequest(.target(detail: words)))
        }
    }
}
