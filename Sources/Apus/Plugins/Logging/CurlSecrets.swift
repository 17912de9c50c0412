import HTTPTypes
import Secrets

/// The secrets of a request as words of a shell command: a variable of the environment that has the value, else
/// a word that stands for it.
///
/// A variable is put between two marks until the words are quoted.
struct CurlSecrets: SecretMasks {
    /// Stands for a secret that is in no variable.
    static let word = "SECRET"

    /// Random, so that no text that came from elsewhere can choose a variable, or a command.
    private static let open =
        "\u{F0000}\(String(UInt64.random(in: .min ... .max), radix: 36))\u{F0001}"
    private static let close = "\u{F0002}"
    /// A shorter value may be in a variable by chance.
    private static let shortest = 6

    /// The variables by their values.
    private let names: [String: String]
    private let values: [String: String]

    /// Makes names from the variables of the environment.
    init(_ environment: [String: String]) {
        values = environment.filter { Self.isUsable($0.key, $0.value) }
        names = Dictionary(values.map { ($1, $0) }) { min($0, $1) }
    }

    private static func isUsable(_ name: String, _ value: String) -> Bool {
        let isName = name.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte)
                || (0x41...0x5A).contains(byte & 0xDF)
        }
        let isPlain = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
        return isName && isPlain && value.utf8.count >= shortest
            && name.utf8.first.map { !(0x30...0x39).contains($0) } ?? false
    }

    func name(of secret: String) -> String {
        // A known secret where secrets are expected (such as a password) is masked already.
        if secret.hasPrefix(Self.open), secret.hasSuffix(Self.close) { return secret }
        return names[secret].map(Self.marked) ?? Self.word
    }

    private static func marked(_ name: String) -> String { "\(open)\(name)\(close)" }

    /// A text for a URL or a body, in which a value that would have to be escaped is left out.
    func escapable(_ text: String) -> String {
        Self.pieces(of: text).map { piece in
            guard piece.isVariable else { return piece.text }
            let isBare = values[piece.text]?.utf8.allSatisfy(Self.isUnreserved) ?? false
            return isBare ? Self.marked(piece.text) : Self.word
        }.joined()
    }

    /// Letters, digits and `-._~` (RFC 3986, section 2.3), which no format escapes.
    private static func isUnreserved(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
            || "-._~".utf8.contains(byte)
    }

    /// The parts of a text: texts, and names of variables.
    static func pieces(of text: String) -> [(text: String, isVariable: Bool)] {
        var pieces: [(text: String, isVariable: Bool)] = []
        for (index, part) in text.utf8.split(
            separator: open.utf8,
            omittingEmptySubsequences: false
        ).enumerated() {
            guard index > 0, let end = part.firstRange(of: close.utf8) else {
                pieces.append((String(Substring(part)), false))
                continue
            }
            pieces.append((String(Substring(part[..<end.lowerBound])), true))
            pieces.append((String(Substring(part[end.upperBound...])), false))
        }
        return pieces.filter { !$0.text.isEmpty }
    }

    /// The text with words instead of the masks of a recorded request.
    static func wording(_ text: String) -> String {
        let masked = MaskedText(text)
        return masked.filled(with: masked.masks.map { _ in word })
    }
}
