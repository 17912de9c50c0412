import FoundationEssentials
import HTTPTypes

/// The hops of a request, each a transfer of its own.
struct HopSequence {
    private let request: PreparedRequest
    private var follower: RedirectFollower
    private let began: ContinuousClock.Instant
    /// The deadline that all hops share.
    private let deadline: ContinuousClock.Instant?
    private var trace: [WireTraceEntry]
    private var hasMoved = false

    /// Begins with the first hop, or after those of a diversion.
    init(
        _ request: PreparedRequest,
        after diversion: RedirectDiversion?,
        since began: ContinuousClock.Instant
    ) throws(ApusError) {
        self.request = request
        self.began = began
        deadline =
            request.options.shared?.value.deadline ?? request.options.timeout.map { began + $0 }
        follower = RedirectFollower(request)
        trace = diversion?.trace ?? []
        for head in diversion?.heads ?? [] { hasMoved = try follower.follow(response(head)) }
    }

    /// The request of the next hop.
    var next: PreparedRequest {
        var hop = follower.next.asHop
        hop.options.deadline = deadline
        return hop
    }

    /// The response of a hop of which only the head is known.
    func response(_ head: HTTPResponse) -> Response {
        Response(
            request: follower.next,
            head: head,
            body: .bytes([]),
            source: .server,
            received: Date()
        )
    }

    /// Moves on after a response; returns it, as the response to the first request, if it is the last.
    mutating func last(
        _ response: Response,
        from start: ContinuousClock.Instant
    ) throws(ApusError) -> Response? {
        guard try !follower.follow(response) else {
            hasMoved = true
            trace += response.trace
            return nil
        }
        var last = finished(response)
        guard hasMoved else { return last }
        last.metrics?.phases.redirects = start - began
        last.metrics?.phases.total += start - began
        return last
    }

    private func finished(_ response: Response) -> Response {
        var last = follower.finished(response)
        last.request = request
        if !trace.isEmpty { last.metrics?.trace.insert(contentsOf: trace, at: 0) }
        return last
    }

    /// The error of a hop, as that of the whole.
    func failure(_ error: ApusError) -> ApusError {
        guard hasMoved else { return error }
        var failure = follower.failure(error)
        failure.response = error.response.map(finished)
        failure.isAfterRedirect = true
        return failure
    }
}
