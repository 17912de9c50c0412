import Documents
import FoundationEssentials
import TestSupport
import Testing

@testable import Secrets

@Suite("Forms of a secret")
struct SecretFormsTests {
    private static let secret = "p@ss w/o rd\"\\é😀+%1"

    private func masked(_ text: String, _ secrets: Set<String> = [secret]) -> String {
        CredentialMask(secrets: Array(secrets)).masking(text: text)
    }

    @Test(
        "a secret is found in each form that it may stand in",
        arguments: [
            secret,
            PercentEncoding.component(secret),
            PercentEncoding.component(secret).lowercased().replacing("p%40ss", with: "p%40ss"),
            PercentEncoding.form(secret),
            PercentEncoding.component(PercentEncoding.component("p@ss w/o rd")) + "%2522%255C"
                + PercentEncoding.component(PercentEncoding.component("é😀+")) + "%251",
            // As a path keeps what may stand there.
            "p@ss%20w/o%20rd%22%5C%C3%A9%F0%9F%98%80+%251",
            "p%40ss w/o%20rd%22\\é😀+%1",
            #"p@ss w/o rd\"\\é😀+%1"#, #"p@ss w\/o rd\"\\\u00e9\ud83d\ude00+%1"#,
            #"\u0070@ss w/o rd\u0022\u005C\u00E9\uD83D\uDE00\u002b%1"#,
            Data(secret.utf8).base64EncodedString(),
            Data(secret.utf8).base64EncodedString().replacing("+", with: "-")
                .replacing("/", with: "_").replacing("=", with: ""),
            PercentEncoding.component(Data(secret.utf8).base64EncodedString()).replacing(
                "%3D",
                with: ""
            ),
        ]
    )
    func found(form: String) {
        #expect(masked("a \(form) b") == "a •••••• b")
        #expect(masked(form) == "••••••")
    }

    @Test("what only begins as a secret stays, and so does what is behind it")
    func similar() {
        #expect(masked("p%40ss%20w/o x") == "p%40ss%20w/o x")
        #expect(masked("%%25 \\ + \\u00 %4", ["zzzz"]) == "%%25 \\ + \\u00 %4")
        #expect(masked("xx-abcdef-yy", ["abcdef"]) == "xx-••••••-yy")
    }

    @Test("secrets that overlap leave nothing of either")
    func overlapping() {
        #expect(masked("1234567890ab", ["12345", "4567890"]) == "••••••ab")
        #expect(masked("tokentoken-longer", ["token", "token-longer"]) == "••••••••••••")
    }

    @Test("one of fewer than four characters is masked where it is a word of its own")
    func short() {
        #expect(masked("pin=123&n=12345&x=a123", ["123"]) == "pin=••••••&n=12345&x=a123")
        #expect(masked("nothing", [""]) == "nothing")
    }

    @Test("a text is gone through once, whatever it is made of")
    func linear() {
        // Were each place compared with the rest of the text, this would take hours.
        let text = String(repeating: "%25", count: 1 << 16) + String(repeating: "a", count: 1 << 14)
        #expect(masked(text, [String(repeating: "a", count: 32) + "b", "%25%25%25x"]) == text)
    }

