/// Detects what a body is from its Content-Type and its first 64 KiB.
struct BodyDetection {
    let form: BodyForm
    /// The format that a tree is made from; nil if there is no tree.
    let format: DocumentFormat?
    /// The tree of a JSON body in UTF-8; nil for any other body.
    let document: Document?
    /// Makes the tree or the lines of any other body; nil if they need no conversion.
    let source: ConvertedBody?
    let mismatch: TypeMismatch?

    init(_ bytes: DocumentBytes, contentType: String?, treeLimit: TreeMemoryLimit = .standard) {
        let type = MediaType(contentType)
        let named = type.flatMap { DocumentFormat($0) }
        let charset = Self.charset(of: type, in: bytes)
        let encoding = DecodedText.encoding(of: bytes, format: named, charset: charset)
        let first = encoding.map { DecodedText.start(of: bytes, charset: $0) } ?? bytes
        let sniffer = BodySniffer(bytes: first)
        let json = Self.json(
            of: first,
            whole: encoding == nil ? bytes : nil,
            sniffer,
            named,
            treeLimit
        )
        let guess = json ?? Self.other(than: type, named, sniffer)
        form = guess.form
        format = guess.format
        document = guess.document
        mismatch = Self.mismatch(type, named, guess, sniffer)
        let isForeign = guess.document == nil && guess.format != nil
        source =
            isForeign || encoding != nil
            ? ConvertedBody(
                bytes,
                format: guess.format,
                charset: charset,
                isEncoded: encoding != nil
            ) : nil
    }

    private struct Guess {
        var form: BodyForm
        var format: DocumentFormat?
        var document: Document?
    }

    // MARK: - Encodings

    /// The charset of the type; nil if it does not apply.
    ///
    /// For JSON it means nothing (RFC 8259, section 11), but helps if the bytes are not UTF-8.
    private static func charset(of type: MediaType?, in bytes: DocumentBytes) -> String? {
        guard let type, let charset = type.parameter("charset") else { return nil }
        return type.isJSON && BodySniffer(bytes: bytes).isText ? nil : charset
    }

    // MARK: - Formats

    /// A tree if the type says JSON, or if the bytes look like JSON so far; nil otherwise.
    ///
    /// `whole` is nil if the bytes must be converted first.
    private static func json(
        of first: DocumentBytes,
        whole: DocumentBytes?,
        _ sniffer: BodySniffer,
        _ named: DocumentFormat?,
        _ limit: TreeMemoryLimit
    ) -> Guess? {
        if named == .jsonLines || sniffer.beginsWithSeparator {
            return lines(of: first, whole: whole, limit)
        }
        guard named == .json || sniffer.beginsLikeJSON else { return nil }
        let document = Document.begin(whole ?? first, memory: limit)
        guard document.nodeCount > 0 else { return nil }
        if BodySniffer.isJSONLines(document), let lines = lines(of: first, whole: whole, limit) {
            return lines
        }
        // A text in brackets is not JSON, but a JSON text that was cut off still is.
        let fault = document.fault?.kind
        guard named == .json || fault == nil || fault == .unexpectedEnd else { return nil }
        return Guess(form: .tree, format: .json, document: whole == nil ? nil : document)
    }

    /// A tree of JSON lines; nil if not even one of them is a value.
    private static func lines(
        of first: DocumentBytes,
        whole: DocumentBytes?,
        _ limit: TreeMemoryLimit
    ) -> Guess? {
        let document = Document.begin(whole ?? first, as: .sequence, memory: limit)
        guard document.nodeCount > 1 else { return nil }
        return Guess(form: .tree, format: .jsonLines, document: whole == nil ? nil : document)
    }

    private static func other(
        than type: MediaType?,
        _ named: DocumentFormat?,
        _ sniffer: BodySniffer
    ) -> Guess {
        let found = named ?? (type?.isGeneric ?? true ? sniffer.format : nil)
        if let format = found, sniffer.canBe(format) {
            // Plain text is shown as text; its tree is one key away.
            let isTree = type?.name != "text/plain"
            return Guess(form: isTree ? .tree : .text, format: format)
        }
        if type?.isText ?? false { return Guess(form: .text) }
        guard type == nil || named == .json || type?.isGeneric ?? false else {
            return Guess(form: .hex)
        }
        return Guess(form: sniffer.isText ? .text : .hex)
    }

    // MARK: - Mismatches

    private static func mismatch(
        _ type: MediaType?,
        _ named: DocumentFormat?,
        _ guess: Guess,
        _ sniffer: BodySniffer
    ) -> TypeMismatch? {
        guard let type, !sniffer.isEmpty else { return nil }
        let isBinaryText = type.isText && guess.format == nil && !sniffer.isText
        let words: String? =
            if let format = guess.format, format.isJSON {
                named == format ? nil : format.name
            } else if named == .json || (named != nil && guess.format == nil) {
                name(sniffer)
            } else {
                isBinaryText ? "binary" : nil
            }
        return words.map { TypeMismatch(declared: type.name, looksLike: $0) }
    }

    private static func name(_ sniffer: BodySniffer) -> String {
        if sniffer.beginsLikeMarkup { return "HTML or XML" }
        return sniffer.isText ? "text" : "binary"
    }
}

/// A body that is not what its Content-Type says.
package struct TypeMismatch: Sendable, Equatable, CustomStringConvertible {
    /// The media type as sent, without parameters.
    package let declared: String
    /// What the bytes look like.
    package let looksLike: String

    /// A sentence for people.
    package var description: String {
        "Content-Type says \(declared), but the body looks like \(looksLike)"
    }
}
