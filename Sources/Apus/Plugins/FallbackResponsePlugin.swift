import Documents
import FoundationEssentials
import HTTPTypes

/// Turns failures into answers in the API's own envelope, so that a caller always
/// has a code and a message to read.
///
/// Such an answer has the source `.synthetic` with the original failure in it, and
/// the original answer in that if there was one. It is never cached. A cancelled
/// exchange stays cancelled, and a failure after an answer was delivered stays one.
public struct FallbackResponsePlugin: Plugin {
    private let envelope: ResponseEnvelope?
    private let code: Int
    private let replacesFailures: Bool
    private let replacesErrorStatuses: Bool

    /// Makes a plugin.
    ///
    /// - Parameters:
    ///   - envelope: what the answers look like; nil for the target's own, and without
    ///     one nothing is replaced.
    ///   - code: the code that the envelope carries, and the status of an answer made of
    ///     a failure that had none.
    ///   - replacesFailures: whether failures are replaced.
    ///   - replacesErrorStatuses: whether answers other than 200 to 299 are replaced; they
    ///     keep their status.
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

    /// Replaces what is not a success.
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
            return replacesFailures && !context.hasAnswer ? error : nil
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
            // An envelope made of texts and numbers can always be written.
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

    /// What stands for the request of a target that could not be built.
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
