import Documents
import FoundationEssentials
import HTTPTypes

/// Turns failures into responses in the API's own envelope, so that a caller always gets a code and a
/// message.
///
/// Such a response has the source `.synthetic` with the original failure, which holds the original response
/// if there was one. It is never cached. A cancelled exchange stays cancelled, and a failure after a response
/// was delivered stays a failure.
public struct FallbackResponsePlugin: Plugin {
    private let envelope: ResponseEnvelope?
    private let code: Int
    private let replacesFailures: Bool
    private let replacesErrorStatuses: Bool

    /// Creates a plugin.
    ///
    /// - Parameters:
    ///   - envelope: the form of the responses; nil for the envelope of the target, or else of the provider.
    ///     Without any nothing is replaced.
    ///   - code: the code in the envelope, and the status of a response that replaces a failure without one.
    ///   - replacesFailures: whether to replace failures.
    ///   - replacesErrorStatuses: whether to replace responses with a status outside 200 to 299; they keep
    ///     their status.
    public init(
        envelope: ResponseEnvelope? = nil,
        code: Int = 700,
        replacesFailures: Bool = true,
        replacesErrorStatuses: Bool = true
    ) {
        self.envelope = envelope
        self.code = code
        self.replacesFailures = replacesFailures
        self.replacesErrorStatuses = replacesErrorStatuses
    }

    /// Replaces a result that is not a success.
    public func process(
        _ result: Result<Response, ApusError>,
        in context: ExchangeContext
    ) async throws -> ProcessingResult {
        guard let envelope = envelope ?? context.envelope,
            let failure = failure(in: result, context)
        else { return .result(result) }
        return .result(.success(answer(to: failure, in: envelope, context)))
    }

    private func failure(
        in result: Result<Response, ApusError>,
        _ context: ExchangeContext
    ) -> ApusError? {
        switch result {
        case .failure(let error):
            return replacesFailures && !context.hasResponse ? error : nil
        case .success(let response):
            guard replacesErrorStatuses, !(200..<300).contains(response.status) else { return nil }
            return ApusError(
                .unacceptableStatus(response.status),
                request: response.request.line,
                response: response
            )
        }
    }

    private func answer(
        to failure: ApusError,
        in envelope: ResponseEnvelope,
        _ context: ExchangeContext
    ) -> Response {
        let status = failure.response?.status ?? code
        let body = envelope.body(code: JSON(code), message: Self.words(failure))
        return Response(
            request: failure.response?.request ?? context.request ?? Self.request(context.target),
            head: HTTPResponse(
                status: HTTPResponse.Status(code: status),
                headerFields: [.contentType: "application/json"]
            ),
            // An envelope of texts and numbers can always be written.
            body: .bytes((try? body.bytes()) ?? []),
            source: .synthetic(failure),
            received: failure.response?.received ?? Date()
        )
    }

    /// The status alone, or what happened.
    private static func words(_ failure: ApusError) -> String {
        if case .unacceptableStatus(let status) = failure.reason { return "\(status)" }
        return failure.message.title
    }

    /// A request for a target whose own request could not be built.
    private static func request(_ target: any TargetType) -> PreparedRequest {
        PreparedRequest(
            head: HTTPRequest(
                method: target.method,
                scheme: target.baseURL.scheme,
                authority: target.baseURL.host(),
                path: target.path
            )
        )
    }
}
