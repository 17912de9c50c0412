import Testing

@testable import Documents

@Suite("letters of names and tokens")
struct ASCIICaseTests {
    @Test("A to Z have a small letter, and nothing else is another text's")
    func lowercase() {
        for value in UInt32(0)...0xFFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(Character(scalar))
            let isLetter = ("A"..."Z").contains(text) && scalar.isASCII
            #expect(text.asciiLowercased == (isLetter ? text.lowercased() : text))
            let isSmall = ("a"..."z").contains(text) && scalar.isASCII
            #expect(text.asciiUppercased == (isSmall ? text.uppercased() : text))
        }
        #expect(
            "Transfer-ENCODING: Chun\u{212A}ed é".asciiLowercased
                == "transfer-encoding: chun\u{212A}ed é"
        )
        #expect("utf-8 \u{17F}\u{131}"[...].asciiUppercased == "UTF-8 \u{17F}\u{131}")
    }

    @Test("a Content-Type with signs that look like letters is not the type that it looks like")
    func contentType() {
        #expect(MediaType("Text/MARKDOWN; Charset=x")?.name == "text/markdown")
        #expect(MediaType("text/mar\u{212A}down")?.name == "text/mar\u{212A}down")
        #expect(MediaType("a/b; to\u{212A}en=1")?.parameter("token") == nil)
    }
}
