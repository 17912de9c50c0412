package import Apus

/// The targets and chains as they are defined now, in one environment: a replay gets secrets and addresses from
/// them, and runs their chains.
///
/// A workspace is one. It is asked by this protocol, because this module and that of workspaces do not know each
/// other.
package protocol ReplayTargets: Sendable {
    /// The name of the workspace, which the history has too.
    var name: String { get }
    /// The environment's name.
    var environment: String { get }
    /// The secrets of all environments, which are masked wherever they occur.
    var knownSecrets: Set<String> { get }
    /// Every target that has a value for each of its variables.
    var completeTargets: [any TargetType] { get }

    /// The same targets in the environment of this name; nil if there is none.
    func inEnvironment(named name: String) -> Self?

    /// The target with this id.
    ///
    /// - Parameters:
    ///   - id: Its groups and its name (`Users/Show user`).
    ///   - values: The values of variables to use if it has none of its own for one.
    /// - Returns: The target; nil if there is none, or a variable has no value.
    func target(withID id: String, filling values: [String: String]) -> (any TargetType)?

    /// The chain of this name, and the method and the base URL of each of its requests; nil if there is none.
    ///
    /// A base URL is empty if it depends on a value that is missing.
    ///
    /// - Throws: If a variable has no value.
    func replayedChain(
        named name: String
    ) throws -> (graph: ChainGraph, requests: [ApusError.RequestLine])?
}
