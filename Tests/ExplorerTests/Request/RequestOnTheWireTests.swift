import FoundationEssentials
import Glibc
import HTTPTypes
import Interchange
import Synchronization
import TestSupport
import Testing
import Workspaces

@testable import Apus
@testable import Explorer
@testable import Secrets

/// What the screen says of a request, and what goes over the wire.
@Suite("A request on the wire", .timeLimit(.minutes(5)))
struct RequestOnTheWireTests {
    private static let ok = RawServer.Step.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    private struct Sent: TargetType {
        var baseURL: URL
        var path = "/users/7"
        var method = HTTPRequest.Method.get
        var task = RequestTask.plain
        var headerFields = HTTPFields()
        var options = TransportOptions()
    }

    private static func target(_ server: RawServer) throws -> Sent {
        Sent(baseURL: try #require(URL(string: "http://\(server.authority)")))
    }

    private static let provider = Provider<MultiTarget>(
        transport: CurlTransport(),
        headerFields: [:]
    )

    private static func fields(_ pairs: KeyValuePairs<String, String>) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in pairs {
            if let name = HTTPField.Name(name) {
                fields.append(HTTPField(name: name, value: value))
            }
        }
        return fields
    }

    /// Requests of each kind, by name.
    private static func targets(_ server: RawServer) throws -> [String: Sent] {
        var plain = try target(server)
        plain.headerFields = fields(["Accept": "text/plain", "X-Tenant": "acme"])
        var json = try target(server)
        json.method = .post
        json.headerFields = fields(["Content-Type": "application/json", "X-A": "it's"])
        json.task = .data(Array(#"{"name": "O'Neill \n ü"}"#.utf8))
        var form = try target(server)
        form.method = .put
        form.headerFields = fields(["Content-Type": "application/x-www-form-urlencoded"])
        form.task = .data(Array("a=1&b=%26".utf8))
        var cookies = try target(server)
        let jar = CookieJar()
        try jar.set(Cookie("a", "1", domain: "127.0.0.1"))
        try jar.set(Cookie("b", "2", domain: "127.0.0.1", path: "/users"))
        try jar.set(Cookie("c", "3", domain: "127.0.0.1", path: "/other"))
        cookies.options.cookieJar = jar
        var both = cookies
        both.headerFields = fields(["X-Before": "1", "Cookie": "own=4; more=5"])
        var own = try target(server)
        own.headerFields = fields(["Cookie": "own=4; more=5", "X-Behind": "1"])
        var repeated = try target(server)
        repeated.headerFields = fields(["X-A": "1", "X-B": "b", "x-a": "2"])
        return [
            "plain": plain, "JSON": json, "form": form, "cookies": cookies, "both": both,
            "own": own, "repeated": repeated,
        ]
    }

    private static let names = ["plain", "JSON", "form", "cookies", "both", "own", "repeated"]

    private static func masked(_ line: String) -> String {
        guard line.hasPrefix("Cookie: ") else { return line }
        let pairs = line.dropFirst("Cookie: ".count).split(separator: "; ")
        return "Cookie: "
            + pairs.map { "\($0.prefix { $0 != "=" })=\(CredentialMask.mask)" }
            .joined(separator: "; ")
    }

    @Test("the preview is what is sent, to the line", arguments: names)
    func preview(name: String) async throws {
        let server = try RawServer(Self.ok)
        let target = try #require(try Self.targets(server)[name])
        let transport = CurlTransport()
        let prepared = try await Self.provider.preparedRequest(for: MultiTarget(target))
        let preview = RequestPreview(prepared, adding: transport.addedFields(to: prepared))
        _ = try await Self.provider.response(for: MultiTarget(target), from: .server)
        let received = try #require(server.received.first)
        let head = preview.lines.prefix(preview.headCount)
        // The order in which a jar's cookies go is the jar's.
        func sorted(_ line: String) -> String {
            guard line.hasPrefix("Cookie: ") else { return line }
            return line.dropFirst(8).split(separator: "; ").sorted().joined(separator: "; ")
        }
        #expect(
            head.map(sorted) == ([received.line] + received.fields).map(Self.masked).map(sorted)
        )
        let body = preview.lines.dropFirst(preview.headCount + 1).joined(separator: "\n")
        #expect(body == String(decoding: received.body, as: UTF8.self))
    }

    /// What a program sends that a request was copied for.
    private static func resent(
        _ name: String,
        as exporter: any Exporter.Type,
        _ run: (String) throws -> Void
    ) async throws {
        let server = try RawServer(Self.ok)
        let target = try #require(try Self.targets(server)[name])
        let prepared = try await provider.preparedRequest(for: MultiTarget(target))
        let whole = CookieJar.addingCookies(to: prepared)
        try run(copied(prepared, as: exporter))
        let received = try #require(server.received.first)
        #expect(received.line == "\(prepared.head.method.rawValue) /users/7 HTTP/1.1")
        var bytes: [UInt8] = []
        if case .bytes(let body) = prepared.body { bytes = body }
        #expect(received.body == bytes)
        var fields = whole.head.headerFields
        let cookies = fields[.cookie]
        fields[.cookie] = nil
        for field in fields {
            let line = "\(field.name.rawName): \(field.value)".lowercased()
            #expect(received.fields.count { $0.lowercased() == line } == 1)
        }
        func sorted(_ text: String?) -> [Substring]? {
            text.map { $0.split(separator: "; ").sorted() }
        }
        #expect(sorted(received.value(of: "Cookie")) == sorted(cookies))
        #expect(received.fields.count { $0.lowercased().hasPrefix("cookie:") } <= 1)
    }

    /// A request as it is copied with its secrets.
    private static func copied(
        _ request: PreparedRequest,
        as exporter: any Exporter.Type
    ) throws -> String {
        exporter.export(
            try ExportReader.read(request, named: "a", keepsSecrets: true, copyingWith: [:])
        ).text
    }

    @Test("the curl command that is copied sends the same request", arguments: names)
    func curl(name: String) async throws {
        try await Self.resent(name, as: CurlExporter.self) { try Shell.run($0) }
    }

    @Test("the Python code that is copied sends the same request", arguments: names)
    func python(name: String) async throws {
        let folder = TemporaryFolder()
        try await Self.resent(name, as: PythonExporter.self) { code in
            let path = "\(folder.path)/sent.py"
            try Data(code.utf8).write(to: URL(filePath: path))
            try Data(Self.requests.utf8).write(to: URL(filePath: "\(folder.path)/requests.py"))
            let urllib3 = "\(folder.path)/urllib3"
            #expect(mkdir(urllib3, 0o700) == 0)
            try Data().write(to: URL(filePath: "\(urllib3)/__init__.py"))
            try Data(Self.collections.utf8).write(to: URL(filePath: "\(urllib3)/_collections.py"))
            try Shell.run("exec python3 '\(path)'")
        }
    }

    /// As much of the library below `requests` as the code uses: names with several values.
    private static let collections = """
        class HTTPHeaderDict:
            def __init__(self, headers):
                self.pairs = list(headers.items())
            def add(self, name, value):
                self.pairs.append((name, value))
            def items(self):
                return self.pairs
            def __iter__(self):
                return iter(name for name, value in self.pairs)
        """

    /// As much of Python's `requests` as the code uses: not every machine has it.
    private static let requests = """
        import http.client, types, urllib.parse

        def request(method, url, headers={}, data=None, auth=None, **options):
            parts = urllib.parse.urlsplit(url)
            connection = http.client.HTTPConnection(parts.netloc)
            headers = {name: value for name, value in headers.items() if value is not None}
            prepared = types.SimpleNamespace(headers=headers)
            if auth: prepared = auth(prepared)
            connection.request(method, parts.path or "/", data, prepared.headers)
            answer = connection.getresponse()
            answer.status_code, answer.text = answer.status, answer.read().decode()
            return answer
        """

    @Test("the Swift code that is copied is Swift", arguments: ["JSON", "both"])
    func swift(name: String) async throws {
        let server = try RawServer(Self.ok)
        let target = try #require(try Self.targets(server)[name])
        let prepared = try await Self.provider.preparedRequest(for: MultiTarget(target))
        let code = try Self.copied(prepared, as: SwiftExporter.self)
        let folder = TemporaryFolder()
        let path = "\(folder.path)/main.swift"
        try Data(code.utf8).write(to: URL(filePath: path))
        try Shell.run("exec swiftc -frontend -parse '\(path)'")
    }
}
