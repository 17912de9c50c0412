package import Apus

/// Targets that are sent side by side.
package struct BatchDefinition: Sendable {
    /// What a failure does to the rest; the engine's words.
    package enum Mode: String, Sendable, Hashable, CaseIterable {
        /// One failure fails the batch and cancels what has not ended.
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

    /// Its name.
    package let name: String
    /// What it is for, if the file says so.
    package let summary: String?
    /// How many requests run at once.
    package let concurrency: Int
    /// How fast they are begun, in turn, and for how long; nil for each once, as fast as they end.
    package let rate: BatchRate?
    /// What a failure does to the rest.
    package let mode: Mode
    /// Where answers come from; nil for what the screen is set to.
    package let source: DataSource?
    /// How many requests it sends, repeats counted.
    package var count: Int { rate?.count ?? entries.reduce(0) { $0 + $1.repeatCount } }

    /// Where its name stands.
    package let location: SourceLocation

    let entries: [Entry]
}

/// Targets that are sent when what they need is done, with what that brought.
package struct ChainDefinition: Sendable {
    /// Its name.
    package let name: String
    /// What it is for, if the file says so.
    package let summary: String?
    /// Where answers come from; nil for what the screen is set to.
    package let source: DataSource?
    /// The steps, in the file's order.
    package let steps: [ChainStepDefinition]
    /// Where its name stands.
    package let location: SourceLocation

    /// The names under which a step captures a credential.
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
    /// Its name, unique in its chain.
    package let name: String
    /// What it sends.
    package let target: TargetDefinition
    /// The steps that must be done before it; if the file does not say, the one
    /// that stands before it.
    package let needs: [String]
    /// How they must have ended.
    package let join: ChainPlan.Join
    /// When it runs; nil for always.
    package let condition: ChainCondition?
    /// The captured list for whose elements it runs; nil to run once.
    package let forEach: ChainPlan.ForEach?
    /// What later steps get from its answer.
    package let captures: [Capture]

    let span: Span
    let values: [Assignment]

    /// The names of `captured` credentials, and its own element's if that is one.
    func credentials(among captured: Set<String>) -> Set<String> {
        guard let forEach,
            captured.contains(forEach.list)
                || CredentialMask.isSecret(parameter: forEach.element)
        else { return captured }
        return captured.union([forEach.element])
    }
}

/// A value of an answer, and the variable that it becomes.
package struct Capture: Sendable, Hashable {
    /// The variable.
    package let name: String
    /// Where the value is.
    package let path: CapturePath
}

/// A value that a batch or a step gives to a variable, for its own requests only.
struct Assignment: Sendable {
    let name: String
    let span: Span
    let value: TemplateValue
}
