import FoundationEssentials
import HTTPTypes

extension CurlTransfer {
    /// What has come of the transfer.
    func result(
        _ fault: Box<ApusError.Reason>?,
        _ handle: CurlHandle,
        _ certificates: [TransferMetrics.Certificate]
    ) -> Result<Response, ApusError> {
        guard let head = handle.head.response else {
            let missing = ApusError.Reason.protocolViolation(detail: "the answer has no header")
            return .failure(ApusError(fault?.value ?? missing, request: failedLine(handle)))
        }
        do throws(ApusError) {
            if isHeadWithheld, !begin(head), let failure { throw ApusError(failure) }
            let body = try sink.body(isComplete: fault == nil)
            let answer = answer(head, body, handle, certificates, endingWith: fault)
            guard let fault else { return .success(answer) }
            var line = failedLine(handle)
            // No hop failed: there were too many of them.
            if case .tooManyRedirects = fault.value { line = request.line }
            return .failure(ApusError(fault.value, request: line, response: answer))
        } catch {
            // The body is there, but could not be put where it belongs.
            var failure = ApusError(error.reason, request: failedLine(handle))
            if let body = try? sink.body(isComplete: false) {  // This form never throws.
                let fault = fault ?? Box(error.reason)
                failure.response = answer(head, body, handle, certificates, endingWith: fault)
            }
            return .failure(failure)
        }
    }

    private func answer(
        _ head: HTTPResponse,
        _ body: ResponseBody,
        _ handle: CurlHandle,
        _ certificates: [TransferMetrics.Certificate],
        endingWith fault: Box<ApusError.Reason>?
    ) -> Response {
        let received = Box(
            ReceivedAnswer(
                head: head,
                body: body,
                received: Date(),
                metrics: TransferMetrics(handle, self, fault, certificates)
            )
        )
        return Response(
            request: request,
            answer: received,
            source: .server,
            isComplete: fault == nil
        )
    }

    /// The hops that were followed, also the one whose target never answered.
    func followedRedirects(
        endingWith fault: Box<ApusError.Reason>?
    ) -> [TransferMetrics.Redirect] {
        guard redirectCount > 0 else { return [] }
        guard let pendingRedirect else { return redirects }
        if case .tooManyRedirects = fault?.value { return redirects }
        return redirects + [pendingRedirect]
    }
}
