/// Reads nothing: for answers of which only the arrival counts.
public struct NothingSerializer: ResponseSerializer {
    /// Makes a serializer.
    public init() {}

    /// Nothing, whatever the answer.
    public func serialize(_ response: Response) throws(ApusError) {}
}

extension ResponseSerializer where Self == NothingSerializer {
    /// Nothing.
    public static var nothing: NothingSerializer { NothingSerializer() }
}
