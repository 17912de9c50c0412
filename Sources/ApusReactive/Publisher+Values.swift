public import Apus
public import Documents
public import OpenCombine

/// What each answer is read as; one that cannot be read ends the publisher with the reason
/// `.mapping`.
extension Publisher where Output == Response, Failure == ApusError {
    /// What a serializer reads.
    public func mapValue<S: ResponseSerializer>(
        using serializer: S
    ) -> AnyPublisher<S.Value, ApusError> {
        reading { response throws(ApusError) in try serializer.serialize(response) }
    }

    /// The body as text, or the string, number or boolean at a path.
    public func mapString(at path: String? = nil) -> AnyPublisher<String, ApusError> {
        mapValue(using: StringSerializer(at: path))
    }

    /// The body as JSON, or the value at a path.
    public func mapJSON(
        at path: String? = nil,
        failsOnEmpty: Bool = true
    ) -> AnyPublisher<JSON, ApusError> {
        mapValue(using: JSONSerializer(at: path, failsOnEmpty: failsOnEmpty))
    }

    /// The body, or the value at a path, as a `Decodable` type.
    public func mapObject<T: Decodable>(
        _ type: T.Type = T.self,
        at path: String? = nil,
        decoder: DocumentDecoder = DocumentDecoder()
    ) -> AnyPublisher<T, ApusError> {
        mapValue(using: DecodableSerializer(type, at: path, decoder: decoder))
    }

    /// The body, or the value at a path, as an array of a `Decodable` type.
    public func mapArray<T: Decodable>(
        _ type: T.Type = T.self,
        at path: String? = nil,
        decoder: DocumentDecoder = DocumentDecoder()
    ) -> AnyPublisher<[T], ApusError> {
        mapObject([T].self, at: path, decoder: decoder)
    }

    /// The body, or the value at a path, as a `Decodable` type, with a note of what was forgiven.
    public func mapObjectLeniently<T: Decodable>(
        _ type: T.Type = T.self,
        at path: String? = nil,
        decoder: DocumentDecoder = .forgiving
    ) -> AnyPublisher<LenientResult<T>, ApusError> {
        mapValue(using: LenientSerializer(type, at: path, decoder: decoder))
    }

    /// The body, or the value at a path, as a ``Mappable`` type or an array of it.
    public func mapMapped<T: JSONMapped>(
        _ type: T.Type = T.self,
        at path: String? = nil
    ) -> AnyPublisher<T, ApusError> {
        mapValue(using: MappableSerializer(type, at: path))
    }

    /// The body as an image.
    public func mapImage(decodesPixels: Bool = true) -> AnyPublisher<ResponseImage, ApusError> {
        mapValue(using: ImageSerializer(decodesPixels: decodesPixels))
    }

    /// The body as a tree of XML.
    public func mapXML() -> AnyPublisher<FormattedDocument, ApusError> {
        mapValue(using: DocumentSerializer(as: .xml))
    }
}

extension Publisher where Output == Response, Failure == ApusError {
    /// Answers with one of these statuses; any other is the failure `.unacceptableStatus`.
    public func filter(
        statuses: some Sequence<Int> & Sendable
    ) -> AnyPublisher<Response, ApusError> {
        reading { response throws(ApusError) in try response.filter(statuses: statuses) }
    }

    /// Answers with this status; any other is the failure `.unacceptableStatus`.
    public func filter(status: Int) -> AnyPublisher<Response, ApusError> {
        reading { response throws(ApusError) in try response.filter(status: status) }
    }

    /// Answers with a status of 200 to 299; any other is the failure `.unacceptableStatus`.
    public func filterSuccessfulStatuses() -> AnyPublisher<Response, ApusError> {
        filter(accepting: .successCodes)
    }

    /// Answers with a status of 200 to 399; any other is the failure `.unacceptableStatus`.
    public func filterSuccessfulAndRedirectStatuses() -> AnyPublisher<Response, ApusError> {
        filter(accepting: .successAndRedirectCodes)
    }

    /// Answers that a rule accepts; any other is the failure `.unacceptableStatus`.
    public func filter(accepting rule: Validation) -> AnyPublisher<Response, ApusError> {
        reading { response throws(ApusError) in try response.filter(accepting: rule) }
    }

    /// What is read out of each answer; what cannot be read ends it with that failure.
    func reading<Value>(
        _ read: @escaping (Response) throws(ApusError) -> Value
    ) -> AnyPublisher<Value, ApusError> {
        tryMap { response in try read(response) }
            .mapError { error in
                // Neither what is upstream nor `read` fails with anything else.
                error as? ApusError ?? ApusError(.cancelled)
            }
            .eraseToAnyPublisher()
    }
}

extension Publisher where Output == ExchangeProgress {
    /// Only the answers, as each arrives.
    public func filterCompleted() -> AnyPublisher<Response, Failure> {
        compactMap { state in state.hasNewResponse ? state.response : nil }.eraseToAnyPublisher()
    }

    /// Only the progress of the transfer.
    public func filterProgress() -> AnyPublisher<TransferProgress, Failure> {
        compactMap { state in state.hasNewResponse ? nil : state.transfer }.eraseToAnyPublisher()
    }
}

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
