/// Asks the server, or what stands in for it, and checks the answer.
///
/// ```
/// [interceptor … ─▶] willSend ─▶ stub | replay | transport ─▶ validation
/// ```
struct ServerCall: Sendable {
    let exchange: Exchange
    let validation: Validation

    /// The answer to a request, or why there is none.
    ///
    /// It has passed the interceptors and the validation, but neither
    /// `didReceive` nor `process`.
    func send(
        _ request: PreparedRequest,
        _ course: inout ExchangeCourse
    ) async -> Result<Response, ApusError> {
        guard let hooks = course.hooks else {
            course.willSend(request)
            let emit = course.emit
            do throws(ApusError) {
                let response = try await exchange.transport.send(request) { emit(.progress($0)) }
                try check(response)
                return .success(response)
            } catch {
                return .failure(error)
            }
        }
        let before = hooks.scope.attempts
        let call = InterceptedCall(call: self, hooks: hooks, emit: course.emit)
        let result = await call.run(request)
        course.note(attempts: hooks.scope.attempts - before, sharedBy: 1)
        return result
    }

    /// - Throws: `.unacceptableStatus`, the answer attached.
    func check(_ response: Response) throws(ApusError) {
        guard validation.accepts(response.status) else {
            throw ApusError(
                .unacceptableStatus(response.status),
                request: response.request.line,
                response: response
            )
        }
    }
}
