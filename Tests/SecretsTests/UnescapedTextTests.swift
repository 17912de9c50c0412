import TestSupport
import Testing

@testable import Secrets

@Suite("A text with its escapes read")
struct UnescapedTextTests {
    private typealias Reading = @Sendable (UnescapedText) -> UnescapedText

    private static let readings: [Reading] = [
        { $0.percentDecoded() }, { $0.percentDecoded().percentDecoded() }, { $0.jsonDecoded() },
        { $0.normalized() },
    ]

    @Test("each byte comes from the bytes of the text that stand for it, in their order")
    func sources() {
        var random = SeededGenerator(seed: 7)
        let pieces = [
            "a", "b", "%", "%41", "%2541", "\\", "\\\\", "\\n", "\\u00e9", "\\ud83d\\ude00",
            "\\u0025",
            "+", "u", "41",
        ]
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...12, using: &random)
            let words = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }
            let text = Array(words.joined().utf8)
            for read in Self.readings {
                let decoded = read(UnescapedText(text))
                var last = 0..<0
                for (index, byte) in decoded.bytes.enumerated() {
                    let source = decoded.source(of: index..<index + 1)
                    #expect(source == last || source.lowerBound >= last.upperBound)
                    #expect(read(UnescapedText(text[source])).bytes.contains(byte))
                    last = source
                }
                guard !decoded.bytes.isEmpty else { continue }
                let whole = decoded.source(of: decoded.bytes.indices)
                #expect(whole.upperBound == last.upperBound)
            }
        }
    }

    @Test(
        "a text that is made of escapes takes a run for some of its bytes at most",
        arguments: [
            ("%41", 1), ("\\u0041", 1), ("\\u00e9", 10_000), ("%2541", 20_000), ("%41a", 20_000),
        ]
    )
    func escapes(escape: String, most: Int) {
        // A server chooses the text.
        let text = Array(String(repeating: escape, count: 10_000).utf8)
        for read in Self.readings { #expect(read(UnescapedText(text)).runCount <= most) }
    }

    @Test("where few escapes are, hardly more than the bytes is held")
    func size() {
        // It took 17 bytes for each of the text in every reading: 800 MB for a response of 14 MB.
        let text = Array(String(repeating: "text ", count: 20_000).utf8) + Array("%41\\u0042+".utf8)
        for read in Self.readings {
            #expect(read(UnescapedText(text)).runCount <= 5)
        }
    }
}
