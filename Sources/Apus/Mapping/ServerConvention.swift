import Documents

/// How a server answers: which statuses mean success, and what either kind of answer holds.
///
/// ```swift
/// let convention = ServerConvention(success: .decodable(User.self), failure: .decodable(Problem.self))
/// do {
///     let user = try await provider.value(for: .user(7), by: convention)
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

    /// Says which answers mean success, and what reads either kind.
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

/// Why a call that follows a convention has no value.
public enum ServerFailure<Body: Sendable>: Error, Sendable {
    /// The server refused, and its answer says why in the form agreed upon.
    case refused(Body, Response)
    /// Anything else; a refusal in another form is the reason `.unacceptableStatus`.
    case failed(ApusError)

    /// What the server said, in the form agreed upon; nil if it did not.
    public var body: Body? {
        if case .refused(let body, _) = self { body } else { nil }
    }

    /// The answer, if there was one.
    public var response: Response? {
        switch self {
        case .refused(_, let response): response
        case .failed(let error): error.response
        }
    }
}

extension ServerFailure: Equatable where Body: Equatable {}

extension Provider {
    /// The value of the last answer to a target, by a convention with its server.
    ///
    /// - Throws: ``ServerFailure``: what the server says instead, or why there is no answer.
    public func value<S: ResponseSerializer, F: ResponseSerializer>(
        for target: Target,
        by convention: ServerConvention<S, F>,
        from source: DataSource = .server,
        caching: CachePolicy? = nil
    ) async throws(ServerFailure<F.Value>) -> S.Value where S.Value: Sendable {
        var convention = convention
        let answer: MappedResponse<Result<S.Value, ServerFailure<F.Value>>>
        do throws(ApusError) {
            convention.success = try resolved(convention.success, for: target)
            convention.failure = try resolved(convention.failure, for: target)
            let reader = ValueReader(ConventionSerializer(convention: convention))
            let response = try await response(for: target, source, caching, reader)
            answer = await reader.mapped(response)
        } catch {
            throw convention.meaning(of: error)
        }
        switch answer.result {
        case .success(let said): return try said.get()
        case .failure(let error): throw .failed(error)
        }
    }
}

/// Reads what the server says by a convention: a refusal in the form agreed upon is read, too.
private struct ConventionSerializer<S: ResponseSerializer, F: ResponseSerializer>:
    ResponseSerializer
where F.Value: Sendable {
    let convention: ServerConvention<S, F>

    func serialize(
        _ response: Response
    ) throws(ApusError) -> Result<S.Value, ServerFailure<F.Value>> {
        do throws(ServerFailure<F.Value>) {
            return .success(try convention.value(of: response))
        } catch .failed(let error) {
            throw error
        } catch {
            return .failure(error)
        }
    }
}
