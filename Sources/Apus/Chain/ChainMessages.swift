// The words of chains, in one place.

extension ChainPlanError: CustomStringConvertible {
    /// All faults, a line each.
    public var description: String { faults.map(\.description).joined(separator: "\n") }
}

extension ChainPlanError.Fault: CustomStringConvertible {
    /// What is wrong, a sentence without its full stop.
    public var description: String {
        switch self {
        case .duplicateStep(let name): "there are two steps `\(name)`"
        case .unknownStep(let name, let step): "the step `\(step)` needs an unknown step `\(name)`"
        case .cycle(let path): "steps need each other: \(path.joined(separator: " → "))"
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
            "the step `\(step)` captures `\(name)`, a name that conditions use for the steps"
        }
    }
}

extension ChainFailure: CustomStringConvertible {
    /// Why the step failed, in a few words.
    public var description: String {
        switch self {
        case .exchange(let error): error.message.title
        case .status(let status): "status \(status)"
        case .target(let detail): detail
        case .capture(let name, let path): "the answer has nothing at \(path) for `\(name)`"
        case .condition(let detail): "its condition cannot be tested: \(detail)"
        case .notAList(let name): "`\(name)` is no list"
        case .noValue(let name): "`\(name)` has no value"
        case .notText(let name): "`\(name)` is no text"
        case .captureTooLarge(let name, let size, let limit):
            "the body has \(size) bytes, too many to look for `\(name)` in it (limit \(limit))"
        case .captureTooManyValues(let name):
            "the body has too many values to look for `\(name)` in it (limit 64 MiB + 8 times the "
                + "body for its tree)"
        case .elements(let failed, let count, let first): "\(failed) of \(count) failed: \(first)"
        }
    }
}

extension ChainSkip: CustomStringConvertible {
    /// Why the step was not run, in a few words.
    public var description: String {
        switch self {
        case .failed(let step): "`\(step)` failed"
        case .skipped(let step): "`\(step)` was skipped"
        case .condition(let text): "not so: \(text)"
        }
    }
}
