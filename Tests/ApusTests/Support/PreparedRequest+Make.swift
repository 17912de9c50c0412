import Apus
import HTTPTypes

extension PreparedRequest {
    static func make(
        scheme: String = "http",
        _ authority: String,
        _ path: String = "/",
        fields: HTTPFields = [:],
        body: Body = .none,
        options: TransportOptions = TransportOptions(),
        destination: DownloadDestination? = nil
    ) -> PreparedRequest {
        make(
            .get,
            scheme: scheme,
            authority,
            path,
            fields: fields,
            body: body,
            options: options,
            destination: destination
        )
    }

    static func make(
        _ method: HTTPRequest.Method,
        scheme: String = "http",
        _ authority: String,
        _ path: String = "/",
        fields: HTTPFields = [:],
        body: Body = .none,
        options: TransportOptions = TransportOptions(),
        destination: DownloadDestination? = nil
    ) -> PreparedRequest {
        PreparedRequest(
            head: HTTPRequest(
                method: method,
                scheme: scheme,
                authority: authority,
                path: path,
                headerFields: fields
            ),
            body: body,
            options: options,
            destination: destination
        )
    }
}

extension CurlTransport {
    func send(_ request: PreparedRequest) async throws(ApusError) -> Response {
        try await send(request, progress: nil)
    }

    /// The error that a request must end with.
    func error(_ request: PreparedRequest) async -> ApusError? {
        do throws(ApusError) {
            _ = try await send(request, progress: nil)
            return nil
        } catch {
            return error
        }
    }
}

extension Response {
    var bodyText: String { (try? body.load()).map { String(decoding: $0, as: UTF8.self) } ?? "" }
}
