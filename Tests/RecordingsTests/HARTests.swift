import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

@testable import Recordings

@Suite("HAR")
struct HARTests {
    private let bench = HistoryBench()

    /// All kinds of exchanges.
    static var records: [ExchangeRecord] {
        get throws {
            let form: HTTPFields = [
                .contentType: "application/x-www-form-urlencoded", .cookie: "a=1; b=2=3",
            ]
            var redirected = ExchangeRecord.make(
                .make(
                    "/old?x=1",
                    method: .post,
                    fields: form,
                    body: .bytes(Array("q=a+b&r=%26".utf8))
                ),
                fields: [.contentType: "text/html"]
            )
            redirected.changeMetrics {
                $0.phases = .init(
                    nameLookup: .milliseconds(1),
                    connect: .milliseconds(3),
                    secureConnect: .milliseconds(6),
                    preTransfer: .milliseconds(6),
                    firstByte: .milliseconds(8),
                    total: .milliseconds(14),
                    redirects: .milliseconds(4)
                )
                $0.redirects = [
                    .init(
                        status: 302,
                        location: "/new",
                        url: "https://api.example.com/old?x=1",
                        fields: [.location: "/new", .setCookie: "c=1; Path=/; Secure"]
                    ),
                    .init(
                        status: 307,
                        location: "https://other.example/new",
                        url: "https://api.example.com/new",
                        withheldFields: ["Cookie"]
                    ),
                ]
                $0.effectiveURL = "https://other.example/new"
                $0.remoteAddress = "[::1]:443"
            }
            let compressed: HTTPFields = [
                .contentType: "application/json", .contentEncoding: "gzip",
                .setCookie: "s=x; expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly; SameSite=Lax",
            ]
            var reused = ExchangeRecord.make(fields: compressed, body: Array(#"{"a":1}"#.utf8))
            reused.changeMetrics {
                $0.reusedConnection = true
                $0.bytesReceived = 5
                $0.irregularHeaderLines = ["X-Trailer: end"]
            }
            let multipart: HTTPFields = [.contentType: "multipart/form-data; boundary=b"]
            let parts = """
                --b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b\r\n\
                Content-Disposition: form-data; name="f"; filename="x.txt"\r\nContent-Type: text/plain\
                \r\n\r\nfile\r\n--b--\r\n
                """
            var cut = ExchangeRecord.make(status: 206, body: [0xFF, 0x00, 0xFE])
            cut.result = .failure(
                ApusError(
                    .connectionLost(received: 3, expected: 9, detail: "cut"),
                    response: try cut.result.get()
                )
            )
            cut.changeResponse { $0.isComplete = false }
            return [
                redirected, reused, cut,
                .make(
                    .make("/up", method: .post, fields: multipart, body: .bytes(Array(parts.utf8)))
                ),
                .make(.make("/bin", method: .put, body: .bytes([0, 0xC3, 0x28]))),
                .make(status: 301, fields: [.location: "/there"], body: []),
                .failed("/none", .nameLookup(host: "api.example.com", detail: "no address")),
            ]
        }
    }

    private func har(_ history: History, _ session: String) async throws -> JSON {
        var filter = HistoryFilter()
        filter.sessions = [session]
        var bytes: [UInt8] = []
        try await history.exportHAR(
            try await history.all(matching: filter),
            of: session,
            creator: "1"
        ) { bytes += $0 }
        return try JSON(parsing: bytes)
    }

    private func recorded() async throws -> (History, JSON) {
        let history = bench.history()
        let session = try await history.beginSession(named: "one")
        let run = try await history.beginRun(.chain, named: "Sign up", in: session)
        var records = try Self.records
        // Finer than a file says them.
        records[0].started += 0.000_49
        records[0].duration = .nanoseconds(12_345_678)
        records[1].duration = .nanoseconds(12_000_499)
        records[3].origin.run = run
        records[3].origin.variables = ["user": "7"]
        try await history.keep(records, in: session)
        let ids = try await history.exchanges().map(\.id)
        try await history.note("first\nnote", on: ids[0])
        try await history.mark(ids[1], true)
        return (history, try await har(history, "one"))
    }

    @Test("what is written is what the specification asks for")
    func schema() async throws {
        let (history, har) = try await recorded()
        #expect(HARSchema(checking: har).problems == [])
        let entries = har["log", "entries"].arrayValue
        #expect(entries.count == 9)
        await history.close()
    }

    @Test("redirects are entries of their own, each with its request and where it led to")
    func redirects() async throws {
        let (history, har) = try await recorded()
        let entries = har["log", "entries"].arrayValue
        #expect(
            entries.prefix(3).map { $0["request", "url"].string } == [
                "https://api.example.com/old?x=1", "https://api.example.com/new",
                "https://other.example/new",
            ]
        )
        #expect(entries.prefix(3).map { $0["request", "method"].string } == ["POST", "GET", "GET"])
        #expect(
            entries.prefix(3).map { $0["response", "redirectURL"].string }
                == ["/new", "https://other.example/new", ""]
        )
        #expect(entries[0]["request", "postData", "params"].arrayValue.count == 2)
        #expect(!entries[1]["request", "postData"].exists)
        #expect(entries[1]["request", "headers"].arrayValue.count == 2)
        #expect(entries[2]["request", "headers"].arrayValue.count == 1)
        #expect(entries[0]["startedDateTime"].string == "2026-05-09T06:13:20.000Z")
        #expect(entries[2]["startedDateTime"].string == "2026-05-09T06:13:20.004Z")
        #expect(entries[2]["timings", "ssl"].double == 3)
        #expect(entries[2]["timings", "connect"].double == 5)
        #expect(entries[2]["timings", "wait"].double == 2)
        #expect(entries[2]["timings", "receive"].double == 2)
        #expect(entries[2]["serverIPAddress"].string == "::1")
        #expect(entries[5]["response", "redirectURL"].exists)
        #expect(entries[7]["response", "redirectURL"].string == "/there")
        await history.close()
    }

