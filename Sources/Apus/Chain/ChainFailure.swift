/// Why a step of a graph failed.
public indirect enum ChainFailure: Error, Sendable, Hashable {
    /// There is no answer.
    case exchange(ApusError)
    /// The status is not one that the step accepts.
    case status(Int)
    /// The target could not be made.
    case target(detail: String)
    /// The answer does not have what was to be captured.
    case capture(name: String, path: String)
    /// The condition could not be tested.
    case condition(detail: String)
    /// What `forEach` names is no list.
    case notAList(name: String)
    /// No needed step captured a value of this name.
    case noValue(name: String)
    /// The value cannot be written as text.
    case notText(name: String)
    /// The body is too large to look for a value in it: `ChainPlan.captureLimit`.
    case captureTooLarge(name: String, size: Int, limit: Int)
    /// The body has so many values that no tree is made of it.
    case captureTooManyValues(name: String)
    /// Elements of a `forEach` failed; `first` is the one nearest to its begin.
    case elements(failed: Int, of: Int, first: ChainFailure)
}
