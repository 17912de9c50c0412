import Apus
import FoundationEssentials
import Terminal
import Testing
import Workspaces

@testable import Explorer

@Suite("Words for what went wrong")
struct ErrorMessagesTests {
    static let reasons: [ApusError.Reason] = [
        .invalidRequest(.url("x")), .invalidRequest(.scheme("ftp")),
        .invalidRequest(.encoding(detail: "NaN")), .invalidRequest(.combination(detail: "both")),
        .invalidRequest(.target(detail: "no id")), .invalidRequest(.unsupported("brotli")),
        .invalidRequest(.fields(detail: "too many")),
        .bodyNotReplayable(detail: "a stream"), .bodySource(detail: "too short"),
        .headerTooLarge(limit: 1_048_576), .tooManyHeaderLines(limit: 10_000),
        .bodyInRedirect(to: "other.example"), .redirectScheme("file"),
        .redirectLocation("//"),
        .brokenChunk(detail: "no length"),
        .authorization(.noToken), .envelope(code: "7", message: "sold out"),
        .vetoed(reason: "read-only"), .hookFailed(plugin: "Tokens", detail: "no token"),
        .hookTimeout(plugin: "Tokens", limit: .seconds(30)), .cancelled,
        .nameLookup(host: "nowhere", detail: "no address"),
        .connect(host: "127.0.0.1", port: 8080, detail: "connection refused"),
        .tls(.untrustedCertificate, host: "h", detail: "self-signed"),
        .tls(.pinMismatch, host: "h", detail: ""), .tls(.clientCertificate, host: "h", detail: ""),
        .tls(.certificateAuthority, host: "h", detail: ""), .tls(.handshake, host: "h", detail: ""),
        .timeout(.connecting, limit: .seconds(5)), .timeout(.waiting, limit: .seconds(5)),
        .timeout(.receiving, limit: .seconds(5)), .timeout(.step, limit: .seconds(5)),
        .timeout(.lookingUp, limit: .seconds(5)), .timeout(.securing, limit: .seconds(5)),
        .proxy(detail: "refused"),
        .proxy(detail: "", at: .init(name: "h:1", variable: "http_proxy", failure: .connect)),
        .proxy(detail: "", at: .init(name: "h:1", failure: .nameLookup)),
        .proxy(detail: "407", at: .init(name: "h:1", failure: .refused)),
        .tls(.certificateRequired, host: "h", detail: ""),
        .tls(.certificateRefused, host: "h", detail: ""),
        .tls(.protocolVersion, host: "h", detail: ""),
        .tls(.endedAfterHandshake, host: "h", detail: ""),
        .invalidRequest(.host("http://a..b/", detail: "it has an empty label")),
        .tooManyRedirects(limit: 20), .bodyTooLarge(limit: 1_000_000),
        .connectionLost(received: 48, expected: 1200, detail: "closed"),
        .connectionLost(received: 48, expected: nil, detail: ""),
        .protocolViolation(detail: "no status line"), .contentDecoding(detail: "bad gzip"),
        .file(path: "/tmp/x", errno: 28), .transport(code: 56, detail: "odd"),
        .unacceptableStatus(404),
        .cacheMiss(CacheKey(digest: "d", recipe: "secret recipe"), .notFound),
        .mapping(ApusError.MappingFault(.json, detail: "not JSON")),
    ]

    @Test("every reason has a title in one line, and ends its sentences", arguments: reasons)
    func everyReason(_ reason: ApusError.Reason) {
        let message = ApusError(reason).message
        #expect(!message.title.isEmpty)
        #expect(!message.title.contains("\n"))
        #expect(!message.title.hasSuffix("."))
        #expect(message.advice.map { $0.hasSuffix(".") || $0.hasSuffix("?") } ?? true)
        #expect(!reason.shortName.isEmpty)
        #expect(reason.shortName.count <= 16)
        #expect(!"\(message)".contains("secret"))
    }

    @Test("words for who writes no Swift have no name of it", arguments: reasons)
    func noSwift(_ reason: ApusError.Reason) {
        let text = ApusError(reason).workspaceMessage.description
        #expect(!text.contains("Swift") && !text.contains("(`") && !text.contains(" ."))
    }

