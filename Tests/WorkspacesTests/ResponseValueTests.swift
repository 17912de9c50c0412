import Apus
import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing
import Workspaces

@Suite("Values of a response in a request")
struct ResponseValueTests {
    /// The second step of a chain whose first one captures `x`.
    private func resolve(
        _ target: String,
        _ value: Value,
        rest: String = "",
        file: String = "a.apus.yaml",
        environmentVariables: [String: String] = [:]
    ) throws -> WorkspaceTarget {
        let workspace = try Workspace.make(
            """
            \(rest)
            chains:
              C:
                - { step: a, target: GET http://h/a, capture: { x: $.x } }
                - step: b
                  target: \(target)
            """,
            file: file,
            environmentVariables: environmentVariables
        )
        let step = workspace.chains[0].steps[1]
        return try workspace.resolve(
            step,
            in: workspace.environments[0].name,
            captured: ["x": value]
        )
    }

    private func url(_ target: String, _ value: String, rest: String = "") throws -> String {
        try Endpoint(try resolve(target, .string(value), rest: rest)).request.url
    }

    /// What is said of a target that is refused when the file is read.
    private func refusal(_ target: String, rest: String = "") -> String? {
        let error = #expect(throws: WorkspaceError.self) {
            try resolve(target, .string("x"), rest: rest)
        }
        return error?.problems.first?.message
    }

    @Test(
        "in a path a value is one segment, whoever gives it",
        arguments: [
            ("x?admin=1#", "x%3Fadmin%3D1%23"), ("../../admin", "..%2F..%2Fadmin"),
            ("a%2Fb", "a%252Fb"), ("ä b;c\\d", "%C3%A4%20b%3Bc%5Cd"), ("7", "7"),
            ("...", "..."), ("@evil", "%40evil"), ("a\r\nb\0", "a%0D%0Ab%00"),
        ]
    )
    func segment(value: String, segment: String) throws {
        #expect(
            try url("GET http://h/users/{{ x }}/posts", value) == "http://h/users/\(segment)/posts"
        )
        let workspace = try Workspace.make(
            "defaults: { baseURL: http://h }\ntargets: { T: 'GET /u/{{ y }}' }\nvariables: { y: 1 }"
        )
        let target = try workspace.sent("T", captured: ["y": .string(value)])
        #expect(try Endpoint(target).request.url == "http://h/u/\(segment)")
    }

    @Test("in the query of a request line a value is one value")
    func query() throws {
        #expect(
            try url("'GET http://h/a?q={{ x }}&r=1'", "a&b=c+d#e")
                == "http://h/a?q=a%26b%3Dc%2Bd%23e&r=1"
        )
    }

    @Test("`raw` puts a value in as it is")
    func raw() throws {
        #expect(try url("'GET http://h/{{ x | raw }}'", "a/b?c=d") == "http://h/a/b?c=d")
        #expect(try url("'GET http://h/{{x|raw}}'", "../b") == "http://h/../b")
    }

    @Test(
        "a segment that leads elsewhere is refused",
        arguments: [
            ("'GET http://h/u/{{ x }}/p'", ".."), ("'GET http://h/u/{{ x }}'", "."),
            ("'GET http://h/u/{{ x }}{{ x }}?a'", "."), ("'GET http://h/u/.{{ x }}#a'", "."),
            ("'GET http://h/u/%2e{{ x }}'", "."), ("'DELETE http://h/u/{{ x }}'", ""),
            ("'DELETE http://h/u/{{ x }}?force'", ""),
        ]
    )
    func dots(target: String, value: String) throws {
        let error = #expect(throws: WorkspaceError.self) { try url(target, value) }
        #expect(error?.problems.first?.message.contains("the path leads elsewhere") == true)
    }

    @Test("a variable of the workspace may hold the beginning of a URL")
    func beginning() throws {
        let workspace = try Workspace.make(
            """
            variables: { base: "http://h:1/v1", scheme: http, host: h, port: 2, all: "http://h/a?b=c" }
            targets:
              A: GET {{ base }}/x
              B: GET {{ scheme }}://{{ host }}:{{ port }}/x
              C: GET {{ all }}
              D: { request: GET /x, baseURL: "{{ base }}" }
            """
        )
        let urls = try ["A", "B", "C", "D"].map {
            try Endpoint(try workspace.sent($0)).request.url
        }
        #expect(urls == ["http://h:1/v1/x", "http://h:2/x", "http://h/a?b=c", "http://h:1/v1/x"])
    }

    @Test(
        "a link of a response is followed to its own origin with credentials, elsewhere without",
        arguments: [
            ("http://h/p?page=2", true), ("HTTP://H:80/p", true), ("/p?page=2", true),
            ("//evil/p", true), ("http://evil/p", false), ("HTTPS://h/p", false),
            ("http://h@evil/", false), ("http://h:81/", false), ("http://h.evil/", false),
        ]
    )
    func link(value: String, isFollowed: Bool) throws {
        let rest = "defaults: { baseURL: http://h/v1 }\nvariables: { t: { env: T } }"
        for carried in [
            "auth: { bearer: abc }", "headers: { X-Api-Key: k }", "query: { k: '{{ t }}' }",
            "query: { api_key: short }", "body: 'password=hunter2'",
            "body: '{\"token\": \"short\"}'",
            "auth: { digest: { user: a, password: '' } }", "clientCertificate: a.pem",
            "headers: { X-Own: k }", "form: { pin: 1 }", "body: 'sort_key=name'",
        ] {
            let hasBody = carried.contains("body:") || carried.contains("form:")
            let target = "{ request: '\(hasBody ? "POST" : "GET") {{ x }}', \(carried) }"
            func resolved() throws -> WorkspaceTarget {
                try resolve(
                    target,
                    .string(value),
                    rest: rest,
                    environmentVariables: ["T": "s3cr3t"]
                )
            }
            guard isFollowed else {
                let error = #expect(throws: WorkspaceError.self) { try resolved() }
                #expect(error?.problems.first?.message.contains("another origin") == true)
                continue
            }
            let url = try Endpoint(try resolved()).request.url
            #expect(url.hasPrefix("http://h/") || url.hasPrefix("http://H:80/"), "\(url)")
        }
        _ = try url("'GET {{ x }}'", value, rest: rest)
        _ = try url("{ request: 'GET {{ x }}', headers: { Accept: a/b } }", value, rest: rest)
        _ = try url("{ request: 'GET {{ x | raw }}', auth: { bearer: a } }", value, rest: rest)
    }

    @Test("a link takes no credential along that the target itself writes behind it")
    func linkWithQuery() {
        let rest = "defaults: { baseURL: http://h/v1 }"
        #expect(throws: WorkspaceError.self) {
            try url("'GET {{ x }}?api_key=short'", "http://evil/p", rest: rest)
        }
        #expect(throws: Never.self) {
            try url("'GET {{ x }}&page=2'", "http://evil/p?token=theirs", rest: rest)
        }
    }

    @Test("what is neither a URL nor a path from the root is a segment, also at the beginning")
    func noLink() throws {
        let rest = "defaults: { baseURL: http://h/v1 }"
        #expect(try url("'GET {{ x }}/p'", "a/../b", rest: rest) == "http://h/v1/a%2F..%2Fb/p")
        #expect(try url("'GET {{ x }}'", "ftp://e/", rest: rest) == "http://h/v1/ftp%3A%2F%2Fe%2F")
    }

    @Test(
        "a response names no host, no base and no proxy; that is told when the file is read",
        arguments: [
            "'GET http://{{ x }}/p'", "'GET http://h:{{ x }}/p'", "'GET http{{ x }}://h/p'",
            "'GET http://a@{{ x }}'", "{ request: GET /p, baseURL: 'http://{{ x }}' }",
            "{ request: GET /p, baseURL: '{{ base }}' }",
            "{ request: GET http://h/p, proxy: '{{ x }}' }",
        ]
    )
    func origin(target: String) throws {
        let rest = "environments: { e: { variables: { base: \"http://{{ own }}\", own: h } } }"
        let text = target.replacing("{{ base }}", with: "http://{{ via }}")
        let set = "\n      set: { via: '{{ x }}' }"
        #expect(refusal(text + set, rest: rest)?.contains("comes from a response") == true)
        // What it is checked with is no port and no scheme.
        guard !["'GET http://h:{{ x }}/p'", "'GET http{{ x }}://h/p'"].contains(target) else {
            return
        }
        let raw = text.replacing("{{ x }}", with: "{{ x | raw }}")
            .replacing("{{ via }}", with: "{{ via | raw }}")
        _ = try resolve(raw + set, .string("5"), rest: rest)
    }

    @Test("a response names no file to upload, however it gets there")
    func upload() throws {
        let target = "{ request: POST http://h/p, upload: 'a/{{ x }}' }"
        let said = "`x` comes from a response and cannot name a file to upload"
        #expect(refusal(target) == said)
        #expect(refusal(target.replacing("{{ x }}", with: "{{ x | raw }}")) == said)
        let other = target.replacing("{{ x }}", with: "{{ v }}")
        #expect(refusal(other, rest: "variables: { v: 'a{{ x }}', x: 1 }")?.contains("`v`") == true)
        #expect(refusal(other + "\n      set: { v: 'a{{ x }}' }")?.contains("`v`") == true)
        let each = "\n      forEach: { in: x, as: v }"
        #expect(refusal(other + each)?.contains("`v` comes from a response") == true)
    }

    @Test("a file to upload is in the folder that the workspace allows, links followed")
    func uploadFrom() throws {
        let place = TemporaryFolder()
        let folder = place.path
        let files = FileManager.default
        try files.createDirectory(atPath: "\(folder)/up/sub", withIntermediateDirectories: true)
        for name in ["up/a.txt", "up/sub/b.txt", "secret.txt", "upper.txt"] {
            try place.write("x", to: name)
        }
        try files.createSymbolicLink(
            atPath: "\(folder)/up/link",
            withDestinationPath: "../secret.txt"
        )
        try files.createSymbolicLink(atPath: "\(folder)/up/inside", withDestinationPath: "a.txt")
        func sent(_ value: String) throws -> PreparedRequest.Body {
            let target = "{ request: POST http://h/p, upload: { file: '{{ x }}', from: up } }"
            return try Endpoint(
                try resolve(target, .string(value), file: "\(folder)/w.apus.yaml")
            ).request.body
        }
        for (value, name) in [("a.txt", "a.txt"), ("sub/b.txt", "sub/b.txt"), ("inside", "a.txt")] {
            guard case .file(let path) = try sent(value) else {
                Issue.record("no file is sent")
                return
            }
            #expect(path.hasSuffix("/up/\(name)"))
        }
        for value in ["../secret.txt", "link", "/etc/hostname", "../upper.txt", "", "none", "a\0"] {
            #expect(throws: WorkspaceError.self, "\(value)") { try sent(value) }
        }
    }

    @Test(
        "a download stays in its folder under one name",
        arguments: [
            ("../x", false), ("/etc/x", false), ("..", false), (".", false), (".bashrc", false),
            ("", false), ("a/b", false), ("a\0b", false), ("a\u{1B}]52;b", false),
            (String(repeating: "x", count: 300), false), ("a.json", true), ("ü b", true),
            ("x.apus.yaml", false), ("X.APUS.yaml", false),
        ]
    )
    func download(name: String, isTaken: Bool) throws {
        for path in ["'dl/{{ x }}'", "{ to: 'dl/{{ x | raw }}', replace: true }", "'{{ x }}/y'"] {
            let target = "{ request: GET http://h/p, download: \(path) }"
            func destination() throws -> String? {
                try Endpoint(try resolve(target, .string(name), file: "w/w.apus.yaml"))
                    .request.destination?.path
            }
            guard isTaken else {
                #expect(throws: WorkspaceError.self) { try destination() }
                continue
            }
            #expect(try destination()?.hasPrefix("w/") == true)
        }
        let target = "{ request: GET http://h/p, download: 'dl/a{{ x }}.json' }"
        #expect(try resolve(target, .string(".b")).description == "GET http://h/p")
    }

    @Test("a variable of the workspace may name a folder and a file as it likes")
    func ownFiles() throws {
        let workspace = try Workspace.make(
            """
            variables: { out: /tmp/x, file: a/b.txt }
            targets:
              D: { request: GET http://h/, download: "{{ out }}/../y" }
              U: { request: PUT http://h/, upload: "{{ file }}" }
            """
        )
        #expect(try Endpoint(workspace.sent("D")).request.destination?.path == "/tmp/x/../y")
        #expect(try Endpoint(workspace.sent("U")).request.body == .file(path: "a/b.txt"))
    }

    @Test("no response puts a line break into a field, or a member into a JSON body")
    func fieldsAndBodies() throws {
        let value = "a\r\nX-Admin: 1"
        for target in ["headers: { X: '{{ x }}' }", "auth: { bearer: '{{ x }}' }"] {
            #expect(throws: WorkspaceError.self) {
                try resolve("{ request: GET http://h/, \(target) }", .string(value))
            }
        }
        let body = try resolve(
            "{ request: POST http://h/, json: { id: '{{ x }}', t: 'a {{ x }}' } }",
            .string(#"1","admin":true,"y":""#)
        )
        #expect(
            body.bodyText
                == #"{"id":"1\",\"admin\":true,\"y\":\"","t":"a 1\",\"admin\":true,\"y\":\""}"#
        )
    }

    @Test(
        "no response says in a field where a request goes, or how it is framed",
        arguments: ["Host", "host", "Content-Length", "Transfer-Encoding", "Connection", "Upgrade"]
    )
    func routingField(name: String) throws {
        func target(_ value: String) -> String {
            "{ request: GET http://h/b, headers: { \(name): \"\(value)\" } }"
        }
        #expect(
            refusal(target("{{ x }}"))
                == "`x` comes from a response and cannot be part of the field `\(name)`"
        )
        #expect(refusal(target("{{ y }}"), rest: "variables: { y: \"a{{ x }}\", x: 1 }") != nil)
        let raw = try resolve(target("{{ x | raw }}"), .string("7"))
        #expect(raw.headerFields.first?.value == "7")
        let own = try resolve(target("{{ z }}"), .string("7"), rest: "variables: { z: 9 }")
        #expect(own.headerFields.first?.value == "9")
    }

    @Test("a filter that is none says which there are")
    func filter() {
        #expect(
            problems("targets: { A: 'GET http://h/{{ x | rw }}' }\nvariables: { x: 1 }") == [
                "a.apus.yaml:1:29: `rw` is not a function; expected one of `uuid`, `now`, `random`, `env`, `file`, "
                    + "`default`, `base64`, `hex`, `url`, `sha256`, `hmac`, `json`, `lower`, `upper`, `raw`; "
                    + "did you mean `raw`?"
            ]
        )
    }
}
