import Apus
import Documents
import FoundationEssentials
import HTTPTypes

/// Looks at a body while it comes, as often as that costs little.
struct BodyGrowth {
    /// An answer that is there sooner is shown as a whole.
    private static let patience = Duration.milliseconds(250)

    private let request: PreparedRequest?
    private var nextLook = ContinuousClock.now + patience
    private var seen = 0

    init(_ request: PreparedRequest? = nil) { self.request = request }

    /// What there is of the body, opened; nil if nothing is new, or it is too soon.
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
        // At most a tenth of the time goes into looking, and at most four looks into a second.
        let cost = ContinuousClock.now - now
        nextLook = .now + max(Self.patience, cost * 10)
        return (response, body)
    }
}
