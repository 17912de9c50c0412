public import Documents
public import FoundationEssentials

/// The result of a step of a chain or a graph.
public struct ChainStepResult: Sendable {
    /// How a step ended.
    public enum Outcome: Sendable, Hashable {
        /// It ran and succeeded.
        case done
        /// It was done in the run that this one resumes, and was not sent again.
        case restored
        /// It ran and failed.
        case failed(ChainFailure)
        /// It did not run.
        case skipped(because: ChainSkip)
        /// The chain was cancelled or timed out before the step ended.
        case cancelled

        /// Whether the step succeeded, in this run or in the one that it resumes.
        public var isDone: Bool {
            switch self {
            case .done, .restored: true
            case .failed, .skipped, .cancelled: false
            }
        }
    }

    /// The step's index in the plan, or among the steps that a rule made, from 0.
    public let index: Int
    /// The step's name.
    public let name: String
    /// The target that was sent, as the plan or the rule made it; with `forEach` that of the first element.
    ///
    /// Nil if none was made, because the step did not run.
    public let target: (any TargetType)?
    /// How the step ended.
    public let outcome: Outcome
    /// The step's result; with `forEach`, one for each element that was sent, in the order of the list.
    ///
    /// Empty if the step did not run or the plan does not keep responses.
    public let results: [Result<Response, ApusError>]
    /// The status of the response; nil with `forEach` or without a response.
    public let status: Int?
    /// The captured values by name; empty unless the step is done.
    public let captures: [String: JSON]
    /// How long the step took, including its condition; zero if it never began.
    public let duration: Duration

    /// The only result, or that of the first element that was sent; nil if there is none.
    public var result: Result<Response, ApusError>? { results.first }

    /// What a later run needs of each element, by index; empty without a `forEach`.
    let elements: [ChainState.Element?]
    /// The credentials in the captured values.
    var credentials: [String] = []
    /// The secrets of the run.
    var secrets = ChainSecrets()
}

/// Why a step failed.
public indirect enum ChainFailure: Error, Sendable, Hashable {
    /// There is no response.
    case exchange(ApusError)
    /// The status is not one that the step accepts.
    case status(Int)
    /// The target could not be made.
    case target(detail: String)
    /// The response is not what the step expects, for a reason in words.
    case unexpected(detail: String)
    /// The response does not have the value to capture.
    case capture(name: String, path: String)
    /// The condition could not be evaluated.
    case condition(detail: String)
    /// The value that `forEach` names is not a list.
    case notAList(name: String)
    /// No needed step captured a value of this name.
    case noValue(name: String)
    /// The value cannot be written as text.
    case notText(name: String)
    /// The body is larger than `ChainPlan.captureLimit`.
    case captureTooLarge(name: String, size: Int, limit: Int)
    /// The body has more values than its tree may hold: 64 MiB plus 8 times the body.
    case captureTooManyValues(name: String)
    /// The path finds more than 100,000 values or credentials, or more than 64 MiB of them.
    case captureTooManyMatches(name: String)
    /// The path was not evaluated to its end: it took more than 5 seconds of CPU time, or has a
    /// regular expression that is too costly for a text.
    case captureInterrupted(name: String, detail: String)
    /// The list of a `forEach` has more elements than its `limit`.
    case tooManyElements(name: String, count: Int, limit: Int)
    /// Elements of a `forEach` failed; `first` is the failure that happened first.
    case elements(failed: Int, of: Int, first: ChainFailure)
}

/// Why a step of a graph was not run.
public enum ChainSkip: Sendable, Hashable {
    /// A step that it needs failed.
    case failed(step: String)
    /// A step that it needs was skipped.
    case skipped(step: String)
    /// Its condition is false.
    case condition(String)
}

// The texts of all chain errors.

extension ChainPlanError: CustomStringConvertible, LocalizedError {
    /// All faults, one per line.
    public var description: String { faults.map(\.description).joined(separator: "\n") }

    /// All faults as one sentence; also returned by `localizedDescription`.
    public var errorDescription: String? {
        "The plan cannot run: \(faults.map(\.description).joined(separator: "; "))."
    }
}

extension ChainPlanError.Fault: CustomStringConvertible {
    /// What is wrong, as a sentence without a period.
    public var description: String {
        switch self {
        case .duplicateStep(let name): "two steps are named `\(name)`"
        case .unknownStep(let name, let step): "the step `\(step)` needs an unknown step `\(name)`"
        case .cycle(let path): "steps form a cycle: \(path.joined(separator: " → "))"
        case .notCaptured(let name, let step, let makers):
            makers.isEmpty
                ? "the step `\(step)` uses `\(name)`, which no step captures"
                : "the step `\(step)` uses `\(name)`, which `\(makers[0])` captures, but does not "
                    + "need `\(makers[0])`"
        case .notNeeded(let name, let step):
            "the step `\(step)` looks at the status of `\(name)`, which it does not need"
        case .capturedTwice(let name, let steps):
            "`\(name)` is captured by \(steps.map { "`\($0)`" }.joined(separator: " and ")), "
                + "which may run side by side"
        case .reservedName(let name, let step):
            "the step `\(step)` captures `\(name)`, a name that is reserved in conditions"
        }
    }
}

extension ChainFailure: CustomStringConvertible, LocalizedError {
    /// Why the step failed, in a few words.
    public var description: String {
        switch self {
        case .exchange(let error): error.message.title
        case .status(let status): "status \(status)"
        case .target(let detail): detail
        case .unexpected(let detail): detail
        case .capture(let name, let path): "the response has no value at \(path) for `\(name)`"
        case .condition(let detail): "its condition cannot be evaluated: \(detail)"
        case .notAList(let name): "`\(name)` is not a list"
        case .noValue(let name): "`\(name)` has no value"
        case .notText(let name): "`\(name)` is not text"
        case .captureTooLarge(let name, let size, let limit):
            "the body has \(size) bytes, too many to look for `\(name)` in it (limit \(limit))"
        case .captureTooManyValues(let name):
            "the body has too many values to look for `\(name)` in it (its tree may take 64 MiB "
                + "plus 8 times the body)"
        case .captureTooManyMatches(let name):
            "the path of `\(name)` finds too many values (at most 100,000 values, 64 MiB of "
                + "values and 100,000 credentials)"
        case .captureInterrupted(let name, let detail):
            "the path of `\(name)` was not evaluated to its end: \(detail)"
        case .tooManyElements(let name, let count, let limit):
            "`\(name)` has \(count) elements, more than the limit of \(limit); `limit` in `forEach` "
                + "sets another"
        case .elements(let failed, let count, let first): "\(failed) of \(count) failed: \(first)"
        }
    }
}

extension ChainFailure {
    /// Why the step failed, as a sentence; also returned by `localizedDescription`.
    public var errorDescription: String? { description.asSentence }
}

extension ChainSkip: CustomStringConvertible {
    /// Why the step was not run, in a few words.
    public var description: String {
        switch self {
        case .failed(let step): "`\(step)` failed"
        case .skipped(let step): "`\(step)` was skipped"
        case .condition(let text): "its condition is false: \(text)"
        }
    }
}
