/// What a plugin makes of an answer or a failure.
public enum Processed: Sendable {
    /// This takes its place; the next plugin gets it.
    case result(Result<Response, ApusError>)
    /// It is dropped, and the exchange begins again at `prepare` after a pause.
    ///
    /// A provider's `maximumRetries` bounds it: after so many the result stands. A
    /// cached answer that is dropped counts as a miss.
    case retry(after: Duration)
}
