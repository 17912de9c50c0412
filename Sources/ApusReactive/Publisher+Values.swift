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
        mapValue(using: MappedSerializer(type, at: path))
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