    @Test("words for who writes Swift have its names alone", arguments: reasons)
    func swift(_ reason: ApusError.Reason) {
        let text = ApusError(reason).message.description
        #expect(!text.contains("in Swift") && !text.contains("--"))
        for key in ["maxBody", "decode", "validate", "trustRedirects"] {
            #expect(!text.contains("`\(key)`"))
        }
    }

    @Test("a limit is named by what it is called where it is set")
    func voices() {
        let error = ApusError(.bodyTooLarge(limit: 1_000_000))
        #expect(error.message.advice == "Raise `maximumBodySize`.")
        #expect(error.workspaceMessage.advice == "Raise `maxBody`.")
        let hook = ApusError(.hookTimeout(plugin: "Signer", limit: .seconds(3)))
        #expect(hook.message.advice == "Raise its limit (`hookLimit`).")
        #expect(hook.workspaceMessage.advice == "Raise its limit.")
    }

    @Test(
        "a key that words for a workspace name is one of a workspace's",
        arguments: reasons
    )
    func namedKeys(_ reason: ApusError.Reason) throws {
        let words = ApusError(reason).workspaceMessage.description
        for match in words.matches(of: #/`(\w+)`/#) {
            let text = "defaults: { \(match.1): [] }\ntargets: {}\n"
            do throws(WorkspaceError) {
                _ = try Workspace.parse(text: text, file: "a.apus.yaml")
            } catch {
                #expect(!error.description.contains("unknown key"), "\(match.1)")
            }
        }
    }

    @Test("a refused connection says where to, why, and what to do")
    func refused() {
        let error = ApusError(
            .connect(host: "127.0.0.1", port: 8080, detail: "connection refused")
        )
        #expect(
            error.paneTexts == [
                "Could not connect to 127.0.0.1:8080", "Connection refused.",
                "Check that the server is running and that the port is right. r sends it again.",
            ]
        )
    }

    static let misses: [(CacheMissReason, String)] = [
        (.notFound, "miss"), (.expired(since: .sampleNow), "expired"),
        (.corrupt(detail: "bad"), "damaged, removed"), (.policyNone, "not cached"),
        (.notFirstUse, "already used once"), (.otherForm("zip"), "other serializer"),
        (.unavailable(detail: "locked"), "cache cannot be read"),
    ]

    @Test("every miss has a short name and a sentence", arguments: misses)
    func miss(_ reason: CacheMissReason, name: String) {
        #expect(reason.shortName == name)
        #expect(!reason.text.isEmpty)
    }

    static let outcomes: [(CacheStoreOutcome, String)] = [
        (.stored(.memoryAndDisk, expires: .sampleNow + 300), "stored in memory and on disk"),
        (.stored(.disk, expires: nil), "stored on disk forever"),
        (.stored(.memory, expires: .sampleNow - 1), "stored in memory, already stale"),
        (.notStored(.policyNone), "not stored: this target is not cached"),
        (.notStored(.expired), "not stored: already expired"),
        (.notStored(.status(404)), "not stored: status 404"),
        (.notStored(.predicate), "not stored: the target's rule"),
        (.notStored(.rule), "not stored: the source's rule"),
        (
            .notStored(.tooLarge(bytes: 2_000_000, limit: 1_000_000)),
            "not stored: 2.0 MB, limit 1.0 MB"
        ),
        (.notStored(.incomplete), "not stored: incomplete"),
        (.notStored(.notFromServer), "not stored: not from the server"),
        (.notStored(.downloaded), "not stored: saved to a file"),
        (.notStored(.unknownAccount), "not stored: credentials of an unknown account"),
        (.notStored(.unknownWay), "not stored: an interceptor changed how it was sent"),
        (.notStored(.http(.responseNoStore)), "not stored: \(CacheRule.responseNoStore.summary)"),
        (.notStored(.failed(detail: "the disk is full")), "not stored: the disk is full"),
    ]

    @Test("every outcome of storing has a short text", arguments: outcomes)
    func outcome(_ outcome: CacheStoreOutcome, text: String) {
        #expect(outcome.text(now: .sampleNow) == text)
    }
}
