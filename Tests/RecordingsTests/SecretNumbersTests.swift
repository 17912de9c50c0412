import Apus
import Documents
import FoundationEssentials
import Glibc
import HTTPTypes
import Recordings
import TestSupport
import Testing

@testable import Secrets

@Suite("the numbers of a session's secrets")
struct SecretNumbersTests {
    private let bench = HistoryBench()

    @Test("a secret has the same number wherever it stands, and in whatever form")
    func everywhere() async throws {
        let history = bench.history(secrets: ["s3cret/one", "ada:s3cretTwo"])
        let session = try await history.session(named: "s")
        let request = PreparedRequest.make(
            "/s3cret%2Fone?access_token=s3cret%2Fone&api_key=s3cretThree&page=2",
            method: .post,
            authority: "eve:s3cretFour@api.example.com",
            fields: [
                .authorization: "Bearer s3cret/one", .xAPIKey: "s3cretThree",
                .cookie: "id=s3cretFive; theme=s3cretSix",
                .proxyAuthorization: "Basic \(Data("ada:s3cretTwo".utf8).base64EncodedString())",
                .accept: "x; s3cret/one", .contentType: "application/json",
            ],
            body: .bytes(Array(#"{"password":"s3cretFive","text":"s3cret\/one"}"#.utf8))
        )
        var origin = ExchangeOrigin(environment: "local")
        origin.variables = ["password": "s3cretFive", "where": "at s3cret/one", "page": "2"]
        let record = ExchangeRecord.make(
            request,
            fields: [.setCookie: "id=s3cretFive; Path=/; HttpOnly"],
            body: Array(#"{"token":"s3cret/one","other":"s3cretFour"}"#.utf8),
            origin: origin
        )
        try await history.keep([record], in: session)
        let whole = try #require(try await history.exchange(1))
        let fields = whole.request.head.headerFields
        let one = try #require(fields[.authorization]?.split(separator: " ").last)
        #expect(one.wholeMatch(of: /••\d+/) != nil)
        #expect(fields[.accept] == "x; \(one)")
        let key = try #require(fields[.xAPIKey])
        #expect(whole.request.head.path == "/\(one)?access_token=\(one)&api_key=\(key)&page=2")
        #expect(whole.request.head.authority?.wholeMatch(of: /eve:••\d+@api\.example\.com/) != nil)
        let cookie = try #require(fields[.cookie]?.wholeMatch(of: /id=(••\d+); theme=(••\d+)/))
        #expect(cookie.1 != cookie.2)
        #expect(fields[.proxyAuthorization]?.wholeMatch(of: /Basic ••\d+/) != nil)
        let response = try #require(whole.response)
        #expect(response.head.headerFields[.setCookie] == "id=\(cookie.1); Path=/; HttpOnly")
        #expect(
            whole.request.body
                == .bytes(Array(#"{"password":"\#(cookie.1)","text":"\#(one)"}"#.utf8))
        )
        #expect(try response.value(using: .string).hasPrefix(#"{"token":"\#(one)","other":"#))
        #expect(whole.variables["password"] == String(cookie.1))
        #expect(whole.variables["where"] == "at \(one)" && whole.variables["page"] == "2")
        await history.close()
        try bench.expectNone(
            of: "s3cretOne",
            "s3cret/one",
            "s3cretTwo",
            "s3cretThree",
            "s3cretFive"
        )
    }

    private func password(_ text: String) -> ExchangeRecord {
        .make(.make(fields: [.authorization: "Bearer \(text)"]))
    }

    private func numbers(of session: RecordedSession.ID) async throws -> [String] {
        let history = bench.history()
        var filter = HistoryFilter()
        filter.session = session
        var found: [String] = []
        for exchange in try await history.exchanges(matching: filter).reversed() {
            let whole = try await history.exchange(exchange.id)
            found.append(whole?.request.head.headerFields[.authorization] ?? "")
        }
        await history.close()
        return found
    }

    @Test(
        "two that record into a session give a secret the same number, and another session another digest"
    )
    func processes() async throws {
        let (one, other) = (bench.history(), bench.history())
        let session = try await one.session(named: "s")
        let second = try await one.session(named: "t")
        try await one.keep([password("a-secret")], in: session)
        try await other.keep([password("b-secret"), password("a-secret")], in: session)
        try await one.keep([password("c-secret"), password("b-secret")], in: session)
        try await one.keep([password("c-secret")], in: second)
        await one.close()
        await other.close()
        #expect(
            try await numbers(of: session)
                == ["Bearer ••1", "Bearer ••2", "Bearer ••1", "Bearer ••3", "Bearer ••2"]
        )
        #expect(try await numbers(of: second) == ["Bearer ••1"])
        let digests = try bench.read("SELECT hex(digest) FROM mask")
        #expect(Set(digests).count == 4 && digests.allSatisfy { $0.utf8.count == 32 })
    }

    @Test(
        "the key stands beside the history; without it numbers go on, and a session takes its own along"
    )
    func key() async throws {
        let history = bench.history()
        let session = try await history.session(named: "s")
        try await history.keep([password("a-secret")], in: session)
        await history.close()
        let key = try PrivateFiles.read("\(bench.path)-key")
        #expect(key.count == 32)
        let file = try Data(contentsOf: URL(filePath: bench.path))
        #expect(file.firstRange(of: Data(key)) == nil)
        try FileManager.default.removeItem(atPath: "\(bench.path)-key")
        let again = bench.history()
        try await again.keep([password("a-secret"), password("a-secret")], in: session)
        await again.close()
        #expect(try await numbers(of: session) == ["Bearer ••1", "Bearer ••2", "Bearer ••2"])
        let last = bench.history()
        try await last.delete(session)
        await last.close()
        #expect(try bench.read("SELECT hex(digest) FROM mask").isEmpty)
    }

    @Test("what a workspace's rules name or match has a number, too, in whatever form")
    func rules() async throws {
        let history = bench.history()
        let session = try await history.session(named: "s")
        var request = PreparedRequest.make(
            "/a?mail=ada%40example.com&pin=s3cretPin",
            method: .post,
            fields: [.accept: "ada@example.com", .contentType: "application/json"],
            body: .bytes(
                Array(#"{"user": {"pin": "s3cretPin"}, "to": "ada\u0040example.com"}"#.utf8)
            )
        )
        let pattern = try RegularExpression(multiline: #"\w+@[\w.]+"#)
        request.options.secretRules = SecretRules(names: ["PIN"], patterns: [pattern])
        try await history.keep([.make(request)], in: session)
        let whole = try #require(try await history.exchange(1))
        let found = try #require(
            whole.request.head.path?.wholeMatch(of: /\/a\?mail=(••\d)&pin=(••\d)/)
        )
        #expect(found.1 != found.2)
        #expect(whole.request.head.headerFields[.accept] == String(found.1))
        #expect(
            whole.request.body
                == .bytes(Array(#"{"user": {"pin": "\#(found.2)"}, "to": "\#(found.1)"}"#.utf8))
        )
        // Replayed, they come from the request as its target makes it now.
        var secrets = ReplaySecrets()
        let restored = secrets.restore(whole.request, from: request)
        #expect(restored.missing == [] && restored.request.head == request.head)
        await history.close()
    }

    @Test("a key that cannot be read now is not replaced")
    func unreadableKey() async throws {
        // Nobody can read a link to itself.
        try FileManager.default.createDirectory(
            atPath: "\(bench.folder.path)/apus",
            withIntermediateDirectories: true
        )
        symlink("history.sqlite-key", "\(bench.path)-key")
        let history = bench.history()
        let session = try await history.session(named: "s")
        await #expect(throws: RecordingError.self) {
            try await history.keep([password("a-secret")], in: session)
        }
        var status = stat()
        #expect(lstat("\(bench.path)-key", &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        await history.close()
    }

    @Test(
        "no number of a deleted session or run is given again, and a new session's masks begin anew"
    )
    func deleted() async throws {
        let history = bench.history()
        // More than there are exchanges: the highest number is that of the one that is deleted.
        for name in ["x", "y"] {
            _ = try await history.session(named: name)
            _ = try await history.beginRun(.batch, named: name)
        }
        let first = try await history.session(named: "s")
        let run = try await history.beginRun(.batch, named: "b", in: first)
        try await history.keep([password("a-secret")], in: first)
        try await history.delete(first)
        let second = try await history.session(named: "s")
        let other = try await history.beginRun(.batch, named: "b", in: second)
        #expect(second != first && other != run)
        try await history.keep([password("b-secret"), password("c-secret")], in: second)
        await history.close()
        let again = bench.history()
        try await again.keep([password("c-secret"), password("d-secret")], in: second)
        await again.close()
        #expect(
            try await numbers(of: second)
                == ["Bearer ••1", "Bearer ••2", "Bearer ••2", "Bearer ••3"]
        )
    }

    @Test("who goes on recording into a session that another deleted fills nobody's")
    func gone() async throws {
        let (one, other) = (bench.history(), bench.history())
        let session = try await one.session(named: "s")
        let run = try await one.beginRun(.batch, named: "b", in: session)
        try await one.keep([password("a-secret")], in: session)
        try await other.delete(session)
        let new = try await other.session(named: "s")
        let record = ExchangeRecord.make(
            .make("/late", fields: [.authorization: "Bearer b-secret"]),
            origin: .init(run: run)
        )
        try await one.keep([record, password("a-secret")], in: session)
        let left = try await other.exchanges()
        #expect(left.map(\.session) == [nil, nil] && left.map(\.origin.run) == [nil, nil])
        #expect(try await other.sessions().map(\.count) == [0])
        #expect(try await other.sessions().map(\.id) == [new])
        #expect(try bench.read("SELECT hex(digest) FROM mask").isEmpty)
        #expect(try bench.read("SELECT count || '' FROM total") == ["2"])
        await one.close()
        await other.close()
    }

    @Test("a mask that comes with an exchange is no other secret's, wherever it stands")
    func imported() async throws {
        let history = bench.history()
        let session = try await history.session(named: "s")
        let masked = ExchangeRecord.make(
            .make("/a", fields: [.authorization: "Bearer ••1"]),
            body: Array(#"{"text": "as ••2 and ••99999999999999999999"}"#.utf8)
        )
        try await history.keep([masked, password("a-secret")], in: session)
        try await history.keep([.make(.make("/x?text=••4")), password("b-secret")], in: session)
        await history.close()
        let again = bench.history()
        try await again.keep([password("c-secret"), password("a-secret")], in: session)
        await again.close()
        let found = try await numbers(of: session).map { $0.suffix(3) }
        #expect(found == ["••1", "••3", "", "••5", "••6", "••3"])
    }

    @Test("outside of a session, and with secrets kept, nothing has a number")
    func without() async throws {
        let history = bench.history()
        try await history.keep([password("a-secret")])
        #expect(
            try await history.exchange(1)?.request.head.headerFields[.authorization] == "••••••"
        )
        await history.close()
        let open = bench.history(keepsSecrets: true)
        let session = try await open.session(named: "s")
        try await open.keep([password("a-secret")], in: session)
        await open.close()
        #expect(try await numbers(of: session) == ["Bearer a-secret"])
    }

    @Test("a digit behind a secret is not taken for a part of its number")
    func digit() async throws {
        let history = bench.history(secrets: ["s3cret/one"])
        let session = try await history.session(named: "s")
        try await history.keep([.make(.make("/s3cret/one7"))], in: session)
        #expect(try await history.paths("") == ["/••••••7"])
        await history.close()
    }

    @Test("what is a credential by its place is one elsewhere in the exchange, too")
    func echoed() async throws {
        let history = bench.history()
        let session = try await history.session(named: "s")
        let request = PreparedRequest.make(
            "/a?access_token=s3cretQuery",
            fields: [.authorization: "Bearer s3cretBearer"],
            body: .bytes(Array(#"{"password": "s3cretMember", "say": "of s3cretMember"}"#.utf8))
        )
        let said = "s3cretQuery, s3cretBearer and s3cretMember"
        try await history.keep([.make(request, body: Array(said.utf8))], in: session)
        try await history.keep([.make(request, body: Array(said.utf8))])
        let whole = try #require(try await history.exchange(1))
        let text = try #require(try whole.response?.value(using: .string))
        #expect(text.wholeMatch(of: /••\d, ••\d and ••\d/) != nil)
        #expect(Set(text.split(separator: " ")).count == 4)
        await history.close()
        try bench.expectNone(of: "s3cretQuery", "s3cretBearer", "s3cretMember")
    }
}
