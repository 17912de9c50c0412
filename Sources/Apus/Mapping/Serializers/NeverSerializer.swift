/// Fails for every answer: for a side of a convention that must not happen.
public struct NeverSerializer: ResponseSerializer {
    /// Makes a serializer.
    public init() {}

    /// Never a value.
    ///
    /// - Throws: always, `ApusError` with the reason `.mapping`, kind `.custom`.
    public func serialize(_ response: Response) throws(ApusError) -> Never {
        throw response.failure(.init(.custom, detail: MappingMessages.never))
    }
}

extension ResponseSerializer where Self == NeverSerializer {
    /// Fails for every answer.
    public static var never: NeverSerializer { NeverSerializer() }
}
