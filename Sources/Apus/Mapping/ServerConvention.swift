import Documents
public import FoundationEssentials

/// Which responses of a server mean success, and how to read a success and a refusal.
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
    /// Which responses mean success.
    public var accepted: Validation
    /// Reads a response that means success.
    public var success: Success
    /// Reads a response that does not mean success.
    public var failure: Failure

    /// Creates a convention; by default the statuses 200 to 299 mean success.
    public init(
        accepting accepted: Validation = .successCodes,
        success: Success,
        failure: Failure
    ) {
        self.accepted = accepted
        self.success = success
        self.failure = failure
    }

    /// Reads the value of a response, or throws what the server says instead.
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

    /// What an error of an exchange means; the target's own validation may have refused the response.
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
            // The status is more useful than the reason why the body could not be read.
            let reason = ApusError.Reason.unacceptableStatus(response.status)
            let line = response.request.line
            return .failed(ApusError(reason, request: line, response: response))
        }
    }
}

/// Why a call that follows a convention has no value.
public enum ServerFailure<Body: Sendable>: Error, Sendable {
    /// The server refused, and its response says why in the agreed form.
    case refused(Body, Response)
    /// Any other failure; a refusal in another form has the reason `.unacceptableStatus`.
    case failed(ApusError)

    /// What the server said in the agreed form; nil if it did not use it.
    public var body: Body? {
        if case .refused(let body, _) = self { body } else { nil }
    }

    /// The response, if there was one.
    public var response: Response? {
        switch self {
        case .refused(_, let response): response
        case .failed(let error): error.response
        }
    }
}

extension ServerFailure: Equatable where Body: Equatable {}

extension ServerFailure: LocalizedError {
    /// What happened and what the server said; also returned by `localizedDescription`.
    public var errorDescription: String? {
        ErrorMessage(message.title, message.detail).description
    }

    /// What the server said, or what is known about the failure; nil if there is no more to say.
    public var failureReason: String? { message.detail.isEmpty ? nil : message.detail }

    /// What to do next; nil if the caller can do nothing.
    public var recoverySuggestion: String? { message.advice }
}

extension AnyProvider {
    /// Reads the last response to a target according to a convention with its server.
    ///
    /// - Throws: ``ServerFailure`` with what the server says instead, or why there is no response.
    public func value<S: ResponseSerializer, F: ResponseSerializer>(
        for target: any TargetType,
        by convention: ServerConvention<S, F>,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(ServerFailure<F.Value>) -> S.Value where S.Value: Sendable {
        var convention = convention
        let answer: MappedResponse<Result<S.Value, ServerFailure<F.Value>>>
        do throws(ApusError) {
            convention.success = try resolved(convention.success, for: target)
            convention.failure = try resolved(convention.failure, for: target)
            let reader = ValueReader(ConventionSerializer(convention: convention))
            let response = try await response(for: target, source, caching, reader, progress)
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

/// Reads a response according to a convention; a refusal in the agreed form is a value.
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
