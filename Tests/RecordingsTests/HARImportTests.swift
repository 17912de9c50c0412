import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import SQLite
import TestSupport
import Testing

@testable import Recordings

@Suite("HAR files of others")
struct HARImportTests {
    private let bench = HistoryBench()

    private func imported(_ text: String) async throws -> (ImportedSession, [ExchangeDetails]) {
        let path = try bench.folder.write(text, to: "shop.example.har")
        let history = bench.history()
        let session = try await history.importSession(from: path)
        var wholes: [ExchangeDetails] = []
        for exchange in try await history.exchanges().reversed() {
            wholes.append(try #require(try await history.exchange(exchange.id)))
        }
        await history.close()
        return (session, wholes)
    }

    @Test("of Chrome: HTTP/2, repeated lines, caches, WebSockets, what was blocked, out of order")
    func chrome() async throws {
        let (session, wholes) = try await imported(HARFixtures.chrome)
        #expect(session.name == "shop.example" && session.count == 4)
        #expect(
            session.remarks == [
                "1 entry of data: left out", "the messages of 1 WebSocket left out",
            ]
        )
        #expect(
            wholes.map(\.exchange.request.description) == [
                "GET https://shop.example/logo.png", "POST https://shop.example/cart",
                "GET https://shop.example/live", "GET https://ads.example/x",
            ]
        )
        #expect(wholes.map(\.exchange.source) == ["memory", "server", "server", nil])
        let logo = try #require(wholes[0].response)
        #expect(logo.body == .bytes([0x89, 0x50, 0x4E]) && logo.mediaType == "image/png")
        let cart = try #require(wholes[1].response)
        #expect(
            wholes[1].request.head.headerFields.map(\.name.rawName) == ["content-type", "accept"]
        )
        #expect(wholes[1].request.body == .bytes(Array(#"{"item":"book"}"#.utf8)))
        let list = try #require(HTTPField.Name("x-list"))
        #expect(cart.head.headerFields[values: list] == ["one", "two"])
        #expect(cart.metrics?.negotiatedVersion == "2")
        #expect(cart.metrics?.remoteAddress == "[2a00:1450::5e]:443")
        #expect(wholes[1].exchange.duration == .microseconds(120_250))
        #expect(
            cart.metrics?.phases
                == TransferMetrics.Phases(
                    nameLookup: .milliseconds(4),
                    connect: .milliseconds(19),
                    secureConnect: .milliseconds(39),
                    preTransfer: .milliseconds(39),
                    firstByte: .microseconds(117_500),
                    total: .milliseconds(119)
                )
        )
        #expect(wholes[2].exchange.status == 101)
        #expect(wholes[3].errorText == "net::ERR_BLOCKED_BY_CLIENT")
    }

    @Test("of Firefox: zones, forms without their text, bodies that are missing")
    func firefox() async throws {
        let (_, wholes) = try await imported(HARFixtures.firefox)
        #expect(wholes[0].exchange.started.timeIntervalSince1970 == 1_795_424_400.25)
        #expect(wholes[0].request.body == .bytes(Array("user=ada+b&x=%26".utf8)))
        #expect(wholes[0].exchange.status == 302 && wholes[0].response?.redirects == [])
        #expect(wholes[0].response?.metrics?.remoteAddress == "127.0.0.1:8080")
        #expect(wholes[1].unkeptSize == 52_428_800 && wholes[1].response?.isComplete == false)
        #expect(wholes[1].response?.mediaType == "text/html")
    }

    @Test("of Safari: nothing where something was expected")
    func safari() async throws {
        let (session, wholes) = try await imported(HARFixtures.safari)
        #expect(session.count == 2)
        #expect(wholes[0].exchange.request.url == "https://shop.example/?q=caf%C3%A9")
        #expect(wholes[0].response?.metrics?.phases.total == .microseconds(31_062))
        let empty = try #require(HTTPField.Name("X-Empty"))
        #expect(wholes[0].request.head.headerFields[empty] == "")
        #expect(wholes[1].response == nil && wholes[1].exchange.errorCode == 2901)
        #expect(wholes[1].exchange.duration == .zero)
    }

    @Test("of mitmproxy: microseconds, repeated fields")
    func mitmproxy() async throws {
        let (_, wholes) = try await imported(HARFixtures.mitmproxy)
        let started = wholes[0].exchange.started.timeIntervalSince1970
        #expect(abs(started - 1_795_424_400.123456) < 0.000_01)
        #expect(wholes[0].request.head.headerFields[values: .accept] == ["a", "b"])
        #expect(wholes[0].response?.head.headerFields[values: .setCookie].count == 2)
        #expect(wholes[0].response?.body == .bytes([0xFF, 0x00, 0xFE]))
    }

    @Test("a request that was never sent is left out, and a scheme may have capitals")
    func aborted() async throws {
        let path = try bench.folder.write(
            """
            {"log": {"entries": [{"request": {"url": "", "method": "GET"}},
            {"request": {"url": "WS://a.example/live", "method": "GET"}},
            {"request": {"url": "HTTPS://a.example/", "method": "GET"}}]}}
            """,
            to: "x.har"
        )
        let history = bench.history()
        let session = try await history.importSession(from: path)
        #expect(session.remarks == ["1 entry without a URL: left out"])
        let urls = try await history.exchanges().map(\.request.url)
        #expect(urls.sorted() == ["http://a.example/live", "https://a.example/"])
        await history.close()
    }

    @Test(
        "what is wrong is told with its entry and place, and nothing is imported",
        arguments: [
            ("", "line 1, column 1: not valid JSON"), ("{\"log\": {", "not valid JSON"),
            ("[]", "not a HAR file: log.entries is not an array"),
        ]
    )
    func faults(text: String, words: String) async throws {
        let path = try bench.folder.write(text, to: "x.har")
        let history = bench.history()
        let error = await #expect(throws: SessionFileError.self) {
            try await history.importSession(from: path)
        }
        #expect(error?.description.hasPrefix("\(path): ") == true)
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        #expect(try await history.exchanges().isEmpty)
        #expect(try await history.sessions().isEmpty)
        await history.close()
    }

    private static let unreadable: [(String, String)] = [
        (entry(#""method": "GET""#), "entry 2, request.url: not a valid URL"),
        (
            entry(#""url": "http://a/", "method": "GET""#)
                .replacing("2026-11-23T10:00:00Z", with: "yesterday"),
            "entry 2, startedDateTime: not an ISO 8601 time"
        ),
        (
            entry(
                #""url": "http://a/", "method": "GET""#,
                #"{"status": 200, "content": {"text": "%", "encoding": "base64"}}"#
            ),
            "entry 2, response.content.text: not valid Base64"
        ),
        (
            entry(#""url": "http://a/", "method": "GET", "headers": [{"name": "", "value": ""}]"#),
            "entry 2, request.headers[0]: “” is not a header field name"
        ),
        (
            entry(#""url": "http://a/", "method": "GET""#, #"{"status": NaN}"#),
            "entry 2, line 3, column "
        ),
        (
            entry(#""url": "http://a/", "method": "GET""#, #"{"status": 200, "x": [1,}"#),
            "entry 2, line 3, column "
        ),
        (
            String(entry(#""url": "http://a/", "method": "GET""#).dropLast(20)),
            "entry 2, line 3, column "
        ),
    ]

    private static let unreadableToo: [(String, String)] = [
        (entry(#""url": 7, "method": "GET""#), "entry 2, request.url: not a valid URL"),
        (
            entry(#""url": "https:///x", "method": "GET""#),
            "entry 2, request.url: not a valid URL"
        ),
        (
            entry(#""url": "http://a/ b", "method": "GET""#),
            "entry 2, request.url: not a valid URL"
        ),
        (
            entry(#""url": "http://a/", "method": "G T""#),
            "entry 2, request.method: not a valid method"
        ),
        (
            entry(
                #""url": "http://a/", "method": "GET", "headers": [{"name": "a b", "value": ""}]"#
            ),
            "entry 2, request.headers[0]: “a b” is not a header field name"
        ),
        (
            entry(#""url": "http://a/", "method": "GET", "headers": [{"value": ""}]"#),
            "entry 2, request.headers[0]: it has no name"
        ),
        (
            entry(#""url": "http://a/", "method": "GET""#, #"{"status": 99}"#),
            "entry 2, response.status: 99 is not a valid status"
        ),
    ]

    private static let unreadableFields: [(String, String)] = [
        (
            entry(#""url": "http://a/", "method": "GET""#, #"{"status": 1e30}"#),
            "entry 2, response.status: 1e30 is not a valid status"
        ),
        (
            entry(
                #""url": "http://a/", "method": "GET""#,
                #"{"status": 200, "content": {"text": "-", "encoding": "rot13"}}"#
            ),
            "entry 2, response.content.encoding: “rot13” is not known"
        ),
        (
            entry(#""url": "http://a/", "method": "GET""#).replacing("T10:00", with: "T10h00"),
            "entry 2, startedDateTime: not an ISO 8601 time"
        ),
        (
            entry(#""url": "http://a/", "method": "GET""#)
                .replacing("2026-11-23T10:00:00Z", with: "4001-01-01T00:00:00.5Z"),
            "entry 2, startedDateTime: not an ISO 8601 time"
        ),
        (
            entry(
                #""url": "http://a/", "method": "GET", "headers": [{"name": "a", "value": ""#
                    + String(repeating: #"\n"#, count: 70_000) + #""}]"#
            ),
            "entry 2, request.headers[0]: there are more than 65000 fields"
        ),
    ]

    @Test(
        "an entry that cannot be read is left out with its place, and the rest is imported",
        arguments: unreadable + unreadableToo + unreadableFields
    )
    func leftOut(text: String, words: String) async throws {
        let (session, wholes) = try await imported(text)
        #expect(wholes.map(\.exchange.request.url) == ["http://a/"] && session.count == 1)
        #expect(session.remarks.count == 1)
        #expect(session.remarks.first?.hasPrefix(words) == true, "\(session.remarks)")
        #expect(session.remarks.first?.hasSuffix(": left out") == true)
    }

    @Test("UTF-16 is read, with and without a mark; many faults are counted")
    func encodings() async throws {
        let text = Self.entry(#""url": "http://a/é", "method": "GET""#)
        var little: [UInt8] = []
        var big: [UInt8] = []
        for unit in text.utf16 {
            let (low, high) = (UInt8(unit & 0xFF), UInt8(unit >> 8))
            little += [low, high]
            big += [high, low]
        }
        let files: [(bytes: [UInt8], name: Comment)] = [
            ([0xFF, 0xFE] + little, "little-endian"), ([0xFE, 0xFF] + big, "big-endian"),
            (little, "without a mark"),
        ]
        for (bytes, name) in files {
            let reader = try HARReader(DocumentBytes(bytes), path: "x.har")
            let urls = reader.compactMap { try? $0.get().record.request.url }
            #expect(urls == ["http://a/", "http://a/é"], name)
        }
        let bad = Array(repeating: "{}", count: 30).joined(separator: ",")
        let good = #"{"request": {"url": "http://a/", "method": "GET"}}"#
        let (session, _) = try await imported(#"{"log": {"entries": [\#(bad), \#(good)]}}"#)
        #expect(session.count == 1 && session.remarks.count == 21)
        #expect(session.remarks.last == "10 more left out")
    }

    @Test(
        "a request's body has the type that its entry says, and a form with files its parts",
        arguments: [
            (#""mimeType": "text/csv", "text": "a,b""#, "text/csv", "a,b"),
            (#""mimeType": "x-unknown", "text": "a""#, nil, "a"),
            (#""mimeType": "text/csv", "text": """#, nil, ""),
            (
                #""mimeType": "", "params": [{"name": "a", "value": "1 2"}]"#,
                "application/x-www-form-urlencoded", "a=1+2"
            ),
            (
                #"""
                "mimeType": "multipart/form-data; boundary=xyz", "params": [{"name": "a\"b", "value": "1"},
                 {"name": "f", "fileName": "x.png", "contentType": "image/png"}]
                """#,
                "multipart/form-data; boundary=xyz",
                """
                --xyz\r\nContent-Disposition: form-data; name="a%22b"\r\n\r\n1\r\n\
                --xyz\r\nContent-Disposition: form-data; name="f"; filename="x.png"\r\n\
                Content-Type: image/png\r\n\r\n\r\n--xyz--\r\n
                """
            ),
            (
                #""mimeType": "multipart/form-data", "params": [{"name": "a", "value": "--apus-form"}]"#,
                "multipart/form-data; boundary=apus-form-",
                """
                --apus-form-\r\nContent-Disposition: form-data; name="a"\r\n\r\n--apus-form\r\n\
                --apus-form---\r\n
                """
            ),
        ]
    )
    func requestBodies(data: String, type: String?, body: String) async throws {
        let (_, wholes) = try await imported(
            Self.entry(#""url": "http://a/", "method": "POST", "postData": {\#(data)}"#)
        )
        let request = try #require(wholes.last).request
        #expect(request.head.headerFields[.contentType] == type)
        #expect(request.body == (body.isEmpty ? .none : .bytes(Array(body.utf8))))
    }

    @Test("who records while a large file is imported comes between, and a fault leaves nothing")
    func partsOfImport() async throws {
        let history = bench.history()
        let other = bench.history()
        try await other.keep([.make(.make("/before"))])
        for fails in [false, true] {
            let (path, names, made) = (bench.path, Mutexed<[String]>([]), Mutexed(0))
            @Sendable func next() -> Result<ImportedExchange, SessionFileError>? {
                made.value += 1
                do {
                    // Nobody holds the file here, or this throws at once.
                    names.value += try DatabaseQueue(path: path).write { db in
                        try db.execute(sql: "UPDATE total SET last = last + 1")
                        return try String.fetchAll(db, sql: "SELECT name FROM session")
                    }
                } catch {
                    return .failure(SessionFileError("x.har", "\(error)"))
                }
                if fails, made.value == 3 { return .failure(SessionFileError("x.har", "torn")) }
                return made.value == 4
                    ? nil : .success(ImportedExchange(.make(.make("/\(made.value)"))))
            }
            let work = Task {
                try await history.importing(as: "large", patience: .zero) {
                    AnySequence(sequence(state: ()) { _ in next() })
                }
            }
            switch await work.result {
            case .success(let imported):
                #expect(!fails && imported.count == 3)
                #expect(Set(names.value) == ["large (import incomplete)"])
                try await history.delete(imported.session)
            case .failure(let error): #expect(fails && "\(error)" == "x.har: torn")
            }
            #expect(try await history.sessions().isEmpty)
            #expect(try await history.paths("") == ["/before"])
        }
        for history in [history, other] { await history.close() }
    }

    @Test("the first and the last time that there is are those of an exchange like others")
    func times() async throws {
        for time in ["0001-01-01T00:00:00Z", "4001-01-01T00:00:00Z"] {
            let text = Self.entry(#""url": "http://a/", "method": "GET""#)
            let (_, wholes) = try await imported(
                text.replacing("2026-11-23T10:00:00Z", with: time)
            )
            #expect(
                wholes.map { ExportedFacts.time($0.exchange.started) }
                    .contains(time.replacing("Z", with: ".000Z"))
            )
        }
    }

    @Test("a redirect that would forge lines of a folder is refused")
    func forgedHop() async throws {
        func refusal(_ url: String, _ location: String, _ withheld: String) async throws -> String {
            let text = """
                {"log": {"creator": {"name": "apus"}, "entries": [{"request": {"url": "\(url)",
                "method": "GET"}, "response": {"status": 302, "redirectURL": "\(location)"},
                "_apus": {"hop": "yes", "withheld": "\(withheld)"}},
                {"request": {"url": "http://a/", "method": "GET"}, "response": {"status": 200}}]}}
                """
            let path = try bench.folder.write(text, to: "x.har")
            let history = bench.history()
            defer { Task { await history.close() } }
            do {
                _ = try await history.importSession(from: path)
                return ""
            } catch {
                return "\(error)".replacing(path, with: "P")
            }
        }
        #expect(try await refusal("http://a/", "/b c", "Cookie, Authorization").isEmpty)
        #expect(
            try await refusal("http://a/", #"/b\n\nnote: x"#, "")
                == "P: entry 1, response.redirectURL: a URL has no control characters"
        )
        #expect(
            try await refusal("http://a/", "/b", #"Cookie\n< X: y"#)
                == "P: entry 1, _apus.withheld: not header field names"
        )
        #expect(
            try await refusal(#"http://a/\n302"#, "/b", "")
                == "P: entry 1, request.url: not a valid URL"
        )
    }

    /// A file whose second entry is this one.
    private static func entry(_ request: String, _ response: String = #"{"status": 200}"#) -> String
    {
        """
        {"log": {"entries": [
        {"startedDateTime": "2026-11-23T09:00:00Z", "request": {"url": "http://a/", "method": "GET"}},
        {"startedDateTime": "2026-11-23T10:00:00Z", "request": {\(request)}, "response": \(response)}]}}
        """
    }

    @Test("no bytes in a file, changed or cut anywhere, end the program")
    func hostile() async throws {
        var random = SeededGenerator(seed: 17)
        let own = #"{"log":{"creator":{"name":"apus"},"entries":[\#(Self.own)]}}"#
        let files = [
            HARFixtures.chrome, HARFixtures.firefox, HARFixtures.safari, HARFixtures.mitmproxy, own,
        ].map { Array($0.utf8) }
        let pieces = [
            "-1", "null", "[]", "{}", "\"\"", "1e308", "99999999999999999999",
            "9223372036854775807",
            "\"\\ud800\"", "_",
        ]
        let history = bench.history()
        let run = try await history.beginRun(.batch, named: "all")
        var read = 0
        for _ in 0..<3000 {
            var bytes = files[Int.random(in: 0..<files.count, using: &random)]
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                let end = min(bytes.count, place + Int.random(in: 0...8, using: &random))
                let piece = pieces.randomElement(using: &random) ?? ""
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                case 1: bytes.replaceSubrange(place..<end, with: piece.utf8)
                default: bytes.removeSubrange(place..<end)
                }
            }
            guard let reader = try? HARReader(DocumentBytes(bytes), path: "x.har") else { continue }
            for case .success(var exchange) in reader {
                read += 1
                guard read.isMultiple(of: 2) else { continue }
                exchange.record.origin.run = run
                await history.record(exchange.record)
            }
        }
        #expect(read > 500)
        // And what they become is read again.
        try await history.flush()
        let recorded = try await history.exchanges(limit: 10_000)
        #expect(recorded.count == read / 2)
        for exchange in recorded { _ = try #require(try await history.exchange(exchange.id)) }
        #expect(try await history.runs().map(\.count) == [recorded.count])
        await history.close()
    }

    private static let own = #"""
        {"startedDateTime":"2026-11-23T09:00:00.000Z","time":1,"request":{"method":"GET","url":"http://a/"},
        "response":{"status":302,"redirectURL":"/b"},"_apus":{"hop":"yes","withheld":"A, B"}},
        {"startedDateTime":"2026-11-23T09:00:00.000Z","time":1,"request":{"method":"GET","url":"http://a/b"},
        "response":{"status":200},"_apus":{"run":"1 chain x","place":"0","attempts":"2","not kept":
        ["response 5","request 6"],"error":"2201 no","phases":"1 2 3 4 5 6 7","event":"1 a b","cut off":"yes"}}
        """#
}
