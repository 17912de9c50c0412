import Apus
import Testing

@Suite("Responses as text")
struct StringSerializerTests {
    @Test(
        "the encoding is the byte order mark's, then the Content-Type's, then UTF-8",
        arguments: [
            ("grün".utf8.map { $0 }, "text/plain", "grün"),
            ([0xEF, 0xBB, 0xBF, 0x61], "text/plain; charset=iso-8859-1", "a"),
            ([0x67, 0x72, 0xFC, 0x6E], "text/plain; charset=ISO-8859-1", "grün"),
            ([0x80], "text/plain; charset=windows-1252", "€"),
            ([0xFF, 0xFE, 0x61, 0x00], "text/plain", "a"),
            ([0xFE, 0xFF, 0x00, 0x61], "text/plain; charset=utf-8", "a"),
            ([0x82, 0xA0], "text/plain; charset=\"Shift_JIS\"", "あ"),
            ([], "text/plain", ""),
        ] as [([UInt8], String, String)]
    )
    func encodings(bytes: [UInt8], type: String, text: String) throws {
        #expect(try Response.make(bytes, type: type).value(using: .string) == text)
    }

    @Test("bytes that are not of the encoding are an error with their place, or U+FFFD when asked")
    func invalid() throws {
        let response = Response.make([0x61, 0x0A, 0x62, 0xFF, 0x63], type: "text/plain")
        let error = mappingError { () throws(ApusError) in try response.value(using: .string) }
        #expect(error?.code == 5002)
        #expect(error?.fault?.offset == 3)
        #expect(error?.fault?.line == 2)
        #expect(error?.fault?.column == 2)
        #expect(error?.response == response)
        #expect(try response.value(using: .string(at: nil, repairs: true)) == "a\nb\u{FFFD}c")
    }

    @Test("an encoding that nobody knows is an error")
    func unknownEncoding() {
        let response = Response.make("a", type: "text/plain; charset=x-klingon")
        #expect(
            mappingError { () throws(ApusError) in try response.value(using: .string) }?.code
                == 5002
        )
    }

    @Test("an encoding of one's own goes before the response's")
    func ownEncoding() throws {
        let response = Response.make([0xE9], type: "text/plain; charset=utf-8")
        #expect(try response.value(using: .string(charset: "latin1")) == "é")
    }

    @Test(
        "at a path a string, a number or a boolean is text, in either form of path",
        arguments: [
            ("name", "Ada"), ("address>city", "London"), ("address.city", "London"),
            ("tags[1]", "b"), ("tags.1", "b"), ("age", "36"), ("big", "12345678901234567890.10"),
            ("isActive", "true"), ("empty", ""), ("$.tags[-1]", "b"), ("$..city", "London"),
        ]
    )
    func atPath(path: String, text: String) throws {
        #expect(try Self.user.value(using: .string(at: path)) == text)
    }

    @Test(
        "what is missing, null or a container is an error, not an empty text",
        arguments: [
            ("nobody", ApusError.MappingFault.Kind.string, "$['nobody']"),
            ("address>nowhere>x", .string, "$['address']['nowhere']"),
            ("tags[7]", .string, "$['tags'][7]"),
            ("none", .string, "$['none']"),
            ("address", .string, "$['address']"),
            ("tags", .string, "$['tags']"),
            ("a..b[", .path, nil),
        ] as [(String, ApusError.MappingFault.Kind, String?)]
    )
    func absent(path: String, kind: ApusError.MappingFault.Kind, place: String?) {
        let error = mappingError { () throws(ApusError) in
            try Self.user.value(using: .string(at: path))
        }
        #expect(error?.fault?.kind == kind)
        #expect(error?.fault?.path == place)
    }

    @Test("a container's place is told by byte, line and column")
    func containerPlace() {
        let error = mappingError { () throws(ApusError) in
            try Self.user.value(using: .string(at: "address"))
        }
        #expect(error?.fault?.line == 3)
        #expect(error?.fault?.column == 14)
    }

    private static let user = Response.make(
        """
        {"name": "Ada", "age": 36, "big": 12345678901234567890.10,
          "address": {"city": "London"}, "tags": ["a", "b"],
          "isActive": true, "none": null, "empty": ""}
        """.replacing("36, ", with: "36,\n")
    )
}
