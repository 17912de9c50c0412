/// How a server answers: which statuses mean success, and what either kind of answer holds.
///
/// ```swift
/// let convention = ServerConvention(success: .decodable(User.self), failure: .decodable(Problem.self))
/// do {
///     let user = try await provider.value(by: convention, for: .user(7))
/// } catch .refused(let problem, let response) {
///     print(response.status, problem.title)
/// } catch .failed(let error) {
///     print(error.code)
/// }
/// ```
public struct ServerConvention<Success: ResponseSerializer, Failure: ResponseSerializer>: Sendable
where Failure.Value: Sendable {
    /// Which answers mean success.
    public var accepted: Validation
    /// Reads an answer that means success.
    public var success: Success
    /// Reads an answer that does not.
    public var failure: Failure

    /// Makes a convention.
    public init(
        accepting accepted: Validation = .successCodes,
        success: Success,
        failure: Failure
    ) {
        self.accepted = accepted
        self.success = success
        self.failure = failure
    }

    /// The value of an answer, or what the server says instead.
    public func value(
        of response: Response
    ) throws(ServerFailure<Failure.Value>) -> Success.Value {
        guard accepted.accepts(response) else { throw refusal(in: response) }
        do throws(ApusError) {
            return try success.serialize(response)
        } catch {
            throw .failed(error)
        }
    }

    /// What an error of an exchange means: the target's own validation may have refused the answer.
    func meaning(of error: ApusError) -> ServerFailure<Failure.Value> {
        guard case .unacceptableStatus = error.reason, let response = error.response else {
            return .failed(error)
        }
        return refusal(in: response)
    }

    private func refusal(in response: Response) -> ServerFailure<Failure.Value> {
        do throws(ApusError) {
            return .refused(try failure.serialize(response), response)
        } catch {
            // The status tells more than why its body has another form.
            let reason = ApusError.Reason.unacceptableStatus(response.status)
            let line = response.request.line
            return .failed(ApusError(reason, request: line, response: response))
        }
    }
}
