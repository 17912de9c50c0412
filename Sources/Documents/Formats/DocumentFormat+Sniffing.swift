extension DocumentFormat {
    /// What a text's first 64 KiB say that it is; nil when they don't say it clearly.
    ///
    /// JSON, JSON lines, XML, HTML, multipart and server-sent events are told by how they begin,
    /// YAML and separated values only when every line looks like them. Looks at what is there of
    /// bytes that stream, and never waits.
    public init?(sniffing bytes: DocumentBytes) {
        let start = DecodedText.start(of: bytes)
        let sniffer = BodySniffer(bytes: start)
        guard let format = sniffer.json ?? sniffer.format ?? sniffer.lineFormat else { return nil }
        self = format
    }

    /// How many values the tree's text is made of.
    var documentForm: DocumentForm { self == .jsonLines ? .sequence : .value }
}
