import TestSupport
import Testing

@testable import Documents

@Suite("UTF-8 in pieces")
struct UTF8CheckTests {
    private func isValid(_ pieces: [ArraySlice<UInt8>]) -> Bool {
        var check = UTF8Check()
        for piece in pieces { _ = piece.withUnsafeBytes { check.check($0) } }
        return check.isValid
    }

    private static let samples: [[UInt8]] = [
        [], Array("plain".utf8), Array("é€😀\u{2028}\u{10FFFF}\u{0}".utf8),
        Array("a😀".utf8.dropLast()),
        Array("€".utf8.dropLast()), [0x80], [0x61, 0xBF, 0x61], [0xC0, 0x80], [0xC1, 0xBF],
        [0xE0, 0x80, 0x80], [0xE0, 0xA0, 0x80], [0xED, 0xA0, 0x80], [0xED, 0x9F, 0xBF],
        [0xEF, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x90, 0x80, 0x80],
        [0xF4, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
        [0xE2, 0x82, 0x61], [0xE2, 0xE2, 0x82, 0xAC], [0xF0, 0x9F, 0x98, 0x80, 0x80],
        [0xC3, 0xA9, 0xA9], [0xC3, 0xC3, 0xA9],
    ]

    @Test("is what it is as a whole, wherever it is cut", arguments: samples)
    func cuts(_ bytes: [UInt8]) {
        let isText = String(validating: bytes, as: UTF8.self) != nil
        for first in 0...bytes.count {
            for second in first...bytes.count {
                let pieces = [bytes[..<first], bytes[first..<second], bytes[second...]]
                #expect(isValid(pieces) == isText, "\(bytes) cut at \(first) and \(second)")
            }
        }
    }

    @Test("is what it is as a whole, whatever it is", arguments: 0..<50 as Range<UInt64>)
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        // Mostly the bytes on which something depends.
        let bytes: [UInt8] = [
            0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xDF, 0xE0, 0xE2, 0xED, 0xEF, 0xF0,
            0xF4,
        ]
        for _ in 0..<200 {
            let count = Int.random(in: 0...7, using: &generator)
            let text = (0..<count).compactMap { _ in bytes.randomElement(using: &generator) }
            let isText = String(validating: text, as: UTF8.self) != nil
            #expect(isValid(text.indices.map { text[$0...$0] }) == isText, "\(text)")
        }
    }
}
