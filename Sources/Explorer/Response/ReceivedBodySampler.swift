import Apus
import Documents
import FoundationEssentials
import HTTPTypes

/// Opens a body while it is being received, as often as that costs little.
struct ReceivedBodySampler {
    /// The least time between two looks; a response that ends sooner is shown only when it is complete.
    private static let patience = Duration.milliseconds(250)

    private let request: PreparedRequest?
    private var nextLook = ContinuousClock.now + patience
    private var seen = 0

    init(_ request: PreparedRequest? = nil) { self.request = request }

    /// The part of the body that has arrived, opened; nil if nothing is new, or it is too soon.
    mutating func next(_ progress: TransferProgress) -> (Response, BodyDocument)? {
        let now = ContinuousClock.now
        guard now >= nextLook, let request, let live = progress.live, live.count != seen,
            let (head, bytes) = live.received, !bytes.isEmpty
        else { return nil }
        seen = live.count
        let response = Response(
            request: request,
            head: head,
            body: .bytes(bytes),
            source: .server,
            isComplete: false,
            received: Date()
        )
        let body = BodyDocument(
            DocumentBytes(bytes),
            contentType: head.headerFields[.contentType],
            isGrowing: true
        )
        // Takes at most a tenth of the time, and looks at most four times a second.
        let cost = ContinuousClock.now - now
        nextLook = .now + max(Self.patience, cost * 10)
        return (response, body)
    }
}
