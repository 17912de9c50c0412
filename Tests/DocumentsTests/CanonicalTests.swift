import TestSupport
import Testing

@testable import Documents

@Suite("Canonical text")
struct CanonicalTests {
    private func text(_ json: String, _ rules: CanonicalRules = .strict) throws -> String {
        let bytes = try DocumentWriter(.canonical(rules)).bytes(in: .make(json))
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("the example of RFC 8785, section 3.2.2")
    func writesTheExample() throws {
        let json = #"""
            {
              "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
              "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
              "literals": [null, true, false]
            }
            """#
        let expected =
            #"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"#
            + #""string":"€$\u000f\nA'B\"\\\\\"/"}"#
        #expect(try text(json) == expected)
    }

    @Test("members are sorted by UTF-16 code units (RFC 8785, section 3.2.3)")
    func sortsMembers() throws {
        let json = #"""
            {
              "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh",
              "1": "One", "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control",
              "\u00f6": "Latin Small Letter O With Diaeresis"
            }
            """#
        let document = Document.make(try text(json))
        let values = document.children(of: .root).map { document.string(of: $0) }
        #expect(
            values == [
                "Carriage Return", "One", "Control", "Latin Small Letter O With Diaeresis",
                "Euro Sign", "Emoji: Grinning Face", "Hebrew Letter Dalet With Dagesh",
            ]
        )
    }

    @Test(
        "doubles are written as in RFC 8785, appendix B",
        arguments: [
            (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"), (0x8000_0000_0000_0001, "-5e-324"),
            (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"),
            (0xFFEF_FFFF_FFFF_FFFF, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xC340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44B5_2D02_C7E1_4AF5, "9.999999999999997e+22"),
            (0x44B5_2D02_C7E1_4AF6, "1e+23"), (0x44B5_2D02_C7E1_4AF7, "1.0000000000000001e+23"),
            (0x444B_1AE4_D6E2_EF4E, "999999999999999700000"),
            (0x444B_1AE4_D6E2_EF4F, "999999999999999900000"),
            (0x444B_1AE4_D6E2_EF50, "1e+21"), (0x3EB0_C6F7_A0B5_ED8C, "9.999999999999997e-7"),
            (0x3EB0_C6F7_A0B5_ED8D, "0.000001"), (0x41B3_DE43_5555_5553, "333333333.3333332"),
            (0x41B3_DE43_5555_5554, "333333333.33333325"),
            (0x41B3_DE43_5555_5555, "333333333.3333333"),
            (0x41B3_DE43_5555_5556, "333333333.3333334"),
            (0x41B3_DE43_5555_5557, "333333333.33333343"),
            (0xBECB_F647_612F_3696, "-0.0000033333333333333333"),
            (0x4314_3FF3_C1CB_0959, "1424953923781206.2"),
        ] as [(UInt64, String)]
    )
    func writesDoubles(bits: UInt64, expected: String) throws {
        let double = Double(bitPattern: bits)
        #expect(try text(double.description) == expected)
        // What is canonical stays as it is.
        #expect(try text(expected) == expected)
    }

    @Test(
        "a canonical number means the same double and is the shortest that does",
        arguments: 0..<50 as Range<UInt64>
    )
    func roundsTrip(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            let double = Double(bitPattern: generator.next())
            guard double.isFinite else { continue }
            let written = try text(double.description)
            #expect(Double(written) == double)
            #expect(try text("[\(written)]") == "[\(written)]")
        }
    }

    @Test(
        "spellings of one number have one text",
        arguments: [
            ("-0", "0"), ("-0.0e5", "0"), ("0.00", "0"), ("1.0", "1"), ("10e-1", "1"),
            ("1E2", "100"),
            ("100000000000000000000", "100000000000000000000"), ("1e21", "1e+21"), ("1e-7", "1e-7"),
            ("0.000001", "0.000001"), ("12.5e-1", "1.25"), ("-1.50", "-1.5"),
            ("123e18", "123000000000000000000"),
            ("0e99999999999999999999", "0"),
        ]
    )
    func writesNumbers(written: String, expected: String) throws {
        #expect(try text(written) == expected)
        #expect(try text(written, .lossless) == expected)
    }

    @Test("strict numbers are doubles, lossless numbers keep their digits")
    func keepsDigits() throws {
        #expect(try text("12345678901234567891") == "12345678901234567000")
        #expect(try text("12345678901234567891", .lossless) == "12345678901234567891")
        #expect(try text("0.1000000000000000055", .lossless) == "0.1000000000000000055")
        #expect(try text("0.1000000000000000055") == "0.1")
        #expect(try text("1e-400") == "0")
        #expect(try text("1e-99999999999999999999") == "0")
        #expect(try text("1e-400", .lossless) == "1e-400")
        #expect(try text("1e400", .lossless) == "1e+400")
        #expect(try text("1e99999999999999999999", .lossless) == "1e99999999999999999999")
    }

    @Test(
        "what RFC 8785 cannot express is refused with its place",
        arguments: [
            ("[1,1e400]", DocumentWritingError(.numberTooLarge, node: NodeIndex(2), at: 3)),
            (
                "[-1e99999999999999999999]",
                DocumentWritingError(.numberTooLarge, node: NodeIndex(1), at: 1)
            ),
            (
                #"{"a":1,"b":2,"\u0061":3}"#,
                DocumentWritingError(.duplicateKey, node: NodeIndex(3), at: 13)
            ),
            (#"{"a":"\ud800"}"#, DocumentWritingError(.loneSurrogate, node: NodeIndex(1), at: 5)),
            (
                #"{"\udc00\ud800":0}"#,
                DocumentWritingError(.loneSurrogate, node: NodeIndex(1), at: 1)
            ),
        ]
    )
    func refuses(json: String, fault: DocumentWritingError) {
        #expect(throws: fault) { try DocumentWriter(.canonical).bytes(in: .make(json)) }
    }

    @Test("lossless text refuses nothing and keeps what it means")
    func keepsEverything() throws {
        #expect(try text(#"{"b":1,"a":2,"\u0062":3}"#, .lossless) == #"{"a":2,"b":1,"b":3}"#)
        #expect(try text(#"["\ud800x","\uDFFF"]"#, .lossless) == #"["\ud800x","\udfff"]"#)
        #expect(try text(#"{"\ud83d":1,"\ud83d\ude00":2}"#, .lossless) == #"{"\ud83d":1,"😀":2}"#)
    }

    @Test(
        "canonical text is a fixed point, whatever the order of members",
        arguments: 0..<200 as Range<UInt64>
    )
    func isStable(seed: UInt64) throws {
        let random = RandomJSON(seed: seed)
        let canonical = try text(random.spaced, .lossless)
        #expect(try text(canonical, .lossless) == canonical)
        #expect(try text(random.minified, .lossless) == canonical)
    }

    @Test("control characters have their short escapes, and nothing else has one")
    func escapes() throws {
        let json = #""\u0008\u0009\u000a\u000c\u000d\u0000\u001F\u007f\u2028\/é\u00e9""#
        #expect(try text(json) == #""\b\t\n\f\r\u0000\u001f"# + "\u{7f}\u{2028}/éé\"")
    }
}
