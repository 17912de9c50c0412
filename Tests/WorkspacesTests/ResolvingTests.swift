import Apus
import FoundationEssentials
import HTTPTypes
import Testing
import Workspaces

@Suite("Filling in targets")
struct ResolvingTests {
    @Test("what is inherited stays at the origin of the base URL, unless the target says it itself")
    func otherOrigin() throws {
        let workspace = try Workspace.make(
            """
            variables: { key: { env: KEY } }
            defaults:
              baseURL: http://api.test/v1
              headers: { X-Api-Key: "{{ key }}", X-Client: a, Accept: text/plain }
              query: { page: 1 }
              auth: { bearer: "{{ key }}" }
            targets:
              Own: GET http://api.test:80/a
              Other: GET http://other.test/a
              Port: GET http://api.test:81/a
              Said: { request: GET http://other.test/a, auth: { bearer: "{{ key }}" }, headers: { X-Client: b } }
            """,
            environmentVariables: ["KEY": "s3cret-key"]
        )
        let own = try Endpoint(workspace.sent("Own")).request
        #expect(own.head.headerFields[.authorization] == "Bearer s3cret-key")
        #expect(own.url == "http://api.test:80/a?page=1")
        for name in ["Other", "Port"] {
            let target = try workspace.sent(name)
            let request = try Endpoint(target).request
            #expect(request.head.headerFields == [.accept: "text/plain"])
            #expect(request.head.path == "/a")
            let note = "not sent to this origin: Authorization, X-Api-Key, X-Client, ?page"
            #expect(target.display.notes.contains(note))
        }
        let said = try Endpoint(workspace.sent("Said")).request.head.headerFields
        #expect(said[.authorization] == "Bearer s3cret-key")
        #expect(said[HTTPField.Name("X-Client")!] == "b")
        #expect(said[HTTPField.Name("X-Api-Key")!] == nil)
    }

    @Test("one line is a whole target")
    func oneLine() throws {
        let workspace = try Workspace.make(
            "defaults: { baseURL: http://h/v1 }\ntargets: { G: { A: DELETE /a?x=1 } }"
        )
        let target = try workspace.sent("G/A")
        #expect(target.method == .delete)
        #expect(target.name == "A")
        #expect(target.display.url == "http://h/v1/a?x=1")
        #expect(try Endpoint(target).request.url == "http://h/v1/a?x=1")
    }

