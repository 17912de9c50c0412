import FoundationEssentials

/// An answer of the origin, with the times that its age is counted from.
struct OriginAnswer: Sendable {
    var response: Response
    /// When the request was sent.
    let requestTime: Date
    /// When the head of the answer came.
    let responseTime: Date

    /// `end` is when the last byte came, by the clock of `requestTime`.
    init(_ response: Response, requestTime: Date, end: Date) {
        self.response = response
        self.requestTime = requestTime
        // A long body does not make its head younger.
        let phases = response.metrics?.phases
        let body = phases.map { max(.zero, $0.total - $0.firstByte) } ?? .zero
        responseTime = max(requestTime, end.addingTimeInterval(-body.seconds))
    }

    /// Another answer at the same time.
    func with(_ response: Response) -> OriginAnswer {
        var other = self
        other.response = response
        return other
    }
}
