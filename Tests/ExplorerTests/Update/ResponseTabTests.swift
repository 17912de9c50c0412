import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Terminal
import TestSupport
import Testing
import TreeView

@testable import Explorer

@Suite("The tabs of a response")
struct ResponseTabTests {
    /// A response of the server's in its pane, the targets' list with the keys.
    private func play(_ response: Response = .makeRich()) -> Play {
        var play = Play()
        play.type("enter")
        guard let run = play.firedRun else { return play }
        play.receive(.exchange(run, .willSend(response.request, attempt: 1)))
        play.receive(.exchange(run, .response(response)))
        return play
    }

    private func rows(_ play: Play) -> [String] { Grid.rendering(play.model).textRows }

    @Test(
        "a tab is one key or two away, and says what it is for",
        arguments: [
            ("i", ResponseTab.headers, "404 Not Found"), ("i h", .headers, "Content-Type"),
            ("i i", .cookies, "session"), ("i c", .cookies, "Max-Age"), ("i t", .timing, "wait"),
            ("i s", .tls, "api.example.com"), ("i r", .request, "POST https://"),
            ("i w", .raw, "> POST /users"), ("i l", .cookies, "Set by the response"),
            ("i left", .body, ""), ("i esc", .body, ""), ("i i i i i i i", .body, ""),
        ]
    )
    func keys(keys: String, tab: ResponseTab, text: String) {
        var play = play()
        play.type(keys)
        #expect(play.model.panes.focus == .server)
        #expect(play.model.selectedView?.server.tab == tab)
        #expect(rows(play).contains { $0.contains(text) })
    }

    @Test("any other key ends the choice, and does what it always does")
    func otherKey() {
        var play = play()
        play.type("i")
        #expect(play.model.layers.isOpen(.tabLetter))
        play.type("j r")
        #expect(!play.model.layers.isOpen(.tabLetter))
        #expect(play.firedRun != nil)
    }

