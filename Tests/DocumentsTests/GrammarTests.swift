import Testing

@testable import Documents

/// RFC 8259 as a table: what every reader has to take, and what none may.
@Suite struct GrammarTests {
    private func fault(_ text: [UInt8]) -> DocumentFault? {
        let vector = Document(DocumentBytes(text))
        vector.parseAll(with: VectorScanner.self)
        let portable = Document(DocumentBytes(text))
        portable.parseAll(with: PortableScanner.self)
        #expect(vector.fault == portable.fault)
        #expect(vector.dump == portable.dump)
        return vector.fault
    }

    @Test(
        "a character that breaks off is a fault wherever it stands",
        arguments: [
            [0xC3], [0xE2], [0xE2, 0x82], [0xF0], [0xF0, 0x9F], [0xF0, 0x9F, 0x92], [0x80], [0xFF],
        ] as [[UInt8]]
    )
    func brokenOff(bytes: [UInt8]) {
        // Blocks of 32 bytes are looked at, from the second of two characters on.
        for count in 0..<100 {
            let padding = String(repeating: "a", count: count)
            for rest in ["a", "é", "\"", "\\n"] {
                let text = Array("\"éé\(padding)".utf8) + bytes + Array("\(rest)bc\"".utf8)
                let expected = DocumentFault(.badUTF8, at: 5 + count)
                #expect(fault(text) == expected, "\(count) bytes before it, \(rest) behind it")
            }
        }
    }

    @Test(
        "numbers of the grammar are taken",
        arguments: [
            "0", "-0", "1", "-1", "10", "123456789", "-10", "0.0", "-0.0", "0.1", "1.5", "-1.5",
            "10.01",
            "1e1", "1E1", "1e+1", "1E+1", "1e-1", "1E-1", "0e1", "0E1", "0e+1", "0e-1", "0.5e10",
            "-0e0",
            "1.0e01", "1e00", "1e0000001", "123.456e78", "-123.456E-78", "1e400", "-1e400",
            "1e-400",
            "0.4e00669999999999999999999999999999999999999999999999999999999999999999999999999999999",
            "100000000000000000000", "-9223372036854775808", "9223372036854775808",
            "18446744073709551616",
            "0.00000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
            "-1.7976931348623157e+309",
            "123456789012345678901234567890.123456789012345678901234567890",
            "1e99999999999999999999", "20e1", "1.23E4", "0.123456789e-12", "1234567890123456",
            "12345678901234567", "1.12345678", "1.1234567890123456",
        ]
    )
    func takesNumbers(number: String) {
        for text in [
            number, "[\(number)]", " \(number) ", "{\"a\":\(number)}", "[\(number) ,\(number)]",
        ] {
            #expect(fault(Array(text.utf8)) == nil)
        }
        let document = Document.make("[0,\(number),0]")
        #expect(document.sourceText(of: NodeIndex(2)) == number)
        let isWhole = !number.contains { ".eE".contains($0) }
        #expect(document.kind(of: NodeIndex(2)) == (isWhole ? .integer : .decimal))
    }

    @Test(
        "what only looks like a number is not taken",
        arguments: [
            "-", "+", "+1", "++1", "--1", "-+1", "01", "-01", "00", "-00", "012", "-012", "1.",
            "-1.", "0.",
            ".1", "-.1", ".", ".e1", "1.e1", "1e", "1E", "1e+", "1e-", "1E+", "0e", "0e+", "0E-",
            "1e1.5",
            "1.2.3", "1..2", "1e1e1", "1ee1", "1eE1", "1e+-1", "0x1", "0x1F", "0X", "1a", "1A",
            "-a", "1 000",
            "1,000.0", "1_000", "1d", "1f", "1L", "NaN", "-NaN", "Infinity", "-Infinity",
            "+Infinity", "Inf",
            "inf", "nan", "1/2", "1+2", "1-2", "- 1", "1 .5", "1. 5", "1e 5", "0.1.", "1.0e",
            "1.0e+", "2.e3",
            "2.e-3", "2.e+3", "9.e+", "-2.", "0.3e", "0.3e+", "0.e1", "1.8011670033376514H-308",
            "-1x",
            "-foo", "-Inf", "１", "1\u{0}", "123\u{0}", "٣", "1e٣", "1\u{E9}",
        ]
    )
    func refusesNumbers(number: String) {
        for text in [number, "[\(number)]", "{\"a\":\(number)}"]
        where !(number == "1,000.0" && text.first == "[") {
            #expect(fault(Array(text.utf8)) != nil, "\(text)")
        }
    }