    @Test("bodies, cookies, sizes and times are as browsers' tools have them")
    func details() async throws {
        let (history, har) = try await recorded()
        let entries = har["log", "entries"].arrayValue
        let reused = entries[3]
        #expect(reused["timings", "dns"].int == -1 && reused["timings", "connect"].int == -1)
        #expect(reused["timings", "ssl"].int == -1 && reused["timings", "blocked"].double != nil)
        #expect(reused["response", "content", "compression"].int == 2)
        #expect(reused["response", "bodySize"].int == 5)
        #expect(reused["response", "httpVersion"].string == "HTTP/2")
        let cookie = reused["response", "cookies", 0]
        // Its value is a secret.
        #expect(cookie["name"].string == "s")
        #expect(cookie["value"].string?.hasPrefix("••") == true)
        #expect(entries[4]["response", "content", "encoding"].string == "base64")
        #expect(entries[4]["response", "content", "text"].string == "/wD+")
        #expect(entries[4]["response", "_error"].exists)
        #expect(entries[5]["request", "postData", "params", 1, "fileName"].string == "x.txt")
        #expect(entries[5]["request", "postData", "params", 0, "value"].string == "1")
        #expect(entries[6]["request", "postData", "text"].string == "AMMo")
        #expect(entries[8]["response", "status"].int == 0)
        #expect(entries[8]["comment"].string == "first\nnote")
        await history.close()
    }