    @Test("a tab stays for the next response, and its lines are those of that answer")
    func stays() {
        var play = play()
        play.type("i r")
        var next = Response.makeRich()
        next.request.head.path = "/other"
        play.type("r")
        guard let run = play.firedRun else { return #expect(Bool(false)) }
        play.receive(.exchange(run, .response(next)))
        #expect(play.model.selectedView?.server.tab == .request)
        #expect(rows(play).contains { $0.contains("/other") })
    }

    @Test("secrets are masked in what is shown and in what is copied; names of cookies are none")
    func secrets() {
        var play = play()
        for letter in ["h", "c", "r", "w"] {
            play.type("i \(letter) Y")
            let copied = play.effects.compactMap { effect -> String? in
                if case .session(.copy(let text)) = effect { text } else { nil }
            }
            for text in rows(play) + copied {
                #expect(!text.contains("abc123") && !text.contains("abcdefghijklmnop"))
                #expect(!text.contains("dark"))
            }
            #expect(!copied.isEmpty)
        }
        play.type("i h")
        #expect(rows(play).contains { $0.contains("session=••••••; Path=/") })
    }

    @Test("y copies the value under the cursor")
    func copies() {
        var play = play()
        play.type("i j y")
        guard case .session(.copy(let text))? = play.effects.first else {
            return #expect(Bool(false))
        }
        #expect(text == "application/json")
    }

    @Test("/ finds in a tab, n goes on, escape clears and then goes back to the body")
    func finds() {
        var play = play()
        play.type("i / e x a m p l e enter")
        let page = play.model.shownPage
        #expect(page?.matches.isEmpty == false)
        let first = page?.scroll.selection
        play.type("n")
        #expect(play.model.shownPage?.scroll.selection != first)
        play.type("N")
        #expect(play.model.shownPage?.scroll.selection == first)
        play.type("esc")
        #expect(play.model.shownPage?.matches.isEmpty == true)
        play.type("esc")
        #expect(play.model.shownPage == nil)
        #expect(play.model.panes.focus == .server)
    }

    @Test("a click on a tab shows it")
    func click() {
        var play = play()
        let pane = play.model.layout.server
        let row = play.model.selectedView.map { play.model.layout.tabs(of: $0.server, in: pane) }
        guard let row else { return #expect(Bool(false)) }
        let counts = play.model.responseDetails(.server)?.counts ?? [:]
        let item = ResponseTabs(counts: counts, columns: row.columns).items[3]
        let point = Point(x: row.x + item.column, y: row.y)
        play.send(.mouse(MouseEvent(kind: .press, button: .left, position: point)))
        #expect(play.model.selectedView?.server.tab == .timing)
    }

    @Test("lines are wrapped once for a width, however many keys come")
    func wrapsOnce() {
        var response = Response.makeRich()
        for number in 0..<300 {
            let name = HTTPField.Name("X-Field-\(number)") ?? .vary
            response.head.headerFields.append(
                HTTPField(name: name, value: String(repeating: "v", count: 1000))
            )
        }
        var play = play(response)
        play.type("i")
        guard let page = play.model.shownPage else { return #expect(Bool(false)) }
        #expect(page.rows.count > 3000)
        play.type("G")
        let last = play.model.shownPage
        #expect(last?.scroll.selection == page.rows.count - 1)
        // The same rows, not equal ones.
        let isSame = page.rows.withUnsafeBufferPointer { one in
            last?.rows.withUnsafeBufferPointer { $0.baseAddress == one.baseAddress } ?? false
        }
        #expect(isSame)
    }

    @Test(
        "a certificate says how many days it has left",
        arguments: [
            ("Jul  8 02:22:00 2026 GMT", "59 days left"), ("2026-05-11 00:00:00 GMT", "1 day left"),
            ("2026-05-09 12:00:00 GMT", "less than a day left"),
            ("Apr  9 02:22:00 2026 GMT", "expired 30 days ago"), ("tomorrow", nil),
        ]
    )
    func days(text: String, left: String?) {
        let certificate = TransferMetrics.Certificate(
            fields: [.init(name: "Expire date", value: text)]
        )
        #expect(certificate.summary.left(at: .sampleNow) == left)
    }

    private func tls(_ change: (inout Response) -> Void = { _ in }) -> Play {
        var response = Response.makeRich()
        response.metrics?.tls = .init(
            version: "TLSv1.3",
            cipher: "TLS_AES_256_GCM_SHA384",
            applicationProtocol: "h2"
        )
        change(&response)
        var play = play(response)
        play.wall = .sampleNow
        play.type("i s")
        return play
    }

    @Test(
        "the TLS tab shows the session and a readable certificate first, every field behind a key"
    )
    func certificate() {
        var play = tls()
        let short = rows(play).joined(separator: "\n")
        for text in [
            "TLS 1.3", "TLS_AES_256_GCM_SHA384", "h2", "verified", "59 days left", "issuer",
        ] {
            #expect(short.contains(text), "\(text)")
        }
        #expect(!short.contains("Expire date") && short.contains("a shows every field"))
        play.type("a")
        #expect(rows(play).contains { $0.contains("Expire date") })
        play.type("a")
        #expect(!rows(play).contains { $0.contains("Expire date") })
        play.type("i h a")
        #expect(play.model.notice?.text.contains("TLS") == true)
    }

    @Test("a response from a server that was not verified says so in its title, TLS and Timing")
    func unverified() {
        var play = tls { response in
            response.metrics?.tls?.isVerified = false
            response.metrics?.tls?.fault = .selfSignedCertificate
        }
        let rows = self.rows(play)
        #expect(rows.contains { $0.contains("Server") && $0.contains("TLS not verified") })
        #expect(rows.contains { $0.contains("verifyTLS is false; self-signed") })
        play.type("i t")
        #expect(self.rows(play).contains { $0.contains("was not verified (verifyTLS: false)") })
        #expect(!self.rows(tls()).contains { $0.contains("not verified") })
    }

    @Test("a handshake that failed shows the certificate that was refused, and why")
    func refused() throws {
        var play = Play()
        play.wall = .sampleNow
        play.type("enter")
        let run = try #require(play.firedRun)
        var error = ApusError(.tls(.expiredCertificate, host: "h", detail: ""))
        error.refusedConnection = .init(
            tls: .init(version: "TLSv1.2", isVerified: false, fault: .expiredCertificate),
            certificates: Response.makeRich().metrics?.certificates ?? []
        )
        let summary = ExchangeSummary(
            result: .failure(error),
            responseCount: 0,
            attempts: 1,
            duration: .milliseconds(3)
        )
        play.receive(.exchange(run, .finished(summary)))
        play.type("i s")
        let text = rows(play).joined(separator: "\n")
        for word in [
            "The handshake failed", "expired", "TLS 1.2", "CN = api.example.com", "Issued by",
        ] {
            #expect(text.contains(word), "\(word)")
        }
        #expect(error.message.advice?.contains("`verifyTLS: false`") == true)
    }

    @Test("cookies that a redirect sets are shown with the hop that set them")
    func redirectCookies() {
        var response = Response.makeRich()
        response.head.headerFields[.setCookie] = nil
        var play = play(response)
        play.type("i c")
        #expect(rows(play).contains { $0.contains("Neither the response nor a redirect") })
        response.metrics?.redirects[0].fields = [
            .location: "/", .setCookie: "login=s3cr3t; Path=/; HttpOnly",
        ]
        var other = self.play(response)
        other.type("i c")
        let text = rows(other).joined(separator: "\n")
        #expect(text.contains("Set by redirect 1: 301, http://example.com/users"))
        #expect(text.contains("login") && text.contains("HttpOnly") && !text.contains("s3cr3t"))
        #expect(text.contains("Cookies 1"))
    }

    @Test("title, session and the tab Timing say one time: that of the whole exchange")
    func oneTime() throws {
        var play = Play()
        play.type("enter")
        let run = try #require(play.firedRun)
        let response = Response.makeRich()
        play.receive(.exchange(run, .response(response)))
        let summary = ExchangeSummary(
            result: .success(response),
            responseCount: 1,
            attempts: 1,
            duration: .milliseconds(77)
        )
        play.receive(.exchange(run, .finished(summary)))
        play.type("i t")
        let rows = self.rows(play)
        #expect(rows.contains { $0.contains("Server") && $0.contains("77 ms") })
        #expect(rows.contains { $0.contains("total") && $0.contains("77 ms") })
        #expect(rows.contains { $0.contains("elsewhere") && $0.contains("29 ms") })
        let session = rows.last { $0.contains("404") && $0.contains("dns") || $0.contains("wait") }
        #expect(session?.contains("77 ms") == true, "\(rows.suffix(8))")
        #expect(!rows.contains { $0.contains("48 ms") })
    }

    @Test("the title says the status in words, where there is room")
    func phrase() {
        #expect(rows(play()).contains { $0.contains("404 Not Found") })
    }
}

@Suite("What the cache and the server said")
struct ResponseSourceTests {
    private func hit(_ decision: CacheDecision?) -> Response {
        var response = Response.make(Scene.cachedBody, source: .makeDisk(expiresIn: -100))
        response.decision = decision
        return response
    }

    private func end(_ response: Response, attempts: Int) -> ExchangeEvent {
        .finished(
            ExchangeSummary(
                result: .success(response),
                responseCount: 1,
                attempts: attempts,
                duration: .milliseconds(3)
            )
        )
    }

    @Test("a 304 stands in the server's pane, and what it confirmed is not stale")
    func revalidated() throws {
        var play = Play()
        play.wall = .sampleNow
        play.type("enter")
        let run = try #require(play.firedRun)
        let response = hit(CacheDecision(outcome: .updated, rule: .notModified, findings: []))
        play.receive(.exchange(run, .response(response)))
        play.receive(.exchange(run, end(response, attempts: 1)))
        let rows = Grid.rendering(play.model).textRows
        #expect(rows.contains { $0.contains("304 Not Modified") })
        #expect(rows.contains { $0.contains("revalidated") })
        #expect(!rows.contains { $0.contains("stale") })
        #expect(play.model.selectedView?.outcome == .status(304, isFromCache: true))
    }

    @Test("a hit that was all that was asked for empties the pane of a server that was not asked")
    func notAsked() throws {
        var play = Play()
        play.type("enter")
        let first = try #require(play.firedRun)
        play.receive(.exchange(first, .response(.sample("[1]"))))
        play.receive(.exchange(first, end(.sample("[1]"), attempts: 1)))
        play.model.sending.source = .cacheIfPossible
        play.type("enter")
        let second = try #require(play.firedRun)
        play.receive(.exchange(second, .response(hit(nil))))
        play.receive(.exchange(second, end(hit(nil), attempts: 0)))
        #expect(play.model.selectedView?.server.response == nil)
        #expect(Grid.rendering(play.model).textRows.contains { $0.contains("not asked") })
    }

    @Test("a body that was cut says how much of it came")
    func cut() {
        var response = Response.make(String(repeating: "x", count: 2000), isComplete: false)
        response.head.headerFields[.contentLength] = "4100"
        #expect(response.receivedSize == "2.0 of 4.1 kB")
        #expect(
            ApusError(.cancelled, response: response).receivedText?.contains("2.0 of 4.1 kB")
                == true
        )
        response.head.headerFields[.contentLength] = nil
        #expect(response.receivedSize == "2.0 kB, incomplete")
    }

    @Test("a long error is wrapped, and none of it is cut", arguments: [(120, 40), (80, 24)])
    func longError(columns: Int, rows: Int) throws {
        var play = Play(size: Size(columns: columns, rows: rows))
        play.type("enter")
        let run = try #require(play.firedRun)
        let words = (1...60).map { "word\($0)" }
        let error = ApusError(.vetoed(reason: words.joined(separator: " ")))
        let summary = ExchangeSummary(
            result: .failure(error),
            responseCount: 0,
            attempts: 0,
            duration: .zero
        )
        play.receive(.exchange(run, .finished(summary)))
        play.type("3 z")
        let text = Grid.rendering(play.model).textRows.joined(separator: "\n")
        for word in words { #expect(text.contains(word)) }
    }
}

@Suite("Saving a body")
struct BodySavingTests {
    private func play() throws -> Play {
        var play = Play()
        play.type("enter")
        let run = try #require(play.firedRun)
        play.receive(.exchange(run, .response(.make(#"{"a": 1}"#))))
        return play
    }

    private func asked(_ play: Play) -> (path: String, isReplacing: Bool)? {
        guard case .saveBody(_, let path, let isReplacing)? = play.effects.first else { return nil }
        return (path, isReplacing)
    }

    @Test("the name is suggested by the URL and the type, and enter saves")
    func suggests() throws {
        var play = try play()
        play.type("W")
        #expect(play.model.layers.prompt?.field.text == "7.json")
        play.type("enter")
        let (path, isReplacing) = try #require(asked(play))
        #expect(path == "7.json" && !isReplacing)
    }

    @Test(
        "a file that is there goes only for a y",
        arguments: [("enter", false), ("y enter", true), ("n enter", false), ("esc", false)]
    )
    func asks(keys: String, isReplaced: Bool) throws {
        var play = try play()
        play.receive(.bodySaved(.exists(.bytes([1]), path: "a.json")))
        #expect(
            Grid.rendering(play.model).textRows.contains {
                $0.contains("a.json already exists. Overwrite? y / esc")
            }
        )
        play.type(keys)
        #expect((asked(play)?.isReplacing ?? false) == isReplaced)
        #expect(play.model.layers.prompt == nil)
    }

    @Test("a body is written whole, over nothing that is there, and nothing is left beside it")
    func writes() throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/a.bin"
        let body = ResponseBody.bytes(Array(repeating: 7, count: 600_000))
        guard case .saved(_, 600_000) = BodySaveOutcome(of: body, to: path, replacing: false) else {
            return #expect(Bool(false))
        }
        guard case .exists = BodySaveOutcome(of: .bytes([1]), to: path, replacing: false) else {
            return #expect(Bool(false))
        }
        #expect(try Data(contentsOf: URL(filePath: path)).count == 600_000)
        guard case .saved = BodySaveOutcome(of: .bytes([1]), to: path, replacing: true) else {
            return #expect(Bool(false))
        }
        #expect(try Data(contentsOf: URL(filePath: path)).count == 1)
        guard
            case .failed(let text) = BodySaveOutcome(
                of: body,
                to: "\(folder.path)/no/a",
                replacing: false
            )
        else { return #expect(Bool(false)) }
        #expect(text.contains("no/a") && !text.contains(".apus-"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.bin"])
    }
}

@Suite("A body that is still coming")
struct GrowingBodyTests {
    private func growth(_ lines: Int) -> (Response, BodyDocument) {
        let text = (0..<lines).map { "line \($0)\n" }.joined()
        let response = Response.make(text, type: "text/plain", isComplete: false)
        return (response, BodyDocument(DocumentBytes(Array(text.utf8)), contentType: "text/plain"))
    }

    @Test("what has come is shown, and the cursor follows its end unless it is moved")
    func follows() throws {
        var play = Play()
        play.type("enter")
        let run = try #require(play.firedRun)
        func grow(_ lines: Int) {
            let (response, body) = growth(lines)
            play.receive(.grown(run, response, body))
        }
        grow(100)
        #expect(play.model.selectedView?.server.isReceiving == true)
        let rows = Grid.rendering(play.model).textRows
        #expect(rows.contains { $0.contains("so far") })
        #expect(rows.contains { $0.contains("line 99") })
        play.wait(.seconds(1))
        grow(200)
        #expect(Grid.rendering(play.model).textRows.contains { $0.contains("line 199") })
        play.type("3 g")
        grow(300)
        #expect(play.model.selectedView?.server.document.scroll.selection == 0)
        #expect(Grid.rendering(play.model).textRows.contains { $0.contains("line 0") })
        play.type("G")
        grow(400)
        #expect(Grid.rendering(play.model).textRows.contains { $0.contains("line 399") })
    }

    @Test("a search holds the rows that it is about")
    func holds() throws {
        var play = Play()
        play.type("enter")
        let run = try #require(play.firedRun)
        let (first, second) = (growth(10), growth(20))
        play.receive(.grown(run, first.0, first.1))
        play.type("3 /")
        play.receive(.grown(run, second.0, second.1))
        #expect(play.model.selectedView?.server.document.body?.bytes === first.1.bytes)
    }

    @Test("the end takes the place of what came before, and a run that has ended grows no more")
    func ends() throws {
        var play = Play()
        play.type("enter")
        let run = try #require(play.firedRun)
        let (response, body) = growth(10)
        play.receive(.grown(run, response, body))
        let summary = ExchangeSummary(
            result: .failure(ApusError(.cancelled, response: response)),
            responseCount: 0,
            attempts: 1,
            duration: .seconds(1)
        )
        play.receive(.exchange(run, .finished(summary)))
        play.receive(.grown(run, response, body))
        #expect(play.model.selectedView?.server.failure?.reason == .cancelled)
    }
}
