public import Apus
import FoundationEssentials

/// Records every exchange of a provider.
///
/// ```swift
/// let provider = Provider<GitHub>(plugins: [.recording(to: history, session: session)])
/// ```
/// It records the response of the server, the cache or a stub before plugins process it. If an exchange has
/// two responses, it records the later one. An exchange whose request could not be prepared is not recorded.
public struct RecordingPlugin: Plugin {
    /// Returns where an exchange was sent from, or nil if it must not be recorded.
    public typealias Origin = @Sendable (ExchangeContext) -> ExchangeOrigin?

    private enum Received: ExchangeKey {
        static let defaultValue: Response? = nil
    }

    private let history: History
    private let session: RecordedSession.ID?
    private let origin: Origin

    /// Makes a plugin that records to a history.
    ///
    /// - Parameters:
    ///   - history: the history to record to.
    ///   - session: the session that the exchanges belong to; nil for none.
    ///   - origin: returns where an exchange was sent from. By default the target's type is its name.
    public init(
        _ history: History,
        session: RecordedSession.ID? = nil,
        origin: @escaping Origin = { ExchangeOrigin(target: "\(type(of: $0.target))") }
    ) {
        self.history = history
        self.session = session
        self.origin = origin
    }

    /// Keeps the response as it was received.
    public func didReceive(
        _ result: Result<Response, ApusError>,
        in context: ExchangeContext
    ) async {
        // In the other cases `didFinish` gets the same response. The server's response replaces the cache's.
        guard case .success(let response) = result,
            context.mayBeProcessed || context.hasResponse || response.source != .server
        else { return }
        context[Received.self] = response
    }

    /// Records the exchange.
    public func didFinish(_ summary: ExchangeSummary, in context: ExchangeContext) async {
        let target = context.wrapper(RecordingTarget.self)
        guard let request = context.request, let origin = target?.origin ?? origin(context) else {
            return
        }
        let received = context[Received.self]
        var result = summary.result
        switch result {
        case .success(let response): result = .success(received ?? response)
        case .failure(var error):
            error.response = error.response ?? received
            result = .failure(error)
        }
        let started = history.date.addingTimeInterval(-(summary.duration / .seconds(1)))
        target?.willRecord?(started)
        await history.record(
            ExchangeRecord(
                started: started,
                request: request,
                result: result,
                duration: summary.duration,
                attempts: summary.attempts,
                origin: origin
            ),
            in: target?.session ?? session
        )
    }
}

extension RecordingPlugin: ObservingPlugin {}

extension Plugin where Self == RecordingPlugin {
    /// Records every exchange to a history, in a session if one is given.
    public static func recording(
        to history: History,
        session: RecordedSession.ID? = nil,
        origin: @escaping RecordingPlugin.Origin = {
            ExchangeOrigin(target: "\(type(of: $0.target))")
        }
    ) -> RecordingPlugin {
        RecordingPlugin(history, session: session, origin: origin)
    }
}