    @Test("every key of a target arrives in the request")
    func everyKey() throws {
        let workspace = try Workspace.make(
            """
            targets:
              A:
                description: All of it.
                request: POST http://h/p
                headers: { X-A: "1", X-B: b }
                query: { q: a b, list: [1, two], none: , flag: true }
                auth: { basic: { user: ada, password: "p:w" } }
                timeout: 1.5 s
                connectTimeout: never
                redirects: 3
                verifyTLS: false
                caFile: /etc/ca.pem
                clientCertificate: { file: /etc/ada.p12, key: /etc/ada.key, password: lovelace }
                unixSocket: /run/api.sock
                httpVersion: 2
                proxy: socks5h://p:1
                decode: false
                maxBody: 8 MiB
                trace: true
                validate: [200, 404]
                source: cacheIfPossible
                cache:
                  storage: disk
                  expires: 2 h
                  extend: 5 min
                  maximum: 1 day
                  key: { custom: k }
                  extraKey: e
                json: { a: 1.00, big: 12345678901234567890, t: "é\\n", n: null, l: [true, []], o: {} }
                download: { to: /tmp/x, replace: true }
              B: { request: GET http://h/, cache: { ignore: [t], vary: [Accept] } }
            """
        )
        let target = try workspace.sent("A")
        let request = try Endpoint(target).request
        #expect(workspace.targets[0].summary == "All of it.")
        #expect(request.url == "http://h/p?q=a%20b&list=1&list=two&flag=true")
        #expect(request.head.headerFields[.authorization] == "Basic YWRhOnA6dw==")
        #expect(request.head.headerFields[.contentType] == "application/json")
        #expect(request.destination?.path == "/tmp/x")
        #expect(request.destination?.replacesExisting == true)
        #expect(
            target.bodyText
                == #"{"a":1.00,"big":12345678901234567890,"t":"é\n","n":null,"l":[true,[]],"o":{}}"#
        )
        var options = target.options
        #expect(options.secretTexts.contains(Apus.Secret("p:w")))
        #expect(options.secretTexts.contains(Apus.Secret("lovelace")))
        options.secretTexts = []
        let expected = TransportOptions(
            timeout: .seconds(1.5),
            connectTimeout: nil,
            maximumRedirects: 3,
            verifiesTLS: false,
            certificateAuthorityFile: "/etc/ca.pem",
            requestedVersion: .http2,
            proxy: "socks5h://p:1",
            decodesContent: false,
            maximumBodySize: 8 << 20,
            tracesWire: true
        ).with {
            $0.clientCertificate = ClientCertificate(
                file: "/etc/ada.p12",
                format: .pkcs12,
                keyFile: "/etc/ada.key",
                password: "lovelace"
            )
            $0.unixSocket = "/run/api.sock"
        }
        #expect(options == expected)
        #expect(target.validation == .codes([200, 404]))
        let policy = target.cachePolicy
        #expect(policy.storage == .disk)
        #expect(policy.expiry == .seconds(7200))
        #expect(policy.expiryExtension == .fixed(.seconds(300)))
        #expect(policy.maximumLifetime == .seconds(86_400))
        #expect(policy.key == .custom("k"))
        #expect(policy.extraKey == "e")
        #expect(
            try workspace.sent("B").cachePolicy.key == .full(ignoring: ["t"], fields: [.accept])
        )
        guard case .cacheIfPossible = target.source else {
            Issue.record("the source is \(String(describing: target.source))")
            return
        }
    }

    @Test(
        "durations, sizes and dates are read as people write them",
        arguments: [
            ("never", CachePolicy.Expiry.forever), ("expired", .expired), ("500 ms", .seconds(0.5)),
            ("10s", .seconds(10)), ("5 min", .seconds(300)), ("2 hours", .seconds(7200)),
            ("1 day", .seconds(86_400)), ("1.5 h", .seconds(5400)),
            ("1970-01-02T00:00:00Z", .date(Date(timeIntervalSince1970: 86_400))),
        ]
    )
    func expiry(text: String, expiry: CachePolicy.Expiry) throws {
        let workspace = try Workspace.make(
            "targets: { A: { request: GET http://h/, cache: { expires: '\(text)' } } }"
        )
        #expect(try workspace.sent("A").cachePolicy.expiry == expiry)
    }

    @Test(
        "what is kept is said in words",
        arguments: [
            ("none", "not cached"), ("memory", "cached 5 min in memory"),
            ("10 s", "cached 10 s in memory and on disk"),
            ("90 s", "cached 90 s in memory and on disk"),
            ("{ storage: disk, expires: never }", "cached forever on disk"),
            ("{ expires: 2 days }", "cached 2 days in memory and on disk"),
            ("{ expires: 500 ms }", "cached 500 ms in memory and on disk"),
            ("{ expires: expired }", "not cached"),
            ("http", "cached by HTTP rules in memory and on disk"),
            ("{ rules: http, storage: memory }", "cached by HTTP rules in memory"),
            ("shared", "cached by shared HTTP rules in memory and on disk"),
        ]
    )
    func cacheWords(cache: String, words: String) throws {
        let workspace = try Workspace.make(
            "targets: { A: { request: GET http://h/, cache: \(cache) } }"
        )
        #expect(try workspace.sent("A").display.cache == words)
    }

    @Test("a target can keep by HTTP's rules what others keep by their own, and the reverse")
    func semantics() throws {
        let workspace = try Workspace.make(
            """
            defaults: { cache: { rules: http, storage: memory } }
            targets:
              A: { request: GET http://h/ }
              B: { request: GET http://h/, cache: { rules: own, expires: 1 min } }
            """
        )
        #expect(try workspace.sent("A").cachePolicy.semantics == .http)
        #expect(try workspace.sent("A").cachePolicy.storage == .memory)
        #expect(try workspace.sent("B").cachePolicy.semantics == .own)
        #expect(try workspace.sent("B").cachePolicy.expiry == .seconds(60))
    }

    @Test("a file says whose responses are kept apart, and what an HTTP cache does beyond")
    func cacheOptions() throws {
        let workspace = try Workspace.make(
            """
            defaults: { cache: { rules: shared, accounts: exceptCookies, gatewayTimeout: true } }
            targets:
              A: { request: GET http://h/ }
              B: { request: GET http://h/, cache: { rules: http, accounts: none } }
              C: { request: GET http://h/, cache: { rules: own, gatewayTimeout: false } }
            """
        )
        let (a, b) = (try workspace.sent("A").cachePolicy, try workspace.sent("B").cachePolicy)
        #expect(a.httpOptions == [.shared, .gatewayTimeout] && a.accounts == .exceptCookies)
        #expect(b.httpOptions == .gatewayTimeout && b.accounts == .none)
        #expect(try workspace.sent("C").cachePolicy.accounts == .exceptCookies)
    }

    @Test("a target lies over its environment, and that over the defaults")
    func inheritance() throws {
        let workspace = try Workspace.make(
            """
            environments:
              one: { baseURL: "http://one", headers: { B: env, C: env }, timeout: 2 s }
              two: { baseURL: "http://two" }
            defaults:
              headers: { A: def, B: def, C: def, D: def }
              query: { k: 1 }
              timeout: 1 s
              cache: { storage: disk, expires: 5 min }
            targets:
              T: { request: GET /, headers: { C: own, D: }, cache: { expires: 1 min } }
            """
        )
        let one = try workspace.sent("T", in: "one")
        #expect(one.display.fields.map { "\($0.name)=\($0.value)" } == ["A=def", "B=env", "C=own"])
        #expect(one.options.timeout == .seconds(2))
        #expect(one.cachePolicy.storage == .disk)
        #expect(one.cachePolicy.expiry == .seconds(60))
        #expect(one.display.url == "http://one/?k=1")
        let two = try workspace.sent("T", in: "two")
        #expect(two.options.timeout == .seconds(1))
        #expect(two.display.url == "http://two/?k=1")
    }

    @Test("a body's form decides its Content-Type, unless a field does")
    func bodies() throws {
        let workspace = try Workspace.make(
            """
            targets:
              text: { request: POST http://h/, body: "a b" }
              form: { request: POST http://h/, form: { a: x y, b: [1, 2] } }
              file: { request: PUT http://h/, upload: data/a.png }
              own: { request: POST http://h/, body: <a/>, headers: { content-type: text/xml } }
            """,
            file: "folder/a.apus.yaml"
        )
        let types = try ["text", "form", "file", "own"].map {
            try Endpoint(try workspace.sent($0)).request.head.headerFields[.contentType]
        }
        #expect(
            types == [
                "text/plain; charset=utf-8", "application/x-www-form-urlencoded; charset=utf-8",
                "image/png", "text/xml",
            ]
        )
        #expect(try workspace.sent("form").bodyText == "a=x+y&b=1&b=2")
        let file = try Endpoint(try workspace.sent("file")).request.body
        #expect(file == .file(path: "folder/data/a.png"))
    }

    @Test("anchors, aliases and merge keys work; the own key wins over the merged one")
    func merging() throws {
        let workspace = try Workspace.make(
            """
            targets:
              A: &a { request: GET http://h/a, headers: &f { X: 1, Y: 2 }, timeout: 3 s }
              B: { <<: *a, request: GET http://h/b, headers: { <<: [*f], Y: 3 } }
              C: *a
            """
        )
        let b = try workspace.sent("B")
        #expect(b.display.url == "http://h/b")
        #expect(b.options.timeout == .seconds(3))
        #expect(b.headerFields[HTTPField.Name("X") ?? .accept] == "1")
        #expect(b.headerFields[HTTPField.Name("Y") ?? .accept] == "3")
        #expect(try workspace.sent("C").display.url == "http://h/a")
    }

    @Test("groups keep their order and may be in groups")
    func tree() throws {
        let workspace = try Workspace.make(
            "targets: { Z: { b: GET http://h/, a: { x: GET http://h/ } }, A: GET http://h/ }"
        )
        #expect(workspace.targets.map(\.id.rawValue) == ["Z/b", "Z/a/x", "A"])
        #expect(workspace.name == "a")
        guard case .group(let group) = workspace.tree[0] else {
            Issue.record("Z is no group")
            return
        }
        #expect(group.id == "Z")
    }
}
