import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Recordings

@Suite("comparing answers with recorded ones")
struct ReplayComparisonTests {
    private let bench = HistoryBench()
    private static let json: HTTPFields = [.contentType: "application/json; charset=utf-8"]

    /// What differs between a response that was recorded and another one.
    private func differences(
        _ old: (status: Int, fields: HTTPFields, body: String),
        _ new: (status: Int, fields: HTTPFields, body: String),
        _ comparison: ResponseComparison = ResponseComparison()
    ) async throws -> [String] {
        let history = bench.history(secrets: ["hidden"])
        try await history.keep([
            .make(status: old.status, fields: old.fields, body: Array(old.body.utf8))
        ])
        let last = try #require(try await history.exchanges(limit: 1).first)
        let whole = try #require(try await history.exchange(last.id))
        let now = ExchangeRecord.make(
            status: new.status,
            fields: new.fields,
            body: Array(new.body.utf8)
        )
        await history.close()
        return try comparison.differences(of: whole, from: now.result).map(\.description)
    }

    @Test(
        "the status, the media type and the body count; white space, order and other fields do not"
    )
    func subjects() async throws {
        let date = try #require(HTTPField.Name("Date"))
        let same = try await differences(
            (200, Self.json + [date: "then"], #"{"a": 1, "b": [1, 2]}"#),
            (200, [.contentType: "application/json", date: "now"], #"{"b":[1,2],"a":1.0}"#)
        )
        #expect(same.isEmpty)
    }

    @Test("each difference is told by its path")
    func paths() async throws {
        let found = try await differences(
            (200, Self.json, #"{"a": 1, "list": [{"id": 1, "name": "Ada"}], "gone": true}"#),
            (
                500, [.contentType: "text/json"],
                #"{"a": 2, "list": [{"id": 1, "name": "Bob"}], "new": null}"#
            )
        )
        #expect(
            found == [
                "status  200 → 500", "media type  application/json → text/json", "~ $.a  1 → 2",
                #"~ $.list[0].name  "Ada" → "Bob""#, "+ $.new  null", "- $.gone  true",
            ]
        )
    }

    @Test("what was masked is equal to anything, and what is secret now is not told")
    func secrets() async throws {
        let found = try await differences(
            (200, Self.json, #"{"token": "abc", "text": "a hidden word", "a": 1}"#),
            (
                200, Self.json,
                #"{"token": "xyz", "text": "a changed word", "a": 1, "password": "p4ss"}"#
            )
        )
        #expect(found == [#"+ $.password  "••••••""#])
        let text = try await differences(
            (200, [:], "is hidden, is"),
            (200, [:], "is other, is")
        )
        #expect(text.isEmpty)
    }

    @Test("paths that are ignored do not count, and fields that are named do")
    func ignored() async throws {
        var comparison = ResponseComparison()
        comparison.ignored = [try JSONPath(parsing: "$..id"), try JSONPath(parsing: "$.at")]
        comparison.fields = [.cacheControl]
        let found = try await differences(
            (200, Self.json + [.cacheControl: "no-store"], #"{"at": 1, "x": [{"id": 1, "b": 1}]}"#),
            (200, Self.json, #"{"at": 2, "x": [{"id": 2, "b": 2}]}"#),
            comparison
        )
        #expect(found == ["- Cache-Control  no-store", "~ $.x[0].b  1 → 2"])
    }

    @Test("bodies that are no documents are compared byte by byte")
    func bytes() async throws {
        let found = try await differences((200, [:], "one two"), (200, [:], "one three"))
        #expect(found == ["~ body  7 B → 9 B, from byte 5 on"])
        let none = try await differences((200, [:], "one"), (200, [:], ""))
        #expect(none == ["- body  3 B → 0 B, from byte 0 on"])
    }

    @Test("more differences than are told are counted")
    func many() async throws {
        var comparison = ResponseComparison()
        comparison.limit = 2
        let found = try await differences(
            (200, Self.json, "[1,2,3,4]"),
            (200, Self.json, "[5,6,7,8]"),
            comparison
        )
        #expect(found.count == 3 && found.last == "~ body  2 more differences")
    }

    @Test("a failure is the same as a recorded one with its number, and different from a response")
    func failures() async throws {
        let history = bench.history()
        let reason = ApusError.Reason.nameLookup(host: "api.example.com", detail: "none")
        try await history.keep([.failed("/a", reason), .make()])
        let comparison = ResponseComparison()
        let failed = try #require(try await history.exchange(1))
        let answered = try #require(try await history.exchange(2))
        let failure = Result<Response, ApusError>.failure(ApusError(reason))
        #expect(try comparison.differences(of: failed, from: failure).isEmpty)
        #expect(try comparison.differences(of: failed, from: answered.result).count == 1)
        let found = try comparison.differences(of: answered, from: failure)
        #expect(found.map(\.subject) == [.outcome] && found[0].recorded == "200")
        await history.close()
    }

    @Test("of a body that was too large to be kept the size and the digest count")
    func unkept() async throws {
        let history = bench.history(limits: History.Limits(bodySize: 3))
        try await history.keep([
            .make(.make(method: .post, body: .bytes([1, 2, 3, 4])), body: Array("long".utf8))
        ])
        let whole = try #require(try await history.exchange(1))
        #expect(whole.unkeptRequestSize == 4)
        let comparison = ResponseComparison()
        let same = ExchangeRecord.make(body: Array("long".utf8)).result
        #expect(try comparison.differences(of: whole, from: same).isEmpty)
        for (text, shown) in [
            ("size", "~ body  4 B, SHA-256 fc66f021c67d064c… → 4 B, SHA-256 OTHER…"),
            ("other", "~ body  4 B, SHA-256 fc66f021c67d064c… → 5 B, SHA-256 OTHER…"),
        ] {
            let other = ExchangeRecord.make(body: Array(text.utf8)).result
            let digest = ContentDigest.hex(of: text).prefix(16)
            #expect(
                try comparison.differences(of: whole, from: other).map(\.description)
                    == [shown.replacing("OTHER", with: digest)]
            )
        }
        await history.close()
    }
}
