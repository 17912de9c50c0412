import Apus
import HTTPTypes
import Interchange
import TestSupport
import Testing
import Workspaces

@Suite("A copied request")
struct CopiedRequestTests {
    private let request: PreparedRequest = {
        var head = HTTPRequest(method: .post, scheme: "https", authority: "h.test", path: "/a?x=1")
        head.headerFields[.contentType] = "application/json"
        head.headerFields[.authorization] = "Bearer very-secret-token"
        return PreparedRequest(head: head, body: .bytes(Array(#"{"a":"it's"}"#.utf8)))
    }()

    /// A program's request as it is copied.
    private func copied(
        _ request: PreparedRequest,
        as exporter: any Exporter.Type,
        keepsSecrets: Bool = false,
        with variables: [String: String] = [:]
    ) throws -> ExportOutput {
        exporter.export(
            try ExportReader.read(
                request,
                named: "Shop/create",
                keepsSecrets: keepsSecrets,
                copyingWith: variables
            )
        )
    }

    private static let formats: [(any Exporter.Type, [String])] = [
        (
            CurlExporter.self,
            [#"--data-raw '{"a":"it'\''s"}'"#, "'https://h.test/a?x=1'"]
        ),
        (
            HTTPieExporter.self,
            ["POST 'https://h.test/a?x=1'", #"--raw='{"a":"it'\''s"}'"#]
        ),
        (
            HTTPMessageExporter.self,
            ["POST /a?x=1 HTTP/1.1\nHost: h.test\n", "\n\n{\"a\":\"it's\"}"]
        ),
        (SwiftExporter.self, ["\"/a?x=1\"", #".data(Array("{\"a\":\"it's\"}".utf8))"#, ".post"]),
        (PythonExporter.self, [#""POST""#, #"data="{\"a\":\"it's\"}".encode()"#]),
    ]

    @Test("each format says the URL, the fields and the body, and secrets only if asked for")
    func languages() throws {
        for (exporter, parts) in Self.formats {
            let text = try copied(request, as: exporter).text
            for part in parts { #expect(text.contains(part), "\(text)") }
            #expect(text.lowercased().contains("application/json"))
            #expect(!text.contains("very-secret-token"))
            let open = try copied(request, as: exporter, keepsSecrets: true).text
            #expect(open.contains("Bearer very-secret-token"))
        }
        for exporter in Exporters.all {
            #expect(!(try copied(request, as: exporter).text.contains("very-secret-token")))
        }
    }

    @Test("a secret that is the value of an environment variable is that variable")
    func variables() throws {
        let set = ["MY_TOKEN": "very-secret-token", "OTHER": "nothing"]
        let curl = try copied(request, as: CurlExporter.self, with: set).text
        #expect(curl.hasPrefix("curl ") && curl.contains(#"'Authorization: Bearer '"$MY_TOKEN""#))
        let message = try copied(request, as: HTTPMessageExporter.self, with: set).text
        #expect(message.contains("Bearer $MY_TOKEN"))
        // Where it would have to be escaped, it is not what stands there.
        var url = request
        url.head.headerFields[.authorization] = nil
        url.head.path = "/a?token=a%2Bbcdef"
        let escaped = try copied(url, as: CurlExporter.self, with: ["T": "a+bcdef"]).text
        #expect(!escaped.contains("$T\"") && !escaped.contains("bcdef"), "\(escaped)")
    }

    @Test("what is pasted into a shell has no comments, and is not sent without its secrets")
    func shell() throws {
        let server = try RawServer(RawServer.ok("ok"))
        var request = request
        (request.head.scheme, request.head.authority) = ("http", server.authority)
        let output = try copied(request, as: CurlExporter.self)
        #expect(!output.text.contains("#"))
        #expect(throws: Shell.Failure.self) { try Shell.run(output.text) }
        #expect(server.received.isEmpty)
        let name = try #require(output.text.split(separator: "{").dropFirst().first)
            .prefix { $0 != ":" }
        try Shell.run("export \(name)=very-secret-token\n\(output.text)")
        #expect(
            server.received.first?.value(of: "Authorization") == "Bearer very-secret-token"
        )
    }

    @Test("nothing in a copied line is a key for the terminal, an option, or the name of a file")
    func inert() throws {
        var head = HTTPRequest(method: .post, scheme: "http", authority: "h.test", path: "/")
        head.headerFields[.cookie] = "@/etc/passwd"
        head.headerFields[.accept] = "=[1]"
        let body = PreparedRequest.Body.bytes(Array("x\u{3}\ntouch y\u{7F}".utf8))
        let request = PreparedRequest(head: head, body: body)
        for exporter in [CurlExporter.self, HTTPieExporter.self] as [any Exporter.Type] {
            let text = try copied(request, as: exporter, keepsSecrets: true).text
            #expect(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x0A })
            #expect(text.contains(#"\170\003\012"#))
        }
        let text = try copied(request, as: HTTPieExporter.self, keepsSecrets: true).text
        #expect(
            text.contains(#"'Cookie:'\@/etc/passwd'"#) || text.contains(#"'Cookie:\@/etc/passwd'"#)
        )
        #expect(text.contains(#"Accept:"#) && text.contains(#"\=[1]'"#))
        let plain = try copied(
            PreparedRequest(head: head, body: .bytes(Array("-v".utf8))),
            as: HTTPieExporter.self
        ).text
        #expect(plain.contains("--ignore-stdin") && plain.contains("--raw='-v'"))
    }

    @Test(
        "a timeout in Python has its parts of a second, and 0, which is refused there, is none",
        arguments: [
            (.milliseconds(500), "timeout=0.5,"), (.milliseconds(1500), "timeout=1.5,"),
            (.seconds(60), "timeout=60,"), (.zero, nil),
        ] as [(Duration, String?)]
    )
    func timeout(duration: Duration, argument: String?) throws {
        var request = request
        request.options.timeout = duration
        let text = try copied(request, as: PythonExporter.self).text
        #expect(text.contains(argument ?? "timeout=") == (argument != nil), "\(text)")
    }

    @Test("how a program's request travels is said too, and no password of it")
    func transport() throws {
        var request = request
        request.head.headerFields[.authorization] = nil
        request.options.proxy = "http://me:proxy-secret@p:1"
        request.options.certificateAuthorityFile = "/ca.pem"
        request.options.clientCertificate = ClientCertificate(
            file: "/a:b.p12",
            keyFile: "/k.pem",
            password: "xy"
        )
        request.options.credentials = .init(.digest, user: "ada", password: "pq")
        request.options.pinnedPublicKeys = ["a"]
        let parts: [(any Exporter.Type, [String])] = [
            (
                CurlExporter.self,
                [
                    #"--cert '/a\:b.p12'"#, "--cert-type 'P12'", "--key '/k.pem'",
                    "--cacert '/ca.pem'", "--digest --user 'ada:",
                ]
            ),
            (
                HTTPieExporter.self,
                [
                    "--cert='/a:b.p12'", "--cert-key='/k.pem'", "--verify='/ca.pem'",
                    "--auth-type=digest", "--auth='ada:",
                ]
            ),
            (
                PythonExporter.self,
                [
                    #"cert=("/a:b.p12", "/k.pem")"#, #"verify="/ca.pem""#,
                    #"auth=requests.auth.HTTPDigestAuth("ada", "#,
                ]
            ),
        ]
        for (exporter, parts) in parts {
            let output = try copied(request, as: exporter)
            for part in parts { #expect(output.text.contains(part), "\(output.text)") }
            for secret in ["proxy-secret", "'pq'", "'xy'", "\"pq\""] {
                #expect(!output.text.contains(secret), "\(output.text)")
            }
            #expect(output.losses.contains { $0.loss.kind.contains("pinnedPublicKeys") })
            let open = try copied(request, as: exporter, keepsSecrets: true).text
            #expect(open.contains("proxy-secret") && open.contains("pq"))
        }
    }

    @Test("credentials that libcurl sends are there")
    func credentials() throws {
        var request = request
        request.head.headerFields[.authorization] = nil
        request.options.credentials = .init(.basic, user: "ada", password: "lovelace")
        let basic = try copied(request, as: PythonExporter.self, keepsSecrets: true)
        #expect(basic.text.contains("Basic YWRhOmxvdmVsYWNl"))
        #expect(!(try copied(request, as: PythonExporter.self).text.contains("YWRhOmxvdmVsYWNl")))
        request.options.credentials = .init(.any, user: "ada", password: "lovelace")
        let any = try copied(request, as: CurlExporter.self, keepsSecrets: true)
        #expect(any.text.contains("--anyauth --user 'ada:lovelace'"))
        #expect(!any.losses.contains { $0.loss.kind.contains("any") })
        let other = try copied(request, as: HTTPieExporter.self)
        #expect(other.losses.contains { $0.loss.kind.contains("ServerCredentials.any") })
    }

    @Test("a target of a workspace is copied as it would be sent now, with its cookies")
    func cookies() async throws {
        let jars = CookieJars.ofSession()
        try jars.jar(for: "test").set(Cookie("sid", "c00kie-value", domain: "h.test"))
        let text = """
            variables: { host: h.test, token: { env: API_TOKEN } }
            environments: { test: { baseURL: "https://{{ host }}" } }
            targets: { A: { request: GET /a, headers: { Cookie: own=1 }, auth: { bearer: "{{ token }}" } } }
            """
        let named = try ExportSamples.named(text)
        let workspace = named.workspace.keeping(cookiesIn: jars)
        let definition = try #require(workspace.targets.first)
        func copy(_ exporter: any Exporter.Type, _ keepsSecrets: Bool) async -> ExportOutput {
            let reader = ExportReader(
                NamedWorkspace(workspace: workspace, environment: "test"),
                keepsVariables: exporter.keepsVariables,
                keepsSecrets: keepsSecrets,
                copyingWith: ["API_TOKEN": "x"]
            )
            let exported = await reader.read(definition)
            #expect(exported.isCopied)
            #expect(!exported.missingVariables(for: exporter).contains("API_TOKEN"))
            return exporter.export(exported)
        }
        for exporter in Exporters.all where exporter.name != OpenAPIExporter.name {
            let hidden = await copy(exporter, false)
            #expect(!hidden.text.contains("c00kie-value"), "\(hidden.text)")
            #expect(hidden.text.contains("sid="), "\(hidden.text)")
            let open = await copy(exporter, true)
            #expect(open.text.contains("sid=c00kie-value; own=1"), "\(open.text)")
        }
        // An export to a file has no cookies of a moment.
        let reader = ExportReader(
            NamedWorkspace(workspace: workspace, environment: "test"),
            keepsVariables: false
        )
        #expect(!CurlExporter.export(await reader.read(definition)).text.contains("sid="))
    }

    @Test("Swift is a file that sends the request")
    func swift() async throws {
        let named = try ExportSamples.named(
            """
            name: Shop
            variables: { user: 7, token: { env: API_TOKEN } }
            targets: { Show: { request: "GET https://h.test/{{ user }}", auth: { bearer: "{{ token }}" } } }
            """
        )
        let reader = ExportReader(named, keepsVariables: true, copyingWith: [:])
        let text = SwiftExporter.export(await reader.read(named.workspace.targets[0])).text
        #expect(
            text.contains(
                #"Provider<Shop>(headerFields: [:]).response(for: .show(token: ProcessInfo.processInfo.environment["API_TOKEN"] ?? ""))"#
            ),
            "\(text)"
        )
        let folder = TemporaryFolder()
        let path = try folder.write(text, to: "main.swift")
        try Shell.run("exec swiftc -frontend -parse '\(path)'")
    }
}
