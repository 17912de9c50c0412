public import Documents
public import FoundationEssentials
import HTTPTypes

extension Response {
    /// An answer made by hand out of JSON, for what stands in for a server.
    ///
    /// - Throws: `ApusError` with the reason `.invalidRequest(.encoding)` if the JSON is not
    ///   complete.
    public init(
        _ json: JSON,
        status: Int = 200,
        to request: PreparedRequest,
        source: ResponseSource = .stub,
        received: Date
    ) throws(ApusError) {
        let bytes: [UInt8]
        do throws(WriteFault) {
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
