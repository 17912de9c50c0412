/// What a body is, from its Content-Type and its first 64 KiB.
struct BodyGuess {
    let form: BodyForm
    let document: Document?
    let mismatch: TypeMismatch?

    init(_ bytes: DocumentBytes, contentType: String?) {
        let type = MediaType(contentType)
        let sniffer = BodySniffer(bytes: bytes)
        let saysJSON = type?.isJSON ?? false
        let document = Self.tree(of: bytes, sniffer: sniffer, saysJSON: saysJSON)
        self.document = document
        let hasTree = (document?.nodeCount ?? 0) > 0
        if hasTree {
            form = .tree
            mismatch = saysJSON ? nil : Self.mismatch(type, "JSON")
        } else if type?.isText ?? false {
            form = .text
            mismatch = sniffer.isText ? nil : Self.mismatch(type, "binary")
        } else if type == nil || saysJSON || type?.isUnspecific ?? false {
            form = sniffer.isText ? .text : .hex
            let isEmpty = bytes.count == 0
            mismatch = saysJSON && !isEmpty ? Self.mismatch(type, Self.name(sniffer)) : nil
        } else {
            form = .hex
            mismatch = nil
        }
    }

    /// A tree when the type says so, or when the bytes are JSON as far as the first look goes.
    private static func tree(
        of bytes: DocumentBytes,
        sniffer: BodySniffer,
        saysJSON: Bool
    ) -> Document? {
        if saysJSON { return Document.begin(bytes) }
        guard sniffer.beginsLikeJSON else { return nil }
        let document = Document.begin(bytes)
        // A text in brackets is not JSON; a JSON text that was cut off still is.
        let fault = document.fault?.kind
        return fault == nil || fault == .unexpectedEnd ? document : nil
    }

    private static func name(_ sniffer: BodySniffer) -> String {
        if sniffer.beginsLikeMarkup { return "HTML or XML" }
        return sniffer.isText ? "text" : "binary"
    }

    private static func mismatch(_ type: MediaType?, _ found: String) -> TypeMismatch? {
        type.map { TypeMismatch(declared: $0.name, looksLike: found) }
    }
}
