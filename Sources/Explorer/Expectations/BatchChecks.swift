import Apus
import FoundationEssentials
import Workspaces

/// What is expected of a batch: of each response, and of the batch as a whole.
struct BatchChecks: Sendable {
    /// The targets of the batch, one for each title.
    var targets: [WorkspaceTarget]
    /// What must hold of the batch as a whole.
    var expectations: [Expectation]

    /// Nil if nothing is expected.
    init?(_ targets: [WorkspaceTarget], _ expectations: [Expectation]) {
        guard !expectations.isEmpty || targets.contains(where: \.hasExpectations) else {
            return nil
        }
        (self.targets, self.expectations) = (targets, expectations)
    }

    /// The target of the request at an index; a batch with a rate sends its targets in turn.
    func target(of index: Int) -> WorkspaceTarget? {
        targets.isEmpty ? nil : targets[index % targets.count]
    }

    /// Whether there is a response, and it is as expected.
    func isMet(_ summary: ExchangeSummary, of index: Int) -> Bool {
        target(of: index)?.check(
            summary.result,
            after: summary.duration,
            now: Date(),
            keepsMet: false
        )?.isMet ?? false
    }
}

extension TargetType {
    /// The workspace's target in it, if something is expected of its responses; else nil.
    var checkedTarget: WorkspaceTarget? {
        (unwrapped as? WorkspaceTarget).flatMap { $0.hasExpectations ? $0 : nil }
    }
}

extension ResolvedTarget {
    /// The workspace's target in it, if something is expected of its responses; else nil.
    var checkedTarget: WorkspaceTarget? { target.checkedTarget }
}
