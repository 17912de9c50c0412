import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

@testable import Apus

@Suite("Requests as curl commands")
struct CurlCommandTests {
    private static let requests: [PreparedRequest] = [
        .make("h", "/users/7?q=a%20b&t=it's"),
        .make(.post, "h", "/x", body: .bytes(Array(#"{"a": "it's $HOME `id` \"!\""}"#.utf8))),
        .make(
            .put,
            "h",
            "/x",
            fields: [.contentType: "text/plain", .accept: "", .userAgent: #"a'b"c\d"#],
            body: .bytes(Array("@/etc/passwd\n\nüñí 'x'\r\n".utf8))
        ),
        // A quote with an accent upon it, which is one character, and not the quote.
        .make(
            .post,
            "h",
            "/accent",
            fields: [.userAgent: "a'\u{301}; false '\u{301}"],
            body: .bytes(Array("'\u{301}; false; '\u{301}".utf8))
        ),
        .make(.post, "h", "/binary", body: .bytes(Array(0...255))),
        .make(.delete, "h", "/[a]{b}/../c/./d"),
        .make(.patch, "h", "/percent", body: .bytes(Array("100%d %s \\n".utf8))),
        .make(
            .post,
            "h",
            "/form",
            fields: [.contentType: "multipart/form-data; boundary=xyz"],
            body: .multipart(
                MultipartForm(
                    [
                        .text("a", "it's"),
                        .data("b", [0, 1, 0xFF], fileName: "b.bin"),
                    ],
                    boundary: "xyz"
                )
            )
        ),
    ]

    /// Sends the same with curl and with the engine: the server cannot tell them apart.
    @Test("curl sends what the engine sends", arguments: requests.indices)
    func sendsTheSame(row: Int) async throws {
        let server = try RawServer { _ in [RawServer.ok("ok"), .close] }
        var request = Self.requests[row]
        request.head.authority = server.authority
        request.options.decodesContent = false
        let transport = CurlTransport()
        _ = try await transport.send(request)
        try Shell.run(CurlCommand(request, showsSecrets: true).text)
        let received = server.received
        try #require(received.count == 2)
        #expect(received[0].line == received[1].line)
        #expect(received[0].body == received[1].body)
        for name in ["Content-Type", "Accept", "User-Agent"]
        where request.head.headerFields[try #require(HTTPField.Name(name))] != nil {
            #expect(received[0].value(of: name) == received[1].value(of: name), "\(name)")
        }
        if request.body != .none, request.head.headerFields[.contentType] == nil {
            #expect(received[1].value(of: "Content-Type") == nil)
        }
    }

    @Test("credentials are masked unless they are asked for")
    func masked() {
        let request = PreparedRequest.make(
            .post,
            "ada:pass1@h",
            "/x?access_token=pass2",
            fields: [
                .authorization: "Bearer pass3", .contentType: "application/x-www-form-urlencoded",
            ],
            body: .bytes(Array("user=ada&password=pass4".utf8))
        )
        let masked = CurlCommand(request).text
        #expect(!masked.contains("pass1"))
        #expect(!masked.contains("pass2"))
        #expect(!masked.contains("pass3"))
        #expect(!masked.contains("pass4"))
        #expect(masked.contains("user=ada"))
        let whole = CurlCommand(request, showsSecrets: true).text
        for secret in ["pass1", "pass2", "pass3", "pass4"] { #expect(whole.contains(secret)) }
    }

    @Test("a plain request is a plain command")
    func plain() {
        let options = TransportOptions(maximumRedirects: 0, decodesContent: false)
        let request = PreparedRequest.make("h", "/x", options: options)
        #expect(
            CurlCommand(request).text
                == "curl 'http://h/x'"
        )
    }

    @Test(
        "options that change nothing are left out",
        arguments: [
            ("/x", ""), ("/x/..y/.z", ""), ("/x?a=/../b", ""), ("/x?a[]=1", "--globoff "),
            ("/{a}", "--globoff "), ("/a/../b", "--path-as-is "), ("/a/%2E/b", "--path-as-is "),
            ("/a/.%2e", "--path-as-is "), ("/..?a={}", "--globoff --path-as-is "),
        ]
    )
    func options(path: String, expected: String) {
        var options = TransportOptions(decodesContent: false)
        let plain = CurlCommand(PreparedRequest.make("h", path, options: options)).text
        #expect(plain == "curl --location \\\n  \(expected)'http://h\(path)'")
        options.maximumRedirects = 3
        let limited = CurlCommand(PreparedRequest.make("h", path, options: options)).text
        #expect(limited.contains("--location --max-redirs 3"))
    }

    @Test("a secret that is in the environment is its variable, any other a word")
    func environment() throws {
        var request = PreparedRequest.make(
            .post,
            "h",
            "/x?api_key=key-4711x&a=1",
            fields: [
                .authorization: "Bearer tok/en+1=", .cookie: "sid=other1",
                .contentType: "application/json",
            ],
            body: .bytes(Array(#"{"t": "key-4711x"}"#.utf8))
        )
        request.options.decodesContent = false
        request.options.secretTexts = ["key-4711x"]
        let environment = [
            "TOKEN": "tok/en+1=", "KEY": "key-4711x", "SHORT": "1", "1BAD": "other1",
            "LINE": "a\nb",
        ]
        let command = CurlCommand(request, environment: environment)
        #expect(command.text.contains(#"'Authorization: Bearer '"$TOKEN""#))
        #expect(command.text.contains(#"'http://h/x?api_key='"$KEY"'&a=1'"#))
        #expect(command.text.contains(#"'{"t": "'"$KEY"'"}'"#))
        #expect(command.text.contains("'Cookie: sid=SECRET'") && command.hasWords)
        for secret in ["tok/en+1=", "key-4711x", "other1", "\u{2022}"] {
            #expect(!command.text.contains(secret))
        }
        #expect(!CurlCommand(.make("h", "/x"), environment: environment).hasWords)
    }

    @Test("a value that a URL would have to escape is no variable there")
    func escaped() {
        let request = PreparedRequest.make("h", "/x?api_key=a%2Fb%2Bcdef")
        let command = CurlCommand(request, environment: ["KEY": "a/b+cdef"])
        #expect(command.text.contains("api_key=SECRET"))
    }

    @Test("a text in a request chooses no variable")
    func injected() {
        let request = PreparedRequest.make(
            "h",
            "/x",
            fields: [.userAgent: "\u{F0000}HOME\u{F0001}", .authorization: "Bearer abcdefgh"]
        )
        let command = CurlCommand(request, environment: ["HOME": "/home/ada", "T": "abcdefgh"])
        #expect(!command.text.contains("\"$HOME"))
        #expect(command.text.contains(#"'Authorization: Bearer '"$T""#))
        for text in ["\u{F0000}HOME\u{F0002}", "\u{F0000}\u{F0001}(id)\u{F0002}"] {
            #expect(CurlCommand.quoted(text) == "'\(text)'")
        }
    }

    @Test("a command with variables runs as it stands")
    func runs() async throws {
        let server = try RawServer { _ in [RawServer.ok("ok"), .close] }
        var request = PreparedRequest.make(
            server.authority,
            "/x?api_key=key-4711x",
            fields: [.authorization: "Bearer it's \"$HOME\" `id`"]
        )
        request.options.decodesContent = false
        let environment = ["TOKEN": "it's \"$HOME\" `id`", "KEY": "key-4711x"]
        let command = CurlCommand(request, environment: environment).text
        let settings = environment.map { "\($0)=\(CurlCommand.quoted($1))" }
        try Shell.run("export \(settings.joined(separator: " ")); \(command)")
        let received = try #require(server.received.first)
        #expect(received.line.contains("api_key=key-4711x"))
        #expect(received.value(of: "Authorization") == "Bearer it's \"$HOME\" `id`")
    }
}
