import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Recordings

@Suite("Replay: which recorded request matches")
struct ReplayMatchingTests {
    private let bench = HistoryBench()

    private func order(
        _ item: String = "Dune",
        at time: String,
        nonce: Int = 0,
        host: String = "api.example.com",
        page: String = "1",
        accept: String? = nil
    ) -> PreparedRequest {
        var fields: HTTPFields = [.contentType: "application/json"]
        fields[.accept] = accept
        return .make(
            "/orders?page=\(page)&ts=\(time)",
            method: .post,
            authority: host,
            fields: fields,
            body: .bytes(
                Array(
                    #"{"item":"\#(item)","at":"\#(time)","meta":{"nonce":\#(nonce)}}"#.utf8
                )
            )
        )
    }

    private func status(
        _ request: PreparedRequest,
        _ matching: ReplayTransport.Matching,
        _ history: History
    ) async -> Int? {
        let replay = ReplayTransport(history, matching: matching)
        return try? await replay.send(request, progress: nil).status
    }

    private let lenient = ReplayTransport.Matching.request
        .ignoring(members: ["at", "nonce"], parameters: ["ts"])

    @Test(
        "a body with a time and a random number matches if these are ignored, and nothing else is"
    )
    func ignoring() async throws {
        let history = bench.history()
        try await history.keep([.make(order(at: "10:00", nonce: 4), status: 201)])
        let now = order(at: "11:30", nonce: 17)
        #expect(await status(now, .request, history) == nil)
        #expect(await status(now, .path, history) == nil)
        #expect(await status(now, lenient, history) == 201)
        // Without the member at all, too.
        var without = now
        without.body = .bytes(Array(#"{"item":"Dune","meta":{}}"#.utf8))
        #expect(await status(without, lenient, history) == 201)
        #expect(await status(order("Emma", at: "11:30"), lenient, history) == nil)
        #expect(await status(order(at: "11:30", page: "2"), lenient, history) == nil)
        #expect(await status(order(at: "11:30", host: "other.example"), lenient, history) == nil)
        let anywhere = ReplayTransport.Matching.path
            .ignoring(paths: [try JSONPath("$.at"), try JSONPath("$.meta")], parameters: ["ts"])
        #expect(await status(order(at: "11:30", host: "other.example"), anywhere, history) == 201)
        let noBody = ReplayTransport.Matching.request.ignoring(parameters: ["ts"], body: true)
        #expect(await status(order("Emma", at: "11:30"), noBody, history) == 201)
        await history.close()
    }

    @Test("several that match answer in their order, then the last again")
    func inOrder() async throws {
        let history = bench.history()
        try await history.keep([
            .make(order(at: "10:00", nonce: 1), status: 201),
            .make(order("Emma", at: "10:01"), status: 404),
            .make(order(at: "10:02", nonce: 2), status: 202),
        ])
        let replay = ReplayTransport(history, matching: lenient)
        var statuses: [Int] = []
        for time in ["11:00", "11:01", "11:02"] {
            statuses.append(try await replay.send(order(at: time), progress: nil).status)
        }
        #expect(statuses == [201, 202, 202])
        await history.close()
    }

    @Test("header fields are compared as the matching says")
    func fields() async throws {
        let history = bench.history()
        try await history.keep([.make(order(at: "1", accept: "text/csv"), status: 201)])
        let other = order(at: "1", accept: "text/html")
        #expect(await status(other, .request, history) == nil)
        #expect(await status(other, .path, history) == 201)
        #expect(await status(other, .request.ignoring(fields: [.accept]), history) == 201)
        #expect(await status(other, .path.comparing(fields: [.accept]), history) == nil)
        await history.close()
    }

    @Test(
        "forms match apart from the fields that are ignored, and forms of parts whatever their boundary"
    )
    func forms() async throws {
        func form(_ text: String) -> PreparedRequest {
            .make(
                "/login",
                method: .post,
                fields: [.contentType: "application/x-www-form-urlencoded"],
                body: .bytes(Array(text.utf8))
            )
        }
        func parts(_ text: String) -> PreparedRequest {
            let form = MultipartForm([.text("name", text)])
            return .make(
                "/upload",
                method: .post,
                fields: [.contentType: form.contentType],
                body: .multipart(form)
            )
        }
        let history = bench.history()
        try await history.keep([
            .make(form("user=ada&state=1"), status: 201), .make(parts("Ada"), status: 202),
        ])
        let matching = ReplayTransport.Matching.request.ignoring(members: ["state"])
        #expect(await status(form("user=ada&state=2"), matching, history) == 201)
        #expect(await status(form("user=eve&state=1"), matching, history) == nil)
        #expect(await status(parts("Ada"), matching, history) == 202)
        #expect(await status(parts("Eve"), matching, history) == nil)
        await history.close()
    }

    @Test("a closure decides alone, or besides")
    func closures() async throws {
        let history = bench.history()
        try await history.keep([
            .make(order(at: "1"), status: 201), .make(.make("/other"), status: 202),
        ])
        let byPath = ReplayTransport.Matching.custom { recorded, request in
            recorded.head.path == "/other" && request.head.method == .post
        }
        #expect(await status(order("Emma", at: "9"), byPath, history) == 202)
        #expect(await status(.make("/other"), byPath, history) == nil)
        let never = ReplayTransport.Matching.path.and { _, _ in false }
        #expect(await status(order(at: "1"), never, history) == nil)
        let always = ReplayTransport.Matching.path.and { recorded, request in
            recorded.body == request.body
        }
        #expect(await status(order(at: "1"), always, history) == 201)
        await history.close()
    }

    @Test("what does not match fails with the nearest request and what differs, without secrets")
    func nearest() async throws {
        let history = bench.history(secrets: ["s3cret"])
        try await history.keep([
            .make(.make("/users")), .make(order(at: "10:00", nonce: 4), status: 201),
        ])
        var request = order("s3cret Emma", at: "10:00", nonce: 4, page: "2")
        request.head.headerFields[.accept] = "text/csv"
        for matching in [ReplayTransport.Matching.request, .request.ignoring(members: ["at"])] {
            let error = await #expect(throws: ApusError.self) {
                try await ReplayTransport(history, matching: matching).send(request, progress: nil)
            }
            let words = try #require(error?.message.detail)
            #expect(
                words.contains("has no such request; the nearest is 2, POST https://"),
                "\(words)"
            )
            #expect(words.contains("query page: recorded “1”, requested “2”"), "\(words)")
            #expect(words.contains("Accept: not recorded, requested “text/csv”"), "\(words)")
            #expect(words.contains("item") && words.contains("Dune"), "\(words)")
            #expect(!words.contains("s3cret"), "\(words)")
        }
        await history.close()
        let empty = HistoryBench().history()
        let error = await #expect(throws: ApusError.self) {
            try await ReplayTransport(empty).send(request, progress: nil)
        }
        #expect(error?.message.detail.hasSuffix("has no such request") == true)
        await empty.close()
    }
}
