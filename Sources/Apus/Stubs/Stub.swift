/// What answers one request in the server's place.
///
/// Even an immediate answer comes asynchronously, after the call has returned.
public enum Stub: Sendable {
    /// Nothing: the server is asked.
    case never
    /// This, at once.
    case immediate(StubAnswer)
    /// This, after a pause.
    case delayed(Duration, StubAnswer)
    /// A recording, or another transport; its answers have the source `.replay`.
    case replay(any Transport)
}
