/// A value that was read out of an answer, or why there is none; the answer is kept in either case.
public struct MappedResponse<Value> {
    /// The answer, also when it could not be read; nil if there was none.
    public let response: Response?
    /// The value, or why there is none.
    public let result: Result<Value, ApusError>

    /// Puts an answer and its value together.
    public init(response: Response?, result: Result<Value, ApusError>) {
        self.response = response
        self.result = result
    }

    /// Reads the value of an answer, or keeps why there is none, with what there is of an answer.
    public init<S: ResponseSerializer>(
        _ answer: Result<Response, ApusError>,
        using serializer: S
    ) where S.Value == Value {
        switch answer {
        case .success(let response):
            self.response = response
            do throws(ApusError) {
                result = .success(try serializer.serialize(response))
            } catch {
                result = .failure(error)
            }
        case .failure(let error):
            response = error.response
            result = .failure(error)
        }
    }

    /// The value; nil if there is none.
    public var value: Value? { try? result.get() }

    /// Why there is no value; nil if there is one.
    public var error: ApusError? {
        if case .failure(let error) = result { error } else { nil }
    }

    /// Where the answer came from; nil if there was none.
    public var source: ResponseSource? { response?.source }

    /// Whether the answer came out of a cache; false if there was none.
    public var isFromCache: Bool { response?.isFromCache ?? false }

    /// The same with another value.
    public func map<New>(_ transform: (Value) -> New) -> MappedResponse<New> {
        MappedResponse<New>(response: response, result: result.map(transform))
    }

    /// The same with a value that may not be made.
    public func flatMap<New>(
        _ transform: (Value) -> Result<New, ApusError>
    ) -> MappedResponse<New> {
        MappedResponse<New>(response: response, result: result.flatMap(transform))
    }

    /// The same with another error.
    public func mapError(_ transform: (ApusError) -> ApusError) -> MappedResponse {
        MappedResponse(response: response, result: result.mapError(transform))
    }
}

extension MappedResponse: Sendable where Value: Sendable {}
extension MappedResponse: Equatable where Value: Equatable {}
