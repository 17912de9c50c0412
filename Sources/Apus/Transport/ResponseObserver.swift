package import HTTPTypes

/// Receives a response while it arrives, so that it can be shown piece by piece.
///
/// The calls come one after the other, on the transport's own thread. A call that takes long holds up the
/// server.
package protocol ResponseObserver: AnyObject, Sendable {
    /// Called with the head of each response, unless it is a redirect that the transport follows.
    func begin(_ start: ResponseStart) -> ObservationReply
    /// Called with each decoded piece of its body; false ends the transfer with `.cancelled`.
    func receive(_ piece: UnsafeRawBufferPointer) -> Bool
}

/// The observer of a task's responses.
package enum ObservedResponses {
    /// The observer of transfers that this task starts; nil if nobody observes them.
    @TaskLocal package static var observer: (any ResponseObserver)?
}

/// What is known of a response whose body has not arrived.
package struct ResponseStart: Sendable {
    /// The request that it answers.
    package let request: PreparedRequest
    /// Status and fields.
    package let head: HTTPResponse
    /// What was measured so far.
    package let metrics: TransferMetrics
    /// The announced length of the body, before content decoding; nil if it is not known.
    package let expected: Int?
}

/// What an observer wants after the head.
package enum ObservationReply: Sendable {
    /// The transfer continues.
    case proceed
    /// It continues, and its time limit no longer applies.
    case proceedWithoutTimeLimit
    /// It ends with `.cancelled`.
    case cancel
}
