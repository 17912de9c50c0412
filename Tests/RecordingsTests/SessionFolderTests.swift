import Apus
import FoundationEssentials
import Glibc
import HTTPTypes
import TestSupport
import Testing

@testable import Recordings

@Suite("sessions as folders of text files")
struct SessionFolderTests {
    private let bench = HistoryBench()

    private var path: String { bench.folder.path + "/session" }

    private func recorded(_ records: [ExchangeRecord]) async throws -> History {
        let history = bench.history()
        let session = try await history.beginSession(named: "one")
        try await history.keep(records, in: session)
        try await history.exportSession(session, toFolder: path)
        return history
    }

    private func names(_ path: String) -> [String] { Folders.names(in: path).sorted() }

    private func text(_ name: String) throws -> String {
        String(decoding: try bytes(name), as: UTF8.self)
    }

    private func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: "\(path)/\(name)")))
    }

    @Test(
        "a file reads from above: request, response, what is known, and last what is another each time"
    )
    func text() async throws {
        let body =
            #"{"id":7,"name":"Ada","roles":["admin","editor"],"comment":"no blanks, so it is shown in lines"}"#
        let history = try await recorded([
            .make(
                .make(
                    "/users/7?token=abc",
                    method: .post,
                    fields: [.authorization: "Bearer abc", .contentType: "text/plain"],
                    body: .bytes(Array("two\n\n lines\n".utf8))
                ),
                status: 201,
                fields: [.contentType: "application/json"],
                body: Array(body.utf8)
            )
        ])
        #expect(names(path) == [".gitattributes", "001-post-users-7.txt", "session.txt"])
        #expect(try text("session.txt") == "apus session 1\none\n")
        let shown = try text("001-post-users-7.txt")
        #expect(
            shown == """
                POST https://api.example.com/users/7?token=••1
                > Authorization: Bearer ••1
                > Content-Type: text/plain
                >
                > two
                >
                >  lines
                >

                HTTP/2 201
                < Content-Type: application/json
                <~ JSON
                <
                < {
                <   "id": 7,
                <   "name": "Ada",
                <   "roles": [
                <     "admin",
                <     "editor"
                <   ],
                <   "comment": "no blanks, so it is shown in lines"
                < }

                target: users
                workspace: demo
                environment: local
                attempts: 2
                event: 1.000 willSend attempt 1
                started: 2026-05-09T06:13:20.000Z
                took: 12.000
                phases: 0.120 3.400 0.000 0.000 0.000 12.000 0.000
                wire: 0 \(body.utf8.count)

                """
        )
        await history.close()
    }

    @Test("what is written, read and written again is the same, file by file and body by body")
    func roundTrip() async throws {
        var records = try HARTests.records
        records[0].origin.variables = [
            "user": "a\\b\r\nc", "x": "", "mark": "\u{301}\\\u{301}", "a: b\nc\\": "of a name",
        ]
        let bodies: [[UInt8]] = [
            Array("\n".utf8), Array("a".utf8), Array("a\n\n".utf8), Array(" a\r\nb\r\n".utf8),
            Array("a\r\nb\n".utf8), Array("a\tb\u{1}".utf8), Array("\u{FEFF}bom".utf8),
            Array("é\u{2028}\u{85}•".utf8), Array(repeating: 0x61, count: 70_000),
            Array(String(repeating: "line\n", count: 9000).utf8), [0x0D], Array(0...255),
            Array(
                #"{"a":1.0,"b":"\u00e9\/","c":[],"d":{},"a":1e5,"eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee":2}"#
                    .utf8
            ),
            Array((#"[{"a":"# + String(repeating: "1", count: 200) + #"}]"#).utf8),
            Array("\u{301}a\n\u{FE0F}b\r\n".utf8), Array("\u{301}a\n\u{FE0F}b".utf8),
        ]
        for body in bodies {
            records.append(
                .make(
                    .make(method: .put, fields: [.contentType: "text/plain"], body: .bytes(body)),
                    fields: [.contentType: "application/json"],
                    body: body
                )
            )
        }
        let odd = try #require(HTTPField.Name("X-Odd"))
        records.append(.make(fields: [odd: " leading", .eTag: ""], body: []))
        records.append(.make(fields: [odd: "\u{301}mark"]))
        records.append(.make(.make("/\u{301}", fields: [odd: "\u{FE0F}mark"])))
        records.append(
            .make(fields: HTTPFields([HTTPField(name: odd, lenientValue: [0x61, 0xFF, 0x09])]))
        )
        let history = try await recorded(records)
        let imported = try await history.importSession(from: path, named: "one")
        #expect(imported.count == records.count)
        let second = path + "-2"
        try await history.exportSession(imported.id, toFolder: second)
        #expect(names(second) == names(path))
        for name in names(path) {
            let again = try Data(contentsOf: URL(filePath: "\(second)/\(name)"))
            #expect(try [UInt8](again) == bytes(name), "\(name)")
        }
        let wholes = try await history.exchanges(limit: 1000).reversed().map(\.id)
        for (first, second) in zip(wholes.prefix(records.count), wholes.suffix(records.count)) {
            let one = try #require(try await history.exchange(first))
            let two = try #require(try await history.exchange(second))
            #expect(one.response?.body == two.response?.body && one.request == two.request)
            #expect(one.response?.head == two.response?.head)
            let values = [one, two].map { whole in
                (whole.response?.head.headerFields ?? [:]).map { Array($0.value.utf8) }
                    + whole.request.head.headerFields.map { Array($0.value.utf8) }
            }
            #expect(values[0] == values[1])
            #expect(one.exchange.note == two.exchange.note && one.variables == two.variables)
        }
        await history.close()
    }

    @Test("a run that is not there, whatever its number, is none")
    func lostRun() async throws {
        let history = try await recorded([.make(origin: ExchangeOrigin(run: .init(.max)))])
        #expect(try !text("001-get-users.txt").contains("\nrun: "))
        await history.close()
    }

    @Test("bodies that are long, or no text, are files beside it")
    func bodies() async throws {
        let history = try await recorded([
            .make(
                .make("/logo.png", body: .bytes([0xFF])),
                fields: [.contentType: "image/png"],
                body: [0x89, 0x50]
            )
        ])
        #expect(
            names(path).filter { $0.hasPrefix("001") } == [
                "001-get-logo-png.request.bin", "001-get-logo-png.response.png",
                "001-get-logo-png.txt",
            ]
        )
        #expect(try bytes("001-get-logo-png.response.png") == [0x89, 0x50])
        #expect(try text("001-get-logo-png.txt").contains("\n<@ 001-get-logo-png.response.png\n\n"))
        await history.close()
    }

    @Test("a folder of a session is replaced, and one with anything else is left alone")
    func replacing() async throws {
        let history = try await recorded([.make(), .make()])
        let session = try await history.beginSession(named: "two")
        try await history.keep([.failed("/x", .cancelled)], in: session)
        try bench.folder.write("mine", to: "session/README.md")
        try await history.exportSession(session, toFolder: path)
        #expect(
            names(path) == [".gitattributes", "001-get-x.txt", "README.md", "session.txt"]
        )
        let other = bench.folder.path + "/apus"
        await #expect(throws: SessionFileError.self) {
            try await history.exportSession(session, toFolder: other)
        }
        #expect(names(other).allSatisfy { $0.hasPrefix("history.sqlite") })
        await history.close()
    }

    @Test(
        "what a session's folder has of others' stays as it is, and what only looks like ours too"
    )
    func lookAlikes() async throws {
        let history = try await recorded([.make(body: Array(repeating: 1, count: 300))])
        let session = try #require(try await history.sessions().first?.id)
        let own = names(path)
        let mine = [".gitattributes", "001-plan.response.md", "002-get-users.response.bin"]
        for name in mine { try bench.folder.write("mine", to: "session/\(name)") }
        try await history.exportSession(session, toFolder: path)
        #expect(names(path) == Set(own + mine).sorted())
        for name in mine { #expect(try text(name) == "mine") }
        for name in ["003-notes.txt", "004-pipe.txt"] {
            let file = "\(path)/\(name)"
            if name.contains("pipe") {
                mkfifo(file, 0o600)
            } else {
                try bench.folder.write("my notes\n", to: "session/\(name)")
            }
            let before = try text("001-get-users.txt")
            let error = await #expect(throws: SessionFileError.self) {
                try await history.exportSession(session, toFolder: path)
            }
            #expect(error?.description.hasPrefix("\(file): ") == true)
            #expect(error?.description.hasSuffix("move the file elsewhere") == true)
            #expect(try text("001-get-users.txt") == before)
            unlink(file)
        }
        // A body that has the name of one of ours.
        let body = "001-get-users.response.bin"
        for name in ["001-get-users.txt", body] { unlink("\(path)/\(name)") }
        mkfifo("\(path)/\(body)", 0o600)
        await #expect(throws: SessionFileError.self) {
            try await history.exportSession(session, toFolder: path)
        }
        await history.close()
    }

    @Test("links, places elsewhere, torn and unknown files are refused, with file and line")
    func hostile() async throws {
        let history = try await recorded([.make(), .make(body: [0xFF])])
        let first = "001-get-users.txt"
        let good = try text(first)
        let second = try text("002-get-users.txt")
        let end = good.utf8.count { $0 == 0x0A } + 1
        func refusal() async -> String {
            do {
                let session = try await history.importSession(from: path, named: "two")
                try await history.delete(session.id)
                // The other exchange is imported.
                #expect(session.count + session.remarks.count == 2)
                return session.remarks.map { "P/" + $0.replacing(": left out", with: "") }.joined()
            } catch {
                return "\(error)".replacing(path, with: "P")
            }
        }
        func refusal(_ text: String, of name: String = first) async throws -> String {
            let kept = try bytes(name)
            try bench.folder.write(text, to: "session/\(name)")
            let words = await refusal()
            try bench.folder.write(kept, to: "session/\(name)")
            return words
        }
        #expect(
            try await refusal(String(good.dropLast()))
                == "P/\(first): it is cut off: its last line has no line end"
        )
        let torn = good.split(separator: "started").first.map(String.init) ?? ""
        #expect(
            try await refusal(torn) == "P/\(first): it is cut off: the line “started” is missing"
        )
        #expect(
            try await refusal("GET x\n" + good).hasPrefix("P/\(first): line 1: a method and a URL")
        )
        #expect(
            try await refusal(good + "color: red\n").hasSuffix(
                "line \(end): “color: red” is not known"
            )
        )
        #expect(
            try await refusal(good + "note\n").hasSuffix("line \(end): not a line “name: value”")
        )
        #expect(
            try await refusal(good + "note: \\x\n").hasSuffix(
                "line \(end): \\ must be followed by \\, n, r or :"
            )
        )
        #expect(
            try await refusal(good.replacing("HTTP/2 200", with: "HTTP/2 2000")).contains(
                "line 3: a status"
            )
        )
        #expect(
            try await refusal(good.replacing("< hello", with: "hello")).contains(
                "line 5: a line of the body"
            )
        )
        #expect(
            try await refusal("GET http://a/\n" + String(repeating: "> a: b\n", count: 65_001))
                == "P/\(first): line 65002: there are more than 65000 fields"
        )
        for place in ["../secret", "/etc/passwd", ".hidden", "gone.bin", "", "x/\u{301}"] {
            let text = second.replacing("002-get-users.response.bin", with: place)
            #expect(!(try await refusal(text, of: "002-get-users.txt")).isEmpty, "\(place)")
        }
        let body = path + "/002-get-users.response.bin"
        #expect(unlink(body) == 0 && symlink("/etc/passwd", body) == 0)
        #expect(
            await refusal() == "P/002-get-users.response.bin: this is a link, which is not followed"
        )
        #expect(unlink(body) == 0 && mkfifo(body, 0o600) == 0)
        #expect(await refusal() == "P/002-get-users.response.bin: not a regular file")
        #expect(unlink(body) == 0)
        let descriptor = open(body, O_WRONLY | O_CREAT, 0o600)
        #expect(ftruncate(descriptor, 600 << 20) == 0 && close(descriptor) == 0)
        #expect(await refusal() == "P/002-get-users.response.bin: it is larger than 512 MiB")
        unlink("\(path)/\(first)")
        #expect(await refusal() == "P/002-get-users.response.bin: it is larger than 512 MiB")
        unlink("\(path)/002-get-users.txt")
        try bench.folder.write("apus session 2\n", to: "session/session.txt")
        #expect(await refusal().isEmpty == false)
        #expect(try await history.sessions().map(\.name) == ["one"])
        await history.close()
    }

    @Test("a head with more fields than there can be is none")
    func fields() {
        let lines = String(repeating: "\na: b", count: FieldLimits.mostLines)
        let head = RequestHeadCoding.head(Data("GET\nhttp\nh\n/\(lines)".utf8))
        #expect(head?.headerFields.count == FieldLimits.mostLines)
        #expect(RequestHeadCoding.head(Data("GET\nhttp\nh\n/\(lines)\na: b".utf8)) == nil)
    }

    @Test("lines behind a body are counted, and are set once")
    func trailers() async throws {
        var exchange = ImportedExchange(.make())
        var count = 0
        while ExportedFacts.apply(("trailer", "x: y"), to: &exchange) { count += 1 }
        #expect(count == FieldLimits.mostLines)
        #expect(try exchange.record.result.get().metrics?.irregularHeaderLines.isEmpty == true)
        exchange.record.settleResult()
        let lines = try exchange.record.result.get().metrics?.irregularHeaderLines
        #expect(lines?.count == FieldLimits.mostLines)
        #expect(try exchange.record.result.get().metrics?.trailers == lines)
    }

    @Test("no bytes in a file end the program")
    func mutations() async throws {
        let history = try await recorded(try HARTests.records)
        await history.close()
        let files = try names(path).filter { $0.hasSuffix(".txt") && $0 != "session.txt" }.map(
            bytes
        )
        var random = SeededGenerator(seed: 18)
        let pieces = [
            "\n", "< ", "<~ JSON\n", "<@ x\n", ": ", "\\", "→", "999999999999999999999", "%FF",
            "\0",
        ]
        var read = 0
        for _ in 0..<5000 {
            var bytes = files[Int.random(in: 0..<files.count, using: &random)]
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                let end = min(bytes.count, place + Int.random(in: 0...8, using: &random))
                let piece = pieces.randomElement(using: &random) ?? ""
                bytes.replaceSubrange(
                    place..<(Bool.random(using: &random) ? place : end),
                    with: piece.utf8
                )
            }
            guard
                var reader = try? SessionFolderReader(
                    bytes,
                    path: "x",
                    body: { (_: String) throws(SessionFileError) in .bytes([1]) }
                )
            else { continue }
            if (try? reader.exchange()) != nil { read += 1 }
        }
        #expect(read > 100)
    }
}