    @Test("some characters of a secret may be escaped in one way and some in another")
    func mixed() {
        for form in [
            #"p%40ss%20w\/o%20rd\"\\\u00e9%F0%9F%98%80\u002b%251"#,
            "p%2540ss+w%252Fo%20rd\"%5Cé😀%2B%1", #"p\u002540ss w/o rd%22\é\ud83d\ude00+%1"#,
        ] { #expect(masked("a \(form) b") == "a •••••• b") }
        #expect(masked("1 %0a2%5Cn 3", ["1 \n2\\n"]) == "•••••• 3")
        // What stands before it may look like the beginning of an escape with it.
        #expect(masked("100%abcd1234 %25abcd1234", ["abcd1234"]) == "100%•••••• %25••••••")
    }

    @Test("a secret made of escapes is found in a text made of them, and takes no time")
    func hostile() {
        // Were both ways to read an escape tried at each of them, this would never end, and one call in
        // another for each would need more stack than a thread has.
        for piece in ["\\", "%25", "%", "\\u005c", "+", "%%2525"] {
            let secret = String(repeating: piece, count: 5000) + "X"
            for text in [
                secret, secret.replacing("\\", with: "\\\\"), PercentEncoding.component(secret),
            ] {
                #expect(masked("a \(text)", [secret]).hasSuffix("••••••"))
                #expect(!masked("a \(text)", [secret]).contains("X"))
            }
            let text = String(repeating: piece, count: 5000) + "Y"
            #expect(masked(text, [secret]) == text)
        }
    }

    @Test("a long secret is found in a text that repeats its beginning, in linear time")
    func repeated() {
        // Comparing anew at each place would take 4·10^10 steps.
        let secret = String(repeating: "a", count: 100_000) + "b"
        let text = String(repeating: "a", count: 400_000)
        #expect(masked(text, [secret]) == text)
        #expect(masked("c" + text + "b", [secret]) == "c" + text.dropFirst(100_000) + "••••••")
    }

    @Test("a text is gone through once for all secrets, whatever a server chose them to be")
    func many() {
        // Once for each would be 10^9 steps, here and below.
        let secrets = Set((0..<1000).map { "aaaa-\($0)-b" })
        let text = String(repeating: "a", count: 500_000)
        #expect(masked(text, secrets) == text)
        #expect(masked(text + "-999-b", secrets) == text.dropFirst(4) + "••••••")
        // Each ends at nearly every place.
        let nested = Set((4..<200).map { String(repeating: "a", count: $0) })
        #expect(masked(text, nested) == "••••••")
    }

    @Test("a secret that is added to many is found with them, and costs as much as a few")
    func growing() {
        // Were the forms of all worked out for each that comes, this would take minutes.
        let secrets = (0..<200).map { "\($0)-" + String(repeating: "secret\($0)", count: 20) }
        for count in 1...secrets.count {
            let mask = CredentialMask(secrets: Array(secrets[..<count]))
            #expect(mask.masking(text: "\(secrets[count - 1]), \(secrets[0])") == "••••••, ••••••")
        }
        let all = secrets.joined(separator: " ")
        let hidden = Array(repeating: "••••••", count: secrets.count).joined(separator: " ")
        #expect(masked(all, Set(secrets)) == hidden)
    }

    private struct Names: SecretMasks {
        func name(of secret: String) -> String { "<\(secret)>" }
    }

    @Test("a secret is known by each of its forms, and by those of thousands as soon as of one")
    func names() {
        // Were all secrets asked for each place, and their forms made anew, this would take minutes.
        let secrets = (0..<5000).map { "token-\($0)?+" }
        let mask = CredentialMask(secrets: secrets).naming(Names())
        let text = secrets.map {
            let escaped = $0.replacing("?", with: "%3F").replacing("+", with: "%2b")
            return "\($0) \(escaped) \(Data($0.utf8).base64EncodedString())"
        }
        let shown = secrets.map { "<\($0)> <\($0)> <\($0)>" }.joined(separator: "\n")
        #expect(mask.masking(text: text.joined(separator: "\n")) == shown)
    }

    @Test("all secrets together are found where a search for each finds them")
    func oneByOne() {
        var random = SeededGenerator(seed: 14)
        for _ in 0..<1000 {
            func bytes(_ lengths: ClosedRange<Int>) -> [UInt8] {
                (0..<Int.random(in: lengths, using: &random)).map { _ in
                    Array("aab-=".utf8)[Int.random(in: 0..<5, using: &random)]
                }
            }
            var secrets: [[UInt8]: Bool] = [:]
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let secret = bytes(1...9)
                secrets[secret] = secret.count >= 4 && Bool.random(using: &random)
            }
            let patterns = PatternAutomaton(secrets.map { (bytes: $0.key, isBase64: $0.value) })
            let text = bytes(0...60)
            let isCut = Bool.random(using: &random)
            var found: [Range<Int>] = []
            text.withUnsafeBufferPointer {
                patterns.find(in: $0, of: $0, isCut, { $0 }, &found)
            }
            let expected = secrets.flatMap { Self.places(of: $0.key, $0.value, in: text, isCut) }
            #expect(Self.merged(found) == Self.merged(expected), "\(secrets) in \(text) \(isCut)")
        }
    }

    /// Where a secret is to be masked, found by comparing it at each place.
    private static func places(
        of secret: [UInt8],
        _ isBase64: Bool,
        in text: [UInt8],
        _ isCut: Bool
    ) -> [Range<Int>] {
        func isWord(_ place: Int) -> Bool {
            text.indices.contains(place) && "ab".utf8.contains(text[place])
        }
        var places: [Range<Int>] = []
        for start in text.indices where text[start...].starts(with: secret) {
            var end = start + secret.count
            if secret.count < 4, isWord(start - 1) || isWord(end) { continue }
            while isBase64, end < text.count, text[end] == UInt8(ascii: "=") { end += 1 }
            places.append(start..<end)
        }
        let cut = (4..<max(4, secret.count)).last { text.suffix($0).elementsEqual(secret[..<$0]) }
        if isCut, let cut { places.append(text.count - cut..<text.count) }
        return places
    }

    private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
        var merged: [Range<Int>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = merged.last, range.lowerBound < last.upperBound {
                let end = max(last.upperBound, range.upperBound)
                merged[merged.count - 1] = last.lowerBound..<end
            } else {
                merged.append(range)
            }
        }
        return merged
    }

    @Test("a text that may be cut ends without what begins a secret")
    func cut() {
        let secret = "k%y/wörd-" + String(repeating: "0123456789", count: 300)
        let forms = SecretMatcher.of([secret])
        func shown(_ text: String) -> String {
            var text = text
            let masked = text.withUTF8 { forms.masking($0, isCut: true) { _ in "•" } }
            return masked.map { String(decoding: $0, as: UTF8.self) } ?? text
        }
        #expect(shown("a \(secret.prefix(2000))") == "a •")
        #expect(shown("a \(secret.prefix(2000))...") == "a •")
        #expect(shown("a k%25y%2Fw%C3%B6rd-01") == "a •")
        #expect(shown("a k%25y%2Fw%C3") == "a •")
        #expect(shown("a k%25y%2Fw%") == "a •")
        #expect(shown(#"a k%y\/w\u00"#) == "a •")
        #expect(shown("a k%y/w\u{FFFD}") == "a •")
        #expect(shown("\(secret) k%y") == "• k%y")
        #expect(masked("a \(secret.prefix(2000))", [secret]) == "a \(secret.prefix(2000))")
    }
}
