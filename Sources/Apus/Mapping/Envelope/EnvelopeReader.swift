/// Reads what an envelope says.
struct EnvelopeReader: ResponseSerializer {
    let envelope: ResponseEnvelope

    func serialize(_ response: Response) throws(ApusError) -> EnvelopeResult {
        try envelope.read(response)
    }
}
