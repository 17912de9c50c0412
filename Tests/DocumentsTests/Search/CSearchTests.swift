import CScan
import TestSupport
import Testing

@testable import Documents

@Suite struct CSearchTests {
    private static func bytes(_ alphabet: [UInt8], seed: UInt64) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        return (0..<512).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
    }

    private static let alphabets: [[UInt8]] = [
        Array("\"\\ab".utf8), Array("\"\\\n:aA".utf8), Array(0...255), [0x5C], [0x22],
        [0, 0x80, 0xFF],
    ]

    @Test("vector and portable masks are the same", arguments: alphabets.indices)
    func masksAgree(index: Int) {
        let text = Self.bytes(Self.alphabets[index], seed: UInt64(index))
        for count in 0...4 {
            var anchor = csearch_anchor()
            anchor.pair_count = UInt32(count)
            anchor.first_offset = 1
            anchor.second_offset = 5
            let pair = csearch_pair(first_or: 0x20, first: 0x61, second_or: 0, second: 0x22)
            let any = csearch_pair(first_or: 0, first: 0x5C, second_or: 0xFF, second: 0xFF)
            anchor.pairs = (pair, any, pair, any)
            for at in 0..<400 {
                text.withUnsafeBufferPointer { text in
                    guard let base = text.baseAddress else { return }
                    let vector = csearch_masks_vector(base + at, &anchor, true)
                    let portable = csearch_masks_portable(base + at, &anchor, true)
                    #expect(vector.starts == portable.starts)
                    #expect(vector.slashes == portable.slashes)
                    for bit in 0..<64 {
                        let isSlash = text[at + bit] == 0x5C
                        #expect(portable.slashes >> UInt64(bit) & 1 == (isSlash ? 1 : 0))
                        let isLetter =
                            text[at + bit + 1] | 0x20 == 0x61 && text[at + bit + 5] == 0x22
                        let isAny = text[at + bit + 1] == 0x5C
                        let isStart = count > 0 && isLetter || count > 1 && isAny
                        #expect(portable.starts >> UInt64(bit) & 1 == (isStart ? 1 : 0))
                    }
                }
            }
        }
    }

    @Test("strings are told from the rest as byte for byte", arguments: alphabets.indices)
    func stringsAgree(index: Int) {
        let text = Self.bytes(Self.alphabets[index], seed: UInt64(index) + 100)
        var vector = csearch_lexer()
        var portable = csearch_lexer()
        var bytewise = csearch_lexer()
        text.withUnsafeBufferPointer { text in
            guard let base = text.baseAddress else { return }
            for at in stride(from: 0, to: text.count, by: 64) {
                let mask = csearch_strings(base + at, &vector)
                #expect(mask == csearch_strings_portable(base + at, &portable))
                #expect(mask == csearch_broken_strings(base + at, &bytewise))
                #expect(vector.in_string == portable.in_string)
                #expect(vector.escaped == portable.escaped)
            }
        }
    }

    @Test("the next block is the first with a bit", arguments: [1, 2])
    func nextBlock(pairs: Int) {
        var text = [UInt8](repeating: 0x2E, count: 1024)
        text[700] = 0x78
        text[703] = 0x79
        var anchor = csearch_anchor()
        anchor.pair_count = UInt32(pairs)
        anchor.second_offset = 3
        let pair = csearch_pair(first_or: 0, first: 0x78, second_or: 0, second: 0x79)
        anchor.pairs = (pair, pair, pair, pair)
        var masks = csearch_masks()
        #expect(csearch_next(text, 0, 896, &anchor, false, &masks) == 640)
        #expect(masks.starts == 1 << 60)
        #expect(csearch_next(text, 0, 640, &anchor, false, &masks) >= 640)
        text[100] = 0x5C
        #expect(csearch_next(text, 0, 896, &anchor, true, &masks) == 64)
        #expect(masks.slashes == 1 << 36)
        #expect(masks.starts == 0)
    }
}
