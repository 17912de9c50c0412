import Testing

@testable import Documents

@Suite struct HexDocumentTests {
    @Test("rows hold sixteen bytes in hexadecimal and ASCII")
    func formatsRows() throws {
        let document = HexDocument(DocumentBytes(Array(0x1B..<0x2D) + [0xFF]))
        #expect(document.rowCount == 2)
        let first = try #require(document.row(at: 0))
        #expect(first.offsetText == "00000000")
        #expect(first.hex == "1b 1c 1d 1e 1f 20 21 22  23 24 25 26 27 28 29 2a")
        #expect(first.ascii == "..... !\"#$%&'()*")
        let second = try #require(document.row(at: 1))
        #expect(second.offsetText == "00000010")
        #expect(second.hex == "2b 2c ff" + String(repeating: " ", count: 40))
        #expect(second.hex.count == first.hex.count)
        #expect(second.ascii == "+,.")
        #expect(document.row(at: 2) == nil)
        #expect(HexRow(offset: 0x1_2345_6789, bytes: []).offsetText == "123456789")
    }
}
