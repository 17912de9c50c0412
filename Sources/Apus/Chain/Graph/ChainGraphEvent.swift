/// What happens while a graph runs.
///
/// Steps are named by their place in the plan, elements of a `forEach` by theirs in
/// the list; a step without one has no element. Each step has exactly one `ended`,
/// and the last event is always `finished`.
public enum ChainGraphEvent: Sendable {
    /// A step begins; `elements` tells how many times it is sent, if it is for a list.
    case began(step: Int, elements: Int?)
    /// A target was made and is about to be sent.
    case sending(step: Int, element: Int?, any TargetType)
    /// Something happened to a request, other than its end.
    case exchange(step: Int, element: Int?, ExchangeEvent)
    /// A request has ended, well or not.
    case answered(step: Int, element: Int?, ExchangeSummary)
    /// A step has ended, or never will begin.
    case ended(ChainStepResult, ChainProgress)
    /// The end.
    case finished(ChainGraphSummary)
}
