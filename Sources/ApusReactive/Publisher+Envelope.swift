public import Apus
public import Documents
public import OpenCombine

/// What the data of an envelope is read as. `map…` fails with the reason `.envelope` if the server
/// refused; `map…Result` has that as a value.
extension Publisher where Output == Response, Failure == ApusError {
    /// What the envelope says: success, code, message, data.
    public func mapResult(in envelope: ResponseEnvelope) -> AnyPublisher<EnvelopeResult, ApusError>
    {
        reading { response throws(ApusError) in try envelope.read(response) }
    }

    /// What a serializer reads from the data.
    public func mapValue<S: JSONValueSerializer>(
        using serializer: S,
        in envelope: ResponseEnvelope
    ) -> AnyPublisher<S.Value, ApusError> {
        mapValue(using: serializer.enveloped(in: envelope))
    }

    /// What a serializer reads from the data, with what the envelope says.
    public func mapValueResult<S: JSONValueSerializer>(
        using serializer: S,
        in envelope: ResponseEnvelope
    ) -> AnyPublisher<Enveloped<S.Value>, ApusError> {
        mapValue(using: serializer.envelopedResult(in: envelope))
    }

    /// The data as JSON.
    public func mapJSON(
        in envelope: ResponseEnvelope,
        at path: String? = nil
    ) -> AnyPublisher<JSON, ApusError> {
        mapValue(using: JSONSerializer(at: path), in: envelope)
    }

    /// The data as a `Decodable` type.
    public func mapObject<T: Decodable>(
        _ type: T.Type = T.self,
        in envelope: ResponseEnvelope,
        at path: String? = nil
    ) -> AnyPublisher<T, ApusError> {
        mapValue(using: DecodableSerializer(type, at: path), in: envelope)
    }

    /// The data as a `Decodable` type, with what the envelope says.
    public func mapObjectResult<T: Decodable>(
        _ type: T.Type = T.self,
        in envelope: ResponseEnvelope,
        at path: String? = nil
    ) -> AnyPublisher<Enveloped<T>, ApusError> {
        mapValueResult(using: DecodableSerializer(type, at: path), in: envelope)
    }

    /// The data as an array of a `Decodable` type.
    public func mapArray<T: Decodable>(
        _ type: T.Type = T.self,
        in envelope: ResponseEnvelope,
        at path: String? = nil
    ) -> AnyPublisher<[T], ApusError> {
        mapObject([T].self, in: envelope, at: path)
    }

    /// The data as an array of a `Decodable` type, with what the envelope says.
    public func mapArrayResult<T: Decodable>(
        _ type: T.Type = T.self,
        in envelope: ResponseEnvelope,
        at path: String? = nil
    ) -> AnyPublisher<Enveloped<[T]>, ApusError> {
        mapObjectResult([T].self, in: envelope, at: path)
    }
}
