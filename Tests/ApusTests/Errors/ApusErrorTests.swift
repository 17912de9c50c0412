import Apus
import FoundationEssentials
import HTTPTypes
import Testing

@Suite("Errors: numbers and words")
struct ApusErrorTests {
    private static let transportReasons: [ApusError.Reason] =
        [
            .invalidRequest(.url("x")), .invalidRequest(.scheme("ftp")),
            .invalidRequest(.encoding(detail: "d")), .invalidRequest(.combination(detail: "d")),
            .invalidRequest(.unsupported("NTLM")), .invalidRequest(.host("h", detail: "d")),
            .vetoed(reason: "no"), .cancelled,
            .bodyNotReplayable(detail: "d"), .bodySource(detail: "d"),
            .nameLookup(host: "h", detail: ""), .connect(host: "h", port: 1, detail: "d"),
            .proxy(detail: "d"), .protocolViolation(detail: "d"), .brokenChunk(detail: "d"),
            .headerTooLarge(limit: 1), .tooManyHeaderLines(limit: 1), .bodyInRedirect(to: "h"),
            .redirectScheme("file"), .redirectLocation("//"),
            .contentDecoding(detail: "d"), .bodyTooLarge(limit: 1),
            .tooManyRedirects(limit: 1), .file(path: "/f", errno: 28),
            .transport(code: 1, detail: "d"), .unacceptableStatus(404),
            .timeout(.connecting, limit: .seconds(1)), .timeout(.waiting, limit: .seconds(1)),
            .timeout(.receiving, limit: .seconds(1)),
        ]
        + ApusError.TLSFailure.allCases.map { .tls($0, host: "h", detail: "d") }
        + ApusError.ConnectionLoss.allCases.map {
            .connectionLost(received: 1, expected: 2, detail: "d", phase: $0)
        }

    @Test("no two reasons of the transport share a number or a title")
    func distinct() {
        let errors = Self.transportReasons.map { ApusError($0) }
        #expect(Set(errors.map(\.code)).count == errors.count)
        let titles = errors.map(\.message.title).filter { $0 != "The request is invalid" }
        #expect(Set(titles).count == titles.count)
        #expect(titles.allSatisfy { !$0.isEmpty && !$0.hasSuffix(".") })
    }

    @Test("a message says what to do")
    func advice() {
        let error = ApusError(
            .tls(.expiredCertificate, host: "api.test", detail: "certificate has expired"),
            request: .init(method: "GET", url: "https://ada:lovelace@api.test/")
        )
        #expect(
            error.description == "[2312] The certificate of api.test has expired: certificate has "
                + "expired. Its owner has to renew it; check this machine's clock too. "
                + "Skip the check for this request: `verifyTLS: false`. "
                + "(GET https://ada:••••••@api.test/)"
        )
    }

    @Test(
        "what hooks and mapping failed at is said",
        arguments: [
            (
                ApusError.Reason.hookFailed(plugin: "Signer", detail: "no key"),
                "[1102] Signer failed: no key"
            ),
            (
                .hookTimeout(plugin: "Signer", limit: .seconds(3)),
                "[1103] Signer timed out after 3 s. Raise its limit (`hookLimit`)."
            ),
            (
                .mapping(.init(.json, path: "$.a[0]", line: 2, column: 7, detail: "no value")),
                "The body cannot be read as expected: $.a[0], line 2, column 7: no value"
            ),
            (.mapping(.init(.empty, detail: "no body")), "read as expected: no body"),
            (
                .envelope(code: "7", message: "closed"),
                "The server refused with code 7: closed"
            ),
        ]
    )
    func reading(reason: ApusError.Reason, words: String) {
        #expect(ApusError(reason).description.contains(words))
    }

    @Test("an error has the catalogue's words for those who know it only as a localized one")
    func localized() {
        let error: any LocalizedError = ApusError(
            .nameLookup(host: "api.test", detail: "no such name")
        )
        #expect(error.errorDescription == "Could not resolve api.test: no such name")
        #expect(error.failureReason == "no such name")
        #expect(
            error.recoverySuggestion == "Check the name, and that this machine is online."
        )
        #expect((ApusError(.cancelled) as any LocalizedError).failureReason == nil)
    }

    @Test("an error's page that cannot be read is told by its status first")
    func errorPage() throws {
        for (status, words) in [
            (404, "[5003] The server answered 404 Not Found: its body cannot be read"),
            (200, "[5003] The body cannot be read as expected"),
        ] {
            let response = Response.make("<html>", status: status)
            let error = #expect(throws: ApusError.self) { try response.value(using: .json) }
            #expect(error?.description.hasPrefix(words) == true)
        }
    }

    @Test("every number stands in the article, once")
    func article() throws {
        let folder = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        func text(_ path: String) throws -> String {
            try String(
                contentsOf: URL(filePath: "/\(folder)/Sources/Apus/\(path)"),
                encoding: .utf8
            )
        }
        let sources = [
            "Errors/ApusError.swift", "Errors/ApusError+Connection.swift",
            "Auth/AuthorizationError.swift",
        ]
        let codes = try sources.map(text).joined().matches(of: /case .*: (\d{4})\n/).map(\.1)
        #expect(codes.count >= 70)
        #expect(Set(codes).count == codes.count)
        let rows = try text("Apus.docc/Errors.md").matches(of: /(?m)^\| (\d{4}.*?) \|/).map(\.1)
        let told = rows.flatMap { $0.split(separator: ", ") }
        #expect(told.sorted() == codes.sorted())
    }

    @Test("a password in a URL that cannot be read stays hidden")
    func maskedURL() {
        let error = ApusError(.invalidRequest(.url("http://ada:lovelace@h:p:q/")))
        #expect(!error.description.contains("lovelace"))
    }
}
