import Documents
import HTTPServing
import HTTPTypes

struct DemoResponse: Sendable {
    enum Body: Sendable {
        case bytes([UInt8])
        /// Produced while it is sent, at the speed of the client. It is chunked if there is no count.
        case pieces(any AsyncSequence<[UInt8], any Error> & Sendable, count: Int?)
        case none
    }

    var status = 200
    var fields: HTTPFields = [:]
    var body = Body.none

    static func json(_ value: JSON, status: Int = 200, fields: HTTPFields = [:]) -> DemoResponse {
        .bytes(value.pretty, type: "application/json", status: status, fields: fields)
    }

    static func text(_ text: String, type: String = "text/plain; charset=utf-8") -> DemoResponse {
        .bytes(Array(text.utf8), type: type)
    }

    static func bytes(
        _ bytes: [UInt8],
        type: String,
        status: Int = 200,
        fields: HTTPFields = [:]
    ) -> DemoResponse {
        var fields = fields
        fields[.contentType] = type
        return DemoResponse(status: status, fields: fields, body: .bytes(bytes))
    }

    static func stream(
        _ body: some AsyncSequence<[UInt8], any Error> & Sendable,
        count: Int?,
        type: String
    ) -> DemoResponse {
        DemoResponse(fields: [.contentType: type], body: .pieces(body, count: count))
    }

    /// A response without a body, such as 204, 205 or 304.
    static func empty(status: Int, fields: HTTPFields = [:]) -> DemoResponse {
        DemoResponse(status: status, fields: fields)
    }

    static func phrase(of status: Int) -> String {
        StatusPhrase.registered[status] ?? StatusPhrase.unregistered[status] ?? "Status \(status)"
    }

    /// Sends the response; for HEAD the writer leaves the body out.
    func send(_ writer: ResponseWriter) async throws {
        switch body {
        case .none: try await writer.send(head(length: status == 304 ? nil : 0), [])
        case .bytes(let bytes): try await writer.send(head(length: bytes.count), bytes)
        case .pieces(let pieces, let count):
            try await writer.begin(head(length: count))
            if !writer.isForHead {
                for try await piece in pieces { try await writer.write(piece) }
            }
            try await writer.end()
        }
    }

    private func head(length: Int?) -> HTTPResponse {
        var fields = fields
        if let length, fields[.contentLength] == nil { fields[.contentLength] = "\(length)" }
        return HTTPResponse(
            status: .init(code: status, reasonPhrase: Self.phrase(of: status)),
            headerFields: fields
        )
    }
}
