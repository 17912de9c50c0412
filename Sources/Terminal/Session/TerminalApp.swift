/// What a session drives.
///
/// Both functions are synchronous and do no waiting of their own.
@MainActor
package protocol TerminalApp: AnyObject {
    /// What background work tells the app.
    associatedtype Message: Sendable

    /// Takes one event and says what the session is to do. A frame follows by itself.
    func handle(_ event: TerminalEvent<Message>) -> [SessionCommand]

    /// Draws the whole screen into a blank grid. Returns where the text cursor stands; nil hides it.
    func render(into grid: inout Grid) -> Point?

    /// When `.tick` is due without any other event; nil sleeps. Asked after each frame.
    var nextTick: ContinuousClock.Instant? { get }
}

extension TerminalApp {
    /// Never.
    package var nextTick: ContinuousClock.Instant? { nil }
}
