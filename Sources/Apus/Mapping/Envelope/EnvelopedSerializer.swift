/// Reads the data of an envelope by another serializer, with what the envelope says; a refusal is a
/// value.
public struct EnvelopedSerializer<Base: JSONValueSerializer>: ResponseSerializer {
    /// The envelope.
    public var envelope: ResponseEnvelope
    /// What reads the data.
    public var base: Base

    /// Makes a serializer.
    public init(_ base: Base, in envelope: ResponseEnvelope) {
        self.envelope = envelope
        self.base = base
    }

    /// What the envelope says, and the value of the data if it means success.
    ///
    /// - Throws: `ApusError` with the reason `.mapping`.
    public func serialize(_ response: Response) throws(ApusError) -> Enveloped<Base.Value> {
        let result = try envelope.read(response)
        guard result.isSuccess else { return Enveloped(result: result, value: nil) }
        return Enveloped(result: result, value: try base.value(from: result.data, of: response))
    }
}
