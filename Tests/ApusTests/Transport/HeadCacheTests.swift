import HTTPTypes
import TestSupport
import Testing

@testable import Apus

@Suite("Heads and fields that came lately")
struct RecentHeadsTests {
    /// A head as all its reader tells of it.
    private struct Reading: Equatable {
        var response: HTTPResponse?
        var irregularLines: [String]
        var framingFault: ParsedHead.FramingFault?
    }

    private static func reading(_ lines: [String], _ recent: HeadCache) -> Reading {
        let head = HeadCollector()
        var whole: CopyOnWriteBox<ParsedHead>?
        for line in lines {
            let event = Array("\(line)\r\n".utf8).withUnsafeBytes { head.handle($0) }
            if case .ended = event { whole = head.finish(recent) }
        }
        return Reading(
            response: head.response,
            irregularLines: head.irregularLines,
            framingFault: whole?.value.framingFault
        )
    }

    /// Lines of one length are many, so that they meet at one place; most come again and again.
    private static func line(_ generator: inout SeededGenerator) -> String {
        let number = Int.random(in: 100..<400, using: &generator)
        let long = String(repeating: "v", count: 110 + number % 20)
        let lines = [
            "X-Number: \(number)", "x-number: \(number)", "X-Number:\(number)",
            "X-Long: \(long)\(number)", "Server: nginx", "Content-Length: \(number % 2)",
            "Set-Cookie: a=\(number % 3)", "no field at all", ": \(number)",
            " folded \(number % 4)",
            "X-Empty:", "X-Spaces: \t a b \t", "X-Ä: \(number % 5)", "X-Text: ä\(number % 5)",
        ]
        // Twice as likely as any other, for there are most of them.
        return Bool.random(using: &generator)
            ? lines[0] : lines.randomElement(using: &generator) ?? ""
    }

    @Test("heads are read as they are without them, whatever came before", arguments: 1...8)
    func property(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let recent = HeadCache()
        // A few heads come again and again, as those of one server do.
        var known: [[String]] = []
        for _ in 0..<3000 {
            var lines = ["HTTP/1.1 200 OK"]
            for _ in 0..<Int.random(in: 0...8, using: &generator) {
                lines.append(Self.line(&generator))
            }
            lines.append("")
            if known.count < 20 {
                known.append(lines)
            } else if Int.random(in: 0..<3, using: &generator) > 0 {
                lines = known.randomElement(using: &generator) ?? lines
            }
            let none = HeadCache()
            let reading = Self.reading(lines, recent)
            guard reading == Self.reading(lines, none) else {
                Issue.record("\(lines) was read as \(reading)")
                return
            }
        }
    }

    @Test("what comes a third time is not made again, a cookie and a long head are")
    func keeping() {
        let recent = HeadCache()
        func isKept(_ lines: String) -> Bool {
            let heads = (0..<4).map { _ in
                Array(lines.utf8).withUnsafeBytes { recent.head($0) }
            }
            return heads[2] != nil && heads[2] === heads[3]
        }
        #expect(isKept("HTTP/1.1 200 OK\r\nServer: nginx\r\n"))
        #expect(!isKept("HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\n"))
        let long = String(repeating: "v", count: 1100)
        #expect(!isKept("HTTP/1.1 200 OK\r\nX-Long: \(long)\r\n"))
    }

    @Test("what is no status line has no status, and no end of a line is lost")
    func edges() {
        let recent = HeadCache()
        func head(_ lines: String) -> ParsedHead? {
            Array(lines.utf8).withUnsafeBytes { recent.head($0) }?.value
        }
        #expect(head("") == nil)
        for line in ["Server: nginx\r\n", "HTTP/1.1  200 OK", "http/1.1 200 OK", "HTTP/1.1 20 OK"] {
            #expect(head(line)?.status == 0, "\(line)")
        }
        #expect(head("HTTP/1.1 204")?.status == 204)
        let bare = head("HTTP/1.1 200 Fine indeed\nA: 1\nB: 2")
        #expect(bare?.response.status.reasonPhrase == "Fine indeed")
        #expect(bare?.response.headerFields.map(\.value) == ["1", "2"])
    }
}