    @Test(
        "strings of the grammar are taken",
        arguments: [
            "", " ", "a", "abc", #"\""#, #"\\"#, #"\/"#, #"\b"#, #"\f"#, #"\n"#, #"\r"#, #"\t"#,
            "/",
            #"\u0000"#, #"\u0001"#, #"\u001f"#, #"\u0020"#, #"\u0022"#, #"\u005C"#,
            #"\u005c\u0022"#,
            #"\u00e9"#, #"\u00E9"#, #"\uABCD"#, #"\uabcd"#, #"\uFFFF"#, #"\uFFFE"#, #"\uFDD0"#,
            #"\uD83D\uDE00"#, #"\ud83d\ude00"#, #"\uDBFF\uDFFF"#, #"\uD800\uDC00"#, #"\\u0061"#,
            #"\\\\"#,
            #"\"\"\""#, "\u{7F}", "\u{80}", "\u{A0}", "\u{2028}", "\u{2029}", "\u{FEFF}", "é",
            "日本語", "😀",
            "\u{10FFFF}", "\u{FFFF}", "\u{FFFE}", "e\u{301}", "\u{202E}abc", #"\u200B"#, "{}[],:",
            "true", "null", "1", "//c", "/*c*/", "'", "`", "a b  c", #"\\n"#, #"\u0012"#,
            #"x\u0012y\tz"#,
            "0123456789abcde", "0123456789abcdef", "0123456789abcdefg",
            "0123456789abcdef0123456789abcde",
            "0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef0",
            "ÀÉÎÕÜ ÀÉÎÕÜ ÀÉÎÕÜ ÀÉÎÕÜ!",
            // Half pairs are legal text: no String can hold them, but the source does.
            #"\uD800"#, #"\uDC00"#, #"\uD800\uD800"#, #"\uDC00\uD800"#, #"\uD800x"#, #"\uD800\n"#,
            #"\uD800\\"#,
            #"\uDFFF\uDFFF"#, #"a\uD83Db"#, #"\uD800\u0041"#,
        ]
    )
    func takesStrings(content: String) {
        let string = "\"\(content)\""
        for text in [string, "[\(string)]", "{\(string):\(string)}", " [ \(string) , \(string) ] "]
        {
            #expect(fault(Array(text.utf8)) == nil)
        }
        let document = Document.make("{\(string):\(string),\"z\":0}")
        #expect(document.sourceText(of: NodeIndex(1)) == string)
        #expect(
            document.keyRange(of: NodeIndex(1)).map { document.bytes.string(in: $0) } == content
        )
        #expect(document.string(of: NodeIndex(1)) != nil)
    }

    @Test(
        "strings with a fault in them are not taken",
        arguments: [
            #"\"#, #"\x"#, #"\x00"#, #"\a"#, #"\'"#, #"\0"#, #"\v"#, #"\e"#, #"\1"#, #"\U0041"#,
            #"\u"#, #"\u0"#,
            #"\u00"#, #"\u004"#, #"\u00G0"#, #"\uG000"#, #"\u 041"#, #"\u+041"#, #"\u-041"#,
            #"\u00A"#,
            #"\uD83D\u"#, #"\uD83D\uDE0"#, #"\uD800\uD"#, #"\uD800\x"#, #"\uqqqq"#, #"\ "#, "\\\n",
            "\\\u{0}",
            #"\é"#, #"\😀"#, #"\{"#, #"\,"#, #"\}"#, #"\u{41}"#, #"\u0x41"#, "a\u{0}b", "a\nb",
            "a\rb", "a\tb",
            "\u{1}", "\u{8}", "\u{B}", "\u{C}", "\u{1B}", "\u{1E}", "\u{1F}",
            "0123456789abcdef\u{1F}",
        ]
    )
    func refusesStrings(content: String) {
        let string = "\"\(content)\""
        for text in [string, "[\(string)]", "{\(string):0}", "{\"a\":\(string)}"] {
            #expect(fault(Array(text.utf8)) != nil, "\(text)")
        }
    }

    @Test(
        "bytes that are not UTF-8 are not taken, at any place in a string",
        arguments: [
            [0x80], [0xBF], [0xC0], [0xC1], [0xC2], [0xC0, 0xAF], [0xC1, 0xBF], [0xC3, 0x28],
            [0xC3, 0xC3],
            [0xE0], [0xE0, 0x80], [0xE0, 0x80, 0xAF], [0xE0, 0x9F, 0xBF], [0xE1, 0x80],
            [0xE2, 0x82, 0x28],
            [0xED, 0xA0, 0x80], [0xED, 0xAD, 0xBF], [0xED, 0xBF, 0xBF],
            [0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80],
            [0xEF, 0xBF], [0xF0], [0xF0, 0x80, 0x80, 0xAF], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF0, 0x9F, 0x98],
            [0xF1, 0x80, 0x80, 0x28], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80], [0xFE], [0xFF],
            [0xC3, 0xA9, 0x80], [0xF7, 0xBF, 0xBF, 0xBF], [0xE4, 0xBD], [0xDF],
            [0xFC, 0x80, 0x80, 0x80],
        ] as [[UInt8]]
    )
    func refusesBadUTF8(bad: [UInt8]) {
        let before = ["", "a", "é", "日本語", "日本語日本語日本語日本語日本語", "éééééééééééééééé 0123456789"]
        for prefix in before {
            for suffix in ["", "a", "é", "日本語日本語日本語日本語日本語"] {
                let head = Array("[\"\(prefix)".utf8)
                let fault = fault(head + bad + Array("\(suffix)\"]".utf8))
                #expect(fault?.kind == .badUTF8)
                #expect((head.count..<head.count + bad.count).contains(fault?.offset ?? -1))
            }
        }
        #expect(fault(bad) != nil)
        #expect(fault([0x5B] + bad + [0x5D]) != nil)
        #expect(fault(Array("[1".utf8) + bad + [0x5D]) != nil)
    }

    @Test(
        "structures of the grammar are taken",
        arguments: [
            "[]", "{}", "[ ]", "{ }", "[\n]", "{\t}", "[[]]", "[{}]", "{\"a\":[]}", "{\"a\":{}}",
            "[[],[]]",
            "[null]", "[true]", "[false]", "null", "true", "false", " null ", "\n\r\t null",
            "[1,null,true]",
            "{\"a\":1}", "{\"a\":1,\"b\":2}", "{\"a\":1,\"a\":1}", "{\"a\":1,\"a\":2}", "{\"\":0}",
            "{\"\":\"\"}",
            "{\"a\" : 1 , \"b\" : 2}", "[1 , 2]", "[ 1,2 ]", "\r\n[\r\n1\r\n]\r\n",
            "{\"a\":{\"a\":{\"a\":0}}}",
            "[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]", "[1,[2,[3,{\"a\":[4]}]]]",
            "[\"a\",1,true,null,{},[]]",
            "\u{FEFF}[]", "\u{FEFF} 1", "[\n                                        1]",
            "{\"a\\u0000b\":1}",
        ]
    )
    func takesStructures(text: String) { #expect(fault(Array(text.utf8)) == nil) }

    @Test(
        "structures with a fault in them are not taken",
        arguments: [
            "", " ", "\n", "[", "]", "{", "}", "[[", "]]", "{{", "}}", "[}", "{]", "[{", "[{]",
            "{[", "{[}", "{[]",
            "[1", "[1,", "[,", "[,]", "[1,]", "[,1]", "[1,,2]", "[1,,]", "[,,]", "[1 2]", "[1;2]",
            "[1:2]",
            "[\"a\" \"b\"]", "[\"a\":1]", "[1]]", "[1]}", "[1],", "[1],[2]", "[1] [2]", "[1]2",
            "[][]", "{}{}",
            "{,}", "{\"a\"}", "{\"a\":}", "{\"a\",}", "{\"a\":1,}", "{\"a\":1,,\"b\":2}",
            "{,\"a\":1}", "{:1}",
            "{\"a\"::1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{\"a\":1;\"b\":2}", "{\"a\"=1}",
            "{\"a\":1", "{\"a\":1,",
            "{\"a\":", "{\"a\"", "{\"a", "{\"", "{a:1}", "{'a':1}", "{1:1}", "{null:1}", "{true:1}",
            "{[]:1}",
            "{{}:1}", "{\"a\":1]", "[\"a\"}", "{\"a\":1}}", "{\"a\":1}]", "{\"a\":1}#",
            "{\"a\":1}//", "{\"a\":1}/**/",
            "{\"a\":1 2}", "{\"a\":a}", "{\"a\":'b'}", "['a']", "[a]", "[`a`]", "[“a”]", "nul",
            "nulll", "nullx",
            "Null", "NULL", "tru", "truee", "True", "TRUE", "fals", "falsee", "False", "FALSE",
            "none", "None",
            "nil", "undefined", "[nul]", "[tru]", "[fals]", "[nullnull]", "[truefalse]",
            "true false", "null,",
            ",", ":", ";", "#", "/", "//", "/**/", "/**/1", "1//", "[1/**/]", "[1#c\n]", "[/**/1]",
            "<a/>", "()",
            "(1)", "\\", "\\u0020", "\\n[]", "\u{0}", "[\u{0}]", "[1\u{0}]", "\u{0}[]", "[]\u{0}",
            "\u{B}[]",
            "\u{C}[]", "[\u{A0}]", "\u{2028}[]", "\u{2060}[]", "[\u{3000}1]", "[\u{FEFF}]",
            "[]\u{FEFF}",
            "\u{FEFF}", "\u{FEFF}\u{FEFF}[]", "\"", "\"a", "\"\\\"", "a\"", "\"\"\"", "[\"]",
            "[\"a]", "[\"a\",",
            "\"a\"b", "\"a\" \"b\"", "\"a\",", "*", "[*]", "[@]", "&", "é", "[é]", "😀",
            "[1,\u{1E}2]", "\u{1E}1",
            "{\"a\":\"b\"}\"", "{\"a\":\"b\"},", "{\"a\":{}", "[{}", "[[1]", "[{\"a\":1}",
            "{\"a\":[1}",
            "[-]", "[1,\n1\n,1", "{\"x\": true,", "[\u{1B}[31m]", "[0,1]\n]", "{\"a\":b", "a",
            "[true", "{\"a\" \"b\"}",
        ]
    )
    func refusesStructures(text: String) { #expect(fault(Array(text.utf8)) != nil, "\(text)") }

    @Test(
        "other encodings and cut marks are not taken",
        arguments: [
            [0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00], [0xFE, 0xFF, 0x00, 0x5B, 0x00, 0x5D],
            [0x5B, 0x00, 0x5D, 0x00],
            [0x00, 0x5B, 0x00, 0x5D], [0xEF], [0xEF, 0xBB], [0xEF, 0xBB, 0x5B, 0x5D],
            [0xBB, 0xBF, 0x5B, 0x5D],
            [0xEF, 0xBB, 0xBF], [0x5B, 0xFF, 0x5D], [0x5B, 0xE5, 0x5D],
            [0x7B, 0x22, 0xB9, 0x22, 0x3A, 0x31, 0x7D],
        ] as [[UInt8]]
    )
    func refusesEncodings(bytes: [UInt8]) { #expect(fault(bytes) != nil) }
}
