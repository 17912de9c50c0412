import HTTPTypes
import TestSupport
import Testing

@testable import Apus

@Suite("Downloads name their file")
struct DownloadDestinationTests {
    @Test(
        "the response suggests a name, which never leads to another folder",
        arguments: [
            (#"attachment; filename="report.pdf""#, "http://h/x", "report.pdf"),
            (#"attachment; filename=plain.txt; x=y"#, "http://h/x", "plain.txt"),
            (#"attachment; filename="a;b\"c.txt""#, "http://h/x", "a;b\"c.txt"),
            (
                "attachment; filename=a.txt; filename*=UTF-8''na%C3%AFve.txt", "http://h/x",
                "naïve.txt"
            ),
            ("attachment; filename*=utf-8'en'b%20c.txt; filename=a", "http://h/x", "b c.txt"),
            ("attachment; filename*=latin1''x; filename=a.txt", "http://h/x", "a.txt"),
            (#"attachment; filename="../../etc/passwd""#, "http://h/x", "passwd"),
            (#"attachment; filename="..\\..\\evil.exe""#, "http://h/x", "evil.exe"),
            (#"attachment; filename=".bashrc""#, "http://h/x", "bashrc"),
            (#"attachment; filename="..""#, "http://h/y.bin", "y.bin"),
            ("inline", "https://h/a/b%20c.tar.gz?x=/y#z", "b c.tar.gz"),
            ("", "http://h/a/%2e%2e%2fx", "x"),
            // A slash with an accent upon it is a slash, and C1 controls are controls.
            ("attachment; filename*=utf-8''a%2F%CC%81b", "http://h/x", "\u{301}b"),
            ("attachment; filename*=utf-8''a%C2%9Bb%1B%00", "http://h/x", "ab"),
            // No option of a command, and no workspace, which the folder would open with.
            ("attachment; filename=-rf", "http://h/x", "rf"),
            ("attachment; filename=a.Apus.yaml", "http://h/x", "a.Apus.yaml.txt"),
            ("attachment; filename*=utf-8''a%E2%80%AEb", "http://h/x", "ab"),
            ("", "http://h/", "download.json"),
            ("", "http://h", "download.json"),
        ]
    )
    func suggestedName(disposition: String, url: String, name: String) {
        var fields: HTTPFields = [.contentType: "application/json; charset=utf-8"]
        if !disposition.isEmpty { fields[.contentDisposition] = disposition }
        let suggested = SuggestedDownload(
            head: HTTPResponse(status: .ok, headerFields: fields),
            url: url
        )
        #expect(suggested.name == name)
    }

    @Test(
        "a long name is cut before its extension",
        arguments: [
            ("a", ".pdf", 196), ("ä", ".pdf", 98), ("ä", "", 100),
            ("a", "." + String(repeating: "b", count: 21), 200),
        ]
    )
    func longName(character: String, ending: String, count: Int) {
        let suggested = SuggestedDownload(
            head: HTTPResponse(status: .ok),
            url: "http://h/" + String(repeating: character, count: 210) + ending
        )
        let isCut = ending.utf8.count > 20
        #expect(
            suggested.name == String(repeating: character, count: count) + (isCut ? "" : ending)
        )
    }

    @Test("a folder takes the suggested name, after redirects, and makes what is missing")
    func folder() async throws {
        let root = Temporary.folder()
        let server = try RawServer { request in
            request.path == "/go"
                ? [
                    .send(
                        "HTTP/1.1 302 F\r\nLocation: /files/data.csv\r\nContent-Length: 0\r\n\r\n"
                    )
                ]
                : [RawServer.ok("a,b")]
        }
        let provider = Provider<TestTarget>()
        let target = TestTarget(
            base: "http://\(server.authority)",
            path: "/go",
            task: .download(to: .folder(root + "/new/folder"), sending: .plain)
        )
        let response = try await provider.response(for: target)
        guard case .file(let file) = response.body else {
            Issue.record("\(response.body)")
            return
        }
        #expect(file.path == root + "/new/folder/data.csv")
        #expect(response.text == "a,b")
        #expect(Temporary.names(in: root + "/new/folder") == ["data.csv"])
        let again = await #expect(throws: ApusError.self) {
            try await provider.response(for: target)
        }
        #expect(again?.reason == .file(path: root + "/new/folder/data.csv", errno: 17))
    }

    private static func download(
        _ server: RawServer,
        to destination: DownloadDestination,
        _ validation: Validation,
        _ cachePolicy: CachePolicy = .none
    ) -> TestTarget {
        TestTarget(
            base: "http://\(server.authority)",
            path: "/a",
            task: .download(to: destination, sending: .plain),
            validation: validation,
            cachePolicy: cachePolicy
        )
    }

    @Test(
        "a response that is not accepted leaves the file alone, and its own is a temporary one",
        arguments: [
            .successCodes, .codes([201]), .custom(ValidationRule("good") { $0.text == "good" }),
        ] as [Validation],
        [true, false]
    )
    func refused(validation: Validation, isThere: Bool) async throws {
        let folder = Temporary.folder()
        let path = folder + "/file"
        if isThere { try Temporary.write("old", to: path) }
        let server = try RawServer(
            .send("HTTP/1.1 500 No\r\nContent-Length: 5\r\n\r\nerror")
        )
        let destination = DownloadDestination(path: path, replacesExisting: isThere)
        let target = Self.download(server, to: destination, validation)
        do {
            let error = await #expect(throws: ApusError.self) {
                try await Provider<TestTarget>().response(for: target)
            }
            #expect(error?.reason == .unacceptableStatus(500))
            #expect(error?.response?.text == "error")
        }
        #expect(Temporary.text(path) == (isThere ? "old" : nil))
        // The transport's thread may be about to let go of it.
        let names = isThere ? ["file"] : []
        #expect(await comesTrue { Temporary.names(in: folder) == names })
    }

    @Test("a response that is accepted is put in place, whatever says so")
    func accepted() async throws {
        let path = Temporary.folder() + "/file"
        let server = try RawServer(RawServer.ok("good"))
        for validation in [
            Validation.none, .successCodes, .custom(ValidationRule("good") { $0.text == "good" }),
        ] {
            try Temporary.write("old", to: path)
            let destination = DownloadDestination(path: path, replacesExisting: true)
            let target = Self.download(server, to: destination, validation)
            _ = try await Provider<TestTarget>().response(for: target)
            #expect(Temporary.text(path) == "good", "\(validation)")
        }
    }

    @Test("a redirect that is followed through the cache is put nowhere")
    func redirect() async throws {
        let path = Temporary.folder() + "/file"
        let server = try RawServer { request in
            request.path == "/b"
                ? [RawServer.ok("good")]
                : [.send("HTTP/1.1 302 F\r\nLocation: /b\r\nContent-Length: 2\r\n\r\nno")]
        }
        let destination = DownloadDestination(path: path)
        let target = Self.download(server, to: destination, .none, .http(in: .memory))
        let provider = Provider<TestTarget>()
        let response = try await provider.response(for: target, from: .cacheIfPossible)
        #expect(response.text == "good" && response.redirects.count == 1)
        #expect(Temporary.text(path) == "good")
    }

    @Test("a rule chooses the path by the response, and its switches count")
    func rule() async throws {
        let root = Temporary.folder()
        let server = try RawServer(RawServer.ok("new", fields: "Content-Type: text/csv\r\n"))
        let naming = DownloadDestination.Naming("by status") { suggested in
            "\(root)/\(suggested.head.status.code)-\(suggested.name)"
        }
        var destination = DownloadDestination(
            naming: naming,
            createsDirectories: false,
            replacesExisting: true
        )
        try Temporary.write("old", to: root + "/200-x.csv")
        let provider = Provider<TestTarget>()
        func send() async throws -> Response {
            try await provider.response(
                for: TestTarget(
                    base: "http://\(server.authority)",
                    path: "/x.csv",
                    method: .post,
                    task: .download(
                        to: destination,
                        sending: .parameters([Parameter("a", 1)], encoding: .json)
                    )
                )
            )
        }
        _ = try await send()
        #expect(Temporary.text(root + "/200-x.csv") == "new")
        #expect(server.received.first?.body == Array(#"{"a":1}"#.utf8))
        destination.naming = .init("nowhere") { _ in root + "/none/x" }
        await #expect(throws: ApusError.self) { try await send() }
    }
}
