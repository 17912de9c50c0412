public import Documents

/// What comes out of a batch or a chain, read as a value.
extension Result where Success == Response, Failure == ApusError {
    /// What a serializer reads, with the answer beside it.
    public func mapped<S: ResponseSerializer>(using serializer: S) -> MappedResponse<S.Value> {
        MappedResponse(self, using: serializer)
    }

    /// A `Decodable` value, or the one at a path, with the answer beside it.
    public func decoded<T: Decodable>(
        as type: T.Type = T.self,
        at path: String? = nil,
        decoder: DocumentDecoder = DocumentDecoder()
    ) -> MappedResponse<T> {
        mapped(using: DecodableSerializer(type, at: path, decoder: decoder))
    }
}
