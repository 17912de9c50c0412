/// Reads the data of an envelope by another serializer; a refusal is an error.
public struct EnvelopeSerializer<Base: JSONValueSerializer>: ResponseSerializer {
    /// The envelope.
    public var envelope: ResponseEnvelope
    /// What reads the data.
    public var base: Base

    /// Makes a serializer.
    public init(_ base: Base, in envelope: ResponseEnvelope) {
        self.envelope = envelope
        self.base = base
    }

    /// The value of the data.
    ///
    /// - Throws: `ApusError` with the reason `.envelope` if the server refused, or `.mapping`.
    public func serialize(_ response: Response) throws(ApusError) -> Base.Value {
        let result = try envelope.read(response)
        guard result.isSuccess else {
            throw ApusError(
                response.request.mask.masking(
                    .envelope(code: result.code, message: result.message)
                ),
                request: response.request.line,
                response: response
            )
        }
        return try base.value(from: result.data, of: response)
    }
}

extension JSONValueSerializer {
    /// The same for the data of an envelope; a refusal is an error.
    public func enveloped(in envelope: ResponseEnvelope) -> EnvelopeSerializer<Self> {
        EnvelopeSerializer(self, in: envelope)
    }

    /// The same for the data of an envelope, with what the envelope says; a refusal is a value.
    public func envelopedResult(in envelope: ResponseEnvelope) -> EnvelopedSerializer<Self> {
        EnvelopedSerializer(self, in: envelope)
    }
}