    @Test("cookies are taken apart where they are kept")
    func cookies() async throws {
        let history = bench.history(keepsSecrets: true)
        let session = try await history.beginSession(named: "one")
        try await history.keep(try Self.records, in: session)
        let har = try await har(history, "one")
        #expect(HARSchema(checking: har).problems == [])
        let sent = har["log", "entries", 0, "request", "cookies"].arrayValue
        #expect(sent.map { $0["name"].string } == ["a", "b"])
        #expect(sent.map { $0["value"].string } == ["1", "2=3"])
        let cookie = har["log", "entries", 3, "response", "cookies", 0]
        #expect(cookie["name"].string == "s" && cookie["value"].string == "x")
        #expect(cookie["expires"].string == "2026-10-21T07:28:00.000Z")
        #expect(cookie["httpOnly"].bool == true && cookie["secure"].bool == false)
        #expect(cookie["sameSite"].string == "Lax")
        let query = har["log", "entries", 0, "request", "queryString", 0]
        #expect(query["name"].string == "x" && query["value"].string == "1")
        let form = har["log", "entries", 0, "request", "postData", "params"].arrayValue
        #expect(form.map { $0["value"].string } == ["a b", "&"])
        await history.close()
    }

    @Test("what was written and is read again is the same")
    func roundTrip() async throws {
        let (history, har) = try await recorded()
        let path = try bench.folder.write(try har.bytes(), to: "x.har")
        let imported = try await history.importSession(from: path, named: "two")
        #expect(imported.count == 7 && imported.remarks.isEmpty)
        let again = try await self.har(history, "two")
        let (first, second) = (har["log", "entries"], again["log", "entries"])
        for (one, two) in zip(first.arrayValue, second.arrayValue) {
            #expect(one.text(.pretty) == two.text(.pretty))
        }
        #expect(first.count == second.count)
        let runs = try await history.runs()
        #expect(runs.map(\.name) == ["Sign up", "Sign up"] && runs[0].count == 1)
        await history.close()
    }

    @Test("what is read is masked as what is recorded, unless secrets are kept")
    func secrets() async throws {
        let text = """
            {"log": {"entries": [{"startedDateTime": "2026-11-23T10:00:00Z", "request": {"method": "POST",
            "url": "https://api.example.com/?access_token=s3cret", "headers": [{"name": "Authorization",
            "value": "Bearer s3cret"}, {"name": "Cookie", "value": "a=s3cret"}], "postData": {"mimeType":
            "application/json", "text": "{\\"password\\":\\"s3cret\\"}"}}, "response": {"status": 200,
            "headers": [{"name": "Set-Cookie", "value": "a=s3cret\\nb=s3cret"}], "content": {"mimeType":
            "application/json", "text": "{\\"token\\": \\"s3cret\\"}"}}}]}}
            """
        let path = try bench.folder.write(text, to: "x.har")
        let history = bench.history()
        _ = try await history.importSession(from: path)
        await history.close()
        for file in bench.files {
            let bytes = try [UInt8](
                Data(contentsOf: URL(filePath: bench.folder.path + "/apus/" + file))
            )
            #expect(bytes.firstRange(of: Array("s3cret".utf8)) == nil)
        }
        let keeping = bench.history(keepsSecrets: true)
        let kept = try await keeping.importSession(from: path, named: "kept")
        let whole = try #require(try await keeping.exchange(2))
        #expect(whole.exchange.session == kept.id)
        #expect(whole.request.head.headerFields[.authorization] == "Bearer s3cret")
        #expect(whole.response?.head.headerFields[values: .setCookie] == ["a=s3cret", "b=s3cret"])
        await keeping.close()
    }

    @Test("of several that import a name at once one does")
    func sameName() async throws {
        let bench = HistoryBench()
        let path = try bench.folder.write(HARFixtures.chrome, to: "shop.har")
        let imported = await withTaskGroup(of: Bool.self) { group in
            for _ in 1...4 {
                let history = bench.history()
                group.addTask {
                    let session = try? await history.importSession(
                        from: try SessionSource(path),
                        named: nil
                    ) {
                        SessionFileError(path, "there is a session “\($0)”")
                    }
                    await history.close()
                    return session != nil
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(imported == 1)
        let history = bench.history()
        #expect(try await history.sessions().map(\.count) == [4])
        await history.close()
    }
}
