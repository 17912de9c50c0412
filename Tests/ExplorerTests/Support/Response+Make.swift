import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Terminal

@testable import Explorer
@testable import TreeView

extension Response {
    static func make(
        _ body: String,
        status: Int = 200,
        type: String = "application/json",
        source: ResponseSource = .server,
        isComplete: Bool = true
    ) -> Response {
        Response(
            request: PreparedRequest(head: HTTPRequest(method: .get, url: SampleTarget().baseURL)),
            head: HTTPResponse(
                status: .init(code: status),
                headerFields: [.contentType: type, .eTag: "\"a7f3\""]
            ),
            body: .bytes(Array(body.utf8)),
            source: source,
            isComplete: isComplete,
            received: .sampleNow,
            metrics: .make()
        )
    }
}

extension HTTPRequest {
    fileprivate init(method: Method, url: URL) {
        self.init(method: method, scheme: "http", authority: "127.0.0.1:8080", path: "/users/7")
    }
}

extension TransferMetrics {
    static func make(total: Duration = .microseconds(11_800)) -> TransferMetrics {
        TransferMetrics(
            phases: Phases(
                nameLookup: .microseconds(100),
                connect: .microseconds(300),
                secureConnect: .microseconds(300),
                preTransfer: .microseconds(310),
                firstByte: total - .microseconds(300),
                total: total
            ),
            negotiatedVersion: "1.1"
        )
    }
}

extension ResponseSource {
    /// An entry of the disk's cache, stored and ending so many seconds from now.
    static func makeDisk(storedAgo: Double = 242, expiresIn: Double = 58) -> ResponseSource {
        .disk(
            CacheHit(
                key: CacheKey(digest: "d", recipe: "r"),
                stored: .sampleNow.addingTimeInterval(-storedAgo),
                expires: .sampleNow.addingTimeInterval(expiresIn),
                read: .sampleNow,
                hits: 2
            )
        )
    }
}

extension ResponseState {
    /// A pane with a response and its body, opened.
    static func make(_ response: Response, selection: Int = 0) -> ResponseState {
        var pane = ResponseState()
        pane.content = .response(response)
        pane.open(response, selection: selection)
        return pane
    }

    /// A pane with a failure and what was received.
    static func make(_ error: ApusError) -> ResponseState {
        var pane = ResponseState()
        pane.content = .failed(error)
        if let response = error.response { pane.open(response, selection: 0) }
        return pane
    }

    private mutating func open(_ response: Response, selection: Int) {
        guard case .bytes(let bytes) = response.body, !bytes.isEmpty else { return }
        let body = BodyDocument(
            DocumentBytes(bytes),
            contentType: response.head.headerFields[.contentType]
        )
        document.body = body
        document.faultPosition = body.faultPosition
        document.refit()
        document.scroll.select(selection)
    }
}
