/// A request's body as options of `curl`.
struct CurlBody {
    /// The options.
    let options: [String]
    /// A command that writes the body, for what no word can hold.
    let producer: String?
    /// Whether there is a body.
    var isPresent: Bool { !options.isEmpty }

    init(_ request: PreparedRequest, _ mask: CredentialMask) {
        switch request.body {
        case .none: (options, producer) = ([], nil)
        case .bytes(let bytes):
            if let text = Self.text(bytes) {
                // Raw, for a text that begins with @ is no file name.
                (options, producer) = (["--data-raw \(CurlCommand.quoted(text))"], nil)
            } else {
                (options, producer) = (["--data-binary @-"], Self.printing(bytes))
            }
        case .file(let path):
            (options, producer) = (
                ["--data-binary \(CurlCommand.quoted("@\(mask.masking(text: path))"))"], nil
            )
        case .multipart(let form):
            let commands = form.pieces().map { Self.printing($0, mask) }
            (options, producer) = (["--data-binary @-"], "{ \(commands.joined(separator: "; ")); }")
        }
    }

    private static func printing(_ piece: BodyPiece, _ mask: CredentialMask) -> String {
        switch piece {
        case .bytes(let bytes): printing(mask.masking(bytes))
        case .file(let path): "cat \(CurlCommand.quoted(mask.masking(text: path)))"
        case .stream(let stream): printing(Array("[a stream of \(stream.count) bytes]".utf8))
        }
    }

    private static func printing(_ bytes: [UInt8]) -> String {
        if let text = text(bytes) { return "printf '%s' \(CurlCommand.quoted(text))" }
        let octal = bytes.map { byte in
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }
        return "printf '\(octal.joined())'"
    }

    /// The bytes as a word of a shell; nil if they cannot be one.
    private static func text(_ bytes: [UInt8]) -> String? {
        bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }
}
