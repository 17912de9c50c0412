import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Testing

@Suite("Facts of a response")
struct ResponseFactsTests {
    @Test("its fields are read by name, in any case")
    func fields() {
        let response = Response.make("", type: "text/plain; Charset=\"ISO-8859-15\"")
        #expect(response.value(of: .contentType) == "text/plain; Charset=\"ISO-8859-15\"")
        #expect(response.value(of: .eTag) == nil)
        #expect(response.charset == "ISO-8859-15")
        #expect(response.fields.count == 1)
        #expect(!response.isFromCache)
        #expect(response.timings == nil)
        #expect(response.trace.isEmpty)
    }

    @Test(
        "its media type is what stands before the parameters, without blanks (RFC 9110, 5.6.3)",
        arguments: [
            ("application/json\t;charset=utf-8", "application/json"),
            (" Text/HTML ; charset=utf-8", "text/html"),
            ("text/html;\u{301}charset=utf-8", "text/html"),
            ("text/html charset=utf-8", "text/html"),
            (";charset=utf-8", nil), ("", nil),
        ] as [(String, String?)]
    )
    func mediaType(field: String, type: String?) {
        #expect(Response.make("", type: field).mediaType == type)
    }

    @Test(
        "its age is what Age or Date say, and the time since it was received",
        arguments: [
            (HTTPFields(), 10),
            ([.age: "30"], 40),
            ([.date: "Tue, 14 Nov 2023 22:12:20 GMT"], 70),
            ([.age: "30", .date: "Tue, 14 Nov 2023 22:12:20 GMT"], 70),
            ([.age: "soon"], 10),
        ] as [(HTTPFields, Int)]
    )
    func age(fields: HTTPFields, seconds: Int) {
        // Received at 22:13:20.
        let response = Response.make("", fields: fields)
        let now = Date(timeIntervalSince1970: 1_700_000_010)
        #expect(response.age(at: now) == .seconds(seconds))
    }

    @Test("a clock that was set back makes nothing younger than nothing")
    func clockSetBack() {
        let response = Response.make("")
        #expect(response.age(at: Date(timeIntervalSince1970: 0)) == .zero)
    }

    @Test("one is made by hand out of JSON, and reads back as it")
    func byHand() throws {
        let made = try Response(
            ["code": 700, "message": "down"],
            status: 503,
            to: .make("api.test", "/"),
            received: Date(timeIntervalSince1970: 0)
        )
        #expect(made.status == 503)
        #expect(made.source == .stub)
        #expect(made.mediaType == "application/json")
        #expect(try made.value(using: .json)["code"].int == 700)
    }
}
