/// A type that knows how to read itself out of an answer, such as one made by Protocol Buffers.
public protocol ResponseReadable {
    /// Reads a value; any error becomes an `ApusError` with the reason `.mapping`.
    static func read(from response: Response) throws -> Self
}

extension ResponseSerializer {
    /// A value of a type that reads itself.
    public static func readable<T: ResponseReadable>(
        _ type: T.Type = T.self
    ) -> Self where Self == CustomSerializer<T>, T: SendableMetatype {
        CustomSerializer("\(T.self)") { response in try T.read(from: response) }
    }
}
