/// A request's body as options of `curl`.
struct CurlBody {
    /// The options.
    let options: [String]
    /// A command that writes the body, for bytes that no word can hold.
    let producer: String?
    /// Whether there is a body.
    var isPresent: Bool { !options.isEmpty }

    init(_ request: PreparedRequest) {
        switch request.body {
        case .none: (options, producer) = ([], nil)
        case .multipart: (options, producer) = ([], nil)
        case .bytes(let bytes): (options, producer) = Self.parts(bytes)
        case .file(let path):
            (options, producer) = (["--data-binary \(CurlCommand.quoted("@\(path)"))"], nil)
        }
    }

    private static func parts(_ bytes: [UInt8]) -> ([String], String?) {
        if !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) {
            // Raw, for a text that begins with @ is no file name.
            return (["--data-raw \(CurlCommand.quoted(text))"], nil)
        }
        let octal = bytes.map { byte in
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }
        return (["--data-binary @-"], "printf '\(octal.joined())'")
    }
}
