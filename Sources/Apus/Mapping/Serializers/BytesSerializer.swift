/// Reads the body's bytes as they are.
public struct BytesSerializer: ResponseSerializer {
    /// Makes a serializer.
    public init() {}

    /// All bytes.
    ///
    /// - Throws: `ApusError` with the reason `.file` if they are in a file that cannot be read.
    public func serialize(_ response: Response) throws(ApusError) -> [UInt8] {
        do throws(ApusError) {
            return try response.body.load()
        } catch {
            throw ApusError(error.reason, request: response.request.line, response: response)
        }
    }
}

extension ResponseSerializer where Self == BytesSerializer {
    /// The body's bytes.
    public static var bytes: BytesSerializer { BytesSerializer() }
}
