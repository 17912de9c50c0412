public import Documents
public import FoundationEssentials
import HTTPTypes

extension Response {
    /// The response itself if its status is one of these, such as `200..<300` or `[200, 304]`.
    ///
    /// - Throws: ``ApusError`` with the reason `.unacceptableStatus` and the response attached.
    @discardableResult
    public func filter(
        statuses: some Sequence<Int>
    ) throws(ApusError) -> Response {
        try filter { response in statuses.contains(response.status) }
    }

    /// The response itself if it has this status.
    ///
    /// - Throws: ``ApusError`` with the reason `.unacceptableStatus` and the response attached.
    @discardableResult
    public func filter(status: Int) throws(ApusError) -> Response {
        try filter { response in response.status == status }
    }

    /// The response itself if its status is 200 to 299.
    ///
    /// - Throws: ``ApusError`` with the reason `.unacceptableStatus` and the response attached.
    @discardableResult
    public func filterSuccessfulStatuses() throws(ApusError) -> Response {
        try filter(accepting: .successCodes)
    }

    /// The response itself if its status is 200 to 399.
    ///
    /// - Throws: ``ApusError`` with the reason `.unacceptableStatus` and the response attached.
    @discardableResult
    public func filterSuccessfulAndRedirectStatuses() throws(ApusError) -> Response {
        try filter(accepting: .successAndRedirectCodes)
    }

    /// The response itself if a rule accepts it.
    ///
    /// - Throws: ``ApusError`` with the reason `.unacceptableStatus` and the response attached.
    @discardableResult
    public func filter(accepting validation: Validation) throws(ApusError) -> Response {
        try filter(validation.accepts)
    }

    private func filter(_ isAccepted: (Response) -> Bool) throws(ApusError) -> Response {
        guard isAccepted(self) else {
            throw ApusError(.unacceptableStatus(status), request: request.line, response: self)
        }
        return self
    }
}

extension Response {
    /// Creates a response from JSON, for code that stands in for a server.
    ///
    /// - Throws: ``ApusError`` with the reason `.invalidRequest(.encoding)` if the JSON is not
    ///   complete.
    public init(
        _ json: JSON,
        status: Int = 200,
        to request: PreparedRequest,
        source: ResponseSource = .stub,
        received: Date
    ) throws(ApusError) {
        let bytes: [UInt8]
        do throws(DocumentWritingError) {
            bytes = try json.bytes()
        } catch {
            throw ApusError(.invalidRequest(.encoding(detail: "\(error)")), request: request.line)
        }
        let head = HTTPResponse(
            status: HTTPResponse.Status(code: status),
            headerFields: [.contentType: "application/json"]
        )
        self.init(
            request: request,
            head: head,
            body: .bytes(bytes),
            source: source,
            received: received
        )
    }
}
