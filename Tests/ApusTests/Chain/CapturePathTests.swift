import Documents
import HTTPTypes
import Testing

@testable import Apus

@Suite("Capture paths")
struct CapturePathTests {
    private static let body = """
        {"user": {"name": "Ada", "first-name": "A", "ids": [1, 2], "größe": 3, "0": "zero"},
         "a b": {"c": true}, "it's": 4, "$ref": 5, "a/b": 6,
         "empty": "", "null": null, "list": [{"id": 1}, {"id": 2}]}
        """

    private func response() -> Response {
        var response = Response.make(PreparedRequest.make("h"), Self.body, status: 201)
        if let name = HTTPField.Name("X-Token") { response.head.headerFields[name] = "t" }
        return response
    }

    @Test(
        "a value is taken from where the path says",
        arguments: [
            ("$.user.ids[1]", JSON(2)), ("user.ids[-1]", 2), ("user>name", "Ada"),
            ("$['user'][\"name\"]", "Ada"), ("$.user.first-name", "A"), ("user.first-name", "A"),
            ("$.user.größe", 3), ("$['a b'][\"c\"]", true), (#"$['it\'s']"#, 4),
            ("$.user.0", "zero"), ("$.$ref", 5), ("$.a/b", 6), ("[\"user\"].name", "Ada"),
            ("status", 201), ("header:x-token", "t"), ("header: X-Token", "t"),
            ("$.list[*].id", [1, 2]), ("$..id", [1, 2]), ("$.list[?@.id > 1].id", [2]),
            ("$.list[?@.id > 7].id", []), ("$.empty", ""), ("$.null", JSON.null),
        ] as [(String, JSON)]
    )
    func values(path: String, value: JSON) throws {
        let path = try CapturePath(path)
        #expect(path.value(in: response()) == value)
        // What it prints is read as the same path.
        #expect(try CapturePath(path.description) == path)
    }

    @Test(
        "a name with a dash needs no quotes in an array either",
        arguments: ["$[0].user-id", "$[-1].user-id", "[0].user-id", "$[0]['user-id']"]
    )
    func dash(path: String) throws {
        let response = Response.make(PreparedRequest.make("h"), #"[{"user-id": 7}]"#)
        #expect(try CapturePath(path).value(in: response) == 7)
    }

    @Test(
        "what is missing is nothing; an empty text and null are not missing",
        arguments: ["$.user.age", "$.user.ids[7]", "header:X-Other", "$.user.name.x", "$.list.id"]
    )
    func missing(path: String) throws {
        #expect(try CapturePath(path).value(in: response()) == nil)
    }

    @Test("a path that is made to be slow is given up, all paths of a response together")
    func givesUp() throws {
        let response = Response.make(PreparedRequest.make("h"), ChainPlan.nestedBody)
        let limit = Duration.milliseconds(50)
        var answer = CaptureExtractor(response, limit: .max, timeLimit: limit)
        for path in ["$..items..items[?@.none]", "$..a"] {
            let path = try CapturePath(path)
            #expect(throws: CaptureExtractor.Refusal.interrupted(.takesTooLong(limit: limit))) {
                try answer.value(at: path)
            }
        }
    }

    @Test("looking for credentials in what was captured has the time of all paths")
    func credentialsGiveUp() throws {
        let users = String(repeating: "http://u:p@", count: 100_000)
        let response = Response.make(PreparedRequest.make("h"), "{\"v\": \"\(users)\"}")
        var answer = CaptureExtractor(response, limit: .max, timeLimit: .zero)
        let capture = ChainPlan.Capture("v", try CapturePath("$.v"))
        #expect(throws: CaptureExtractor.Refusal.interrupted(.takesTooLong(limit: .zero))) {
            try answer.value(of: capture)
        }
    }

    @Test("a body that is no JSON has nothing to take", arguments: ["", "<html>", "{\"user\": {"])
    func noJSON(body: String) throws {
        let response = Response.make(PreparedRequest.make("h"), body)
        #expect(try CapturePath("$.user").value(in: response) == nil)
        #expect(try CapturePath("status").value(in: response) == 200)
    }

    @Test(
        "a text that is no path says where",
        arguments: [
            ("", 1), ("$.", 3), ("$[", 3), ("$[x]", 3), ("$['a", 3), ("header:", 8),
            ("header:a b", 8), ("$[99999999999999999999]", 3),
        ]
    )
    func faults(text: String, column: Int) {
        let error = #expect(throws: JSONPathError.self) { try CapturePath(text) }
        #expect(error?.column == column, "\(text): \(String(describing: error))")
    }

    @Test("of several members of one name the last counts, as in the rest of the engine")
    func repeated() throws {
        let response = Response.make(PreparedRequest.make("h"), "{\"a\": 1, \"a\": 2}")
        #expect(try CapturePath("$.a").value(in: response) == 2)
    }
}
