package import Apus
import Secrets

/// Targets that are sent concurrently.
package struct BatchDefinition: Sendable {
    /// What a failure does to the other requests, with the names of the engine's `Batch.Mode`.
    package enum Mode: String, Sendable, Hashable, CaseIterable {
        /// One failure fails the batch and cancels the unfinished requests.
        case all
        /// One failure fails the batch, but the others are still sent.
        case allFinishing
        /// Every target has its own result.
        case settled
    }

    struct Entry: Sendable {
        let target: TargetDefinition
        let repeatCount: Int
        let values: [Assignment]
    }

    /// The batch's name, unique in the workspace.
    package let name: String
    /// The `description` in the file; nil if there is none.
    package let summary: String?
    /// The largest number of requests that run at once.
    package let concurrency: Int
    /// How many requests start per second, and for how long; the entries take turns.
    ///
    /// Nil sends each request once, as fast as `concurrency` allows.
    package let rate: BatchRate?
    /// What a failure does to the other requests.
    package let mode: Mode
    /// Where responses come from; nil for the source chosen on the screen.
    package let source: DataSource?
    /// What must hold of the batch as a whole.
    package let expectations: [Expectation]
    /// The number of requests, including repeats.
    package var count: Int { rate?.count ?? entries.reduce(0) { $0 + $1.repeatCount } }

    /// The file, line and column of its name.
    package let location: SourceLocation

    let entries: [Entry]

    /// The targets that it sends, once for each entry.
    package var targets: [TargetID] { entries.map(\.target.id) }
}

/// Targets that are sent in the order of their dependencies, with values captured from earlier responses.
package struct ChainDefinition: Sendable {
    /// The chain's name, unique in the workspace.
    package let name: String
    /// The `description` in the file; nil if there is none.
    package let summary: String?
    /// Where responses come from; nil for the source chosen on the screen.
    package let source: DataSource?
    /// The steps, in the file's order.
    package let steps: [ChainStepDefinition]
    /// The file, line and column of its name.
    package let location: SourceLocation

    /// The names of the captures that hold credentials.
    package var credentials: Set<String> {
        var names: Set<String> = []
        for step in steps {
            for capture in step.captures
            where ChainPlan.Capture(capture.name, capture.path).isCredential {
                names.insert(capture.name)
            }
        }
        return names
    }
}

/// A step of a chain.
package struct ChainStepDefinition: Sendable {
    /// The step's name, unique in its chain.
    package let name: String
    /// The target that the step sends.
    package let target: TargetDefinition
    /// The names of the steps that must finish first; without `needs` in the file, the step before this one.
    package let needs: [String]
    /// How the needed steps must have ended.
    package let join: ChainPlan.Join
    /// The condition for the step to run; nil if it always runs.
    package let condition: ChainCondition?
    /// The captured list that the step runs for, once per element; nil to run once.
    package let forEach: ChainPlan.ForEach?
    /// The values that later steps get from its response.
    package let captures: [Capture]

    let span: Span
    let values: [Assignment]
    /// What its response must be for the chain to go on, besides what its target expects.
    let expectations: [ExpectationSetting]

    /// Whether it, or its target itself, says which statuses are right.
    var judgesStatus: Bool {
        target.judgesStatus || expectations.contains { $0.subject == .status }
    }

    /// `captured`, and the name of the step's `forEach` element if that is a credential.
    func credentials(among captured: Set<String>) -> Set<String> {
        guard let forEach,
            captured.contains(forEach.list)
                || CredentialMask.isSecret(parameter: forEach.element)
        else { return captured }
        return captured.union([forEach.element])
    }
}

/// A value taken from a response, and the variable that holds it.
package struct Capture: Sendable, Hashable {
    /// The variable's name.
    package let name: String
    /// Where the value is in the response.
    package let path: CapturePath
}

/// A variable's value in `set`, which applies only to the requests of one batch entry or step.
struct Assignment: Sendable {
    let name: String
    let span: Span
    let value: TemplateValue
}
