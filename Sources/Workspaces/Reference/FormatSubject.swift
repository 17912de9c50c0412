/// A page of the reference, in the order in which one needs them.
package enum FormatSubject: String, Sendable, CaseIterable {
    case request, variables, environments, bodies, auth, connection, expectations, captures
    case batches, chains, cache, secrets

    /// The page's title.
    package var title: String {
        switch self {
        case .request: "Requests"
        case .variables: "Variables"
        case .environments: "Environments and defaults"
        case .bodies: "Bodies, uploads and downloads"
        case .auth: "Authentication"
        case .connection: "Connections"
        case .expectations: "Expectations"
        case .batches: "Batches"
        case .chains: "Chains"
        case .captures: "Captured values"
        case .cache: "The cache"
        case .secrets: "Secrets"
        }
    }

    /// What the page is about, in a line of a list of pages.
    package var summary: String {
        switch self {
        case .request: "targets and groups, and the whole file"
        case .variables: "{{ name }}, and where a value comes from"
        case .environments: "the same targets elsewhere, and what all have in common"
        case .bodies: "text, JSON, forms, files, GraphQL; a response into a file"
        case .auth: "tokens, passwords, client certificates"
        case .connection: "time limits, redirects, TLS, proxies, sockets"
        case .expectations: "what a response must be: on the screen, in `apus run`, in a chain"
        case .batches: "many targets side by side, often, or at a rate"
        case .chains: "one after another, under conditions, for each element"
        case .captures: "from a response into the next request"
        case .cache: "what is kept, how long, and for whom"
        case .secrets: "where they come from, and what is masked"
        }
    }

    /// What one must know before the keys.
    package var introduction: String {
        switch self {
        case .request:
            """
            A workspace is YAML: a file that is called NAME.apus.yaml, or a folder of such files, which are read as one. \
            The least that works is a target. A target is a request by its name: `METHOD path`, or a mapping where it has \
            more to say. A mapping without `request` is a group. A target is named by its groups and itself, with `/` \
            between them: `Users/Show`.
            """
        case .variables:
            """
            `{{ name }}` in a string stands for a variable. It is filled in when the request is sent, and escaped for its \
            place: in a path, a parameter, a field, JSON. The value of an environment goes before that of the workspace, \
            `set` in a batch or a chain before both, and what a chain captured before all. A value may use other \
            variables. A string that is only `{{ name }}` in JSON becomes the value with its type. `\\{{` stands for the \
            braces themselves, `{{ name | raw }}` for a value that is not escaped. Quote a value that begins with `{{`, \
            for YAML takes a bare brace for a mapping. Functions make values, `{{ uuid }}`, or change them, \
            `{{ name | base64 }}`: what is before `|` is their first value, and others stand in parentheses: a text in \
            quotes, a number or a variable. A variable of a function's name goes before the function. Some values are got when \
            a request first needs them, for each environment: what is asked for, and what the response of another target \
            has. They are kept until you are done; `F` in the explorer forgets them.
            """
        case .environments:
            """
            An environment is a place where the targets are sent to: a server, an account, a set of values. `defaults` has \
            what all of them have in common. Where two say something, the target goes before the environment, and the \
            environment before `defaults`; fields and parameters are joined by name. A group may have `defaults` of its own, \
            which stand between the environment and the target. What they add goes only to the origin \
            of their `baseURL`: a target with a whole URL elsewhere sends only its own.
            """
        case .bodies:
            """
            A target has at most one of `body`, `json`, `form`, `multipart`, `graphql` and `upload`. Each but `body` sends \
            its own `Content-Type`, unless `headers` says another.
            """
        case .auth:
            """
            `auth` stands in a target, an environment or `defaults`, and is a mapping of one method. Credentials go only to \
            the origin that they are meant for. A token of OAuth 2 is obtained when it is first needed, refreshed when it has \
            expired or after a 401, and kept for each workspace and environment in a file that only you may read; `apus \
            sign-in TARGET` and `apus sign-out TARGET` (`:` and “sign in” on the screen) do it by hand.
            """
        case .connection:
            """
            How the server is reached. All of these stand in a target, in an environment or in `defaults`; `defaults: none` \
            in a target leaves them in place.
            """
        case .expectations:
            """
            `expect` says what a response must be. It stands in a target, a group's `defaults`, an environment or `defaults`. \
            `apus run` sends targets and checks them, and ends with 1 if something is not as expected; the explorer shows it \
            beside the response, and `A` on a value there writes an expectation of it. In a step of a chain, `expect` ends the chain \
            if something is not so. A value alone must be equal, numbers by their value, objects in any order; a mapping has \
            comparisons, all of which must hold. Quote what begins with `>`, which is YAML's sign for a long text. `{{ name }}` \
            is filled in as everywhere.
            """
        case .batches:
            """
            A batch sends targets side by side. It is a list of them, or a mapping where there is more to say. `apus batch \
            NAME` runs it without the screen.
            """
        case .chains:
            """
            A chain sends targets one after another: each step waits for the one before it, or for those that `needs` names, \
            and uses what they captured. `apus chain NAME` runs it without the screen, and `--resume FILE` goes on where it \
            failed.
            """
        case .captures:
            """
            A step's `capture` takes values out of its response; steps after it use them as `{{ name }}`. A captured value \
            is escaped wherever it stands, and never names a host, a proxy or a file; `{{ name | raw }}` allows it in a \
            URL's path. Captured credentials are masked as secrets are.
            """
        case .cache:
            """
            Responses are cached if `cache` says so: by its own keys, or by HTTP's rules. `apus cache explain TARGET` says \
            what happens to a request, and why.
            """
        case .secrets:
            """
            A variable may be a secret, which comes from outside of the file: from an environment variable, a file, or a \
            command that runs once you trust the workspace. It is filled in when a request is sent, and masked wherever requests and responses are shown or recorded. The values of fields, parameters and members that \
            are known for credentials (`Authorization`, `password`, `access_token` …) are masked anyway.
            """
        }
    }

    /// A workspace that shows it.
    package var example: String {
        switch self {
        case .request:
            """
            name: My API
            environments:
              local: { baseURL: "http://localhost:8080" }
            targets:
              Home: GET /
              Users:
                List: { request: GET /users, query: { page: 1 } }
                Show: { request: "GET /users/{{ user }}", description: one of them }
            variables: { user: 7 }
            """
        case .variables:
            """
            variables:
              user: 7
              name: "user {{ user }}"
              code: { ask: One-time code, secret: true }
              token: { from: Sign in, capture: $.token, expires: 10 min }
            environments:
              test: { baseURL: "https://test.example", variables: { user: 1 } }
              live: { baseURL: "https://api.example" }
            targets:
              Sign in: { request: POST /sessions, json: { code: "{{ code }}" } }
              Me: { request: GET /me, auth: { bearer: "{{ token }}" } }
              Show: "GET /users/{{ user }}"
              Rename: { request: "PUT /users/{{ user }}", json: { id: "{{ user }}", name: "{{ name }}" } }
              Add: { request: POST /users, headers: { X-Request: "{{ uuid }}" }, json: { until: "{{ now('+1 day') }}" } }
            """
        case .environments:
            """
            defaults:
              timeout: 10 s
              headers: { Accept: application/json }
            environments:
              local: { baseURL: "http://localhost:8080" }
              test: { extends: local, baseURL: "https://test.example" }
              live: { baseURL: "https://api.example/v1", danger: true, color: red }
            targets:
              Home: GET /
              Orders:
                defaults: { headers: { X-Tenant: one } }
                List: GET /orders
                Second page: { like: Orders/List, query: { page: 2 } }
              Elsewhere: { request: GET https://other.example/, defaults: none }
            """
        case .bodies:
            """
            environments:
              local: { baseURL: "http://localhost:8080" }
            targets:
              JSON: { request: POST /users, json: { name: Ada, tags: [a, b] } }
              Form: { request: POST /login, form: { user: ada, remember: true } }
              Files: { request: POST /pictures, multipart: { title: Ada, file: { file: ada.png, type: image/png } } }
              Query: { request: POST /graphql, graphql: { query: "query($id: ID!) { user(id: $id) { name } }", variables: { id: 7 } } }
              Save: { request: GET /pictures/1, download: { to: ada.png, replace: true } }
            """
        case .auth:
            """
            variables:
              token: { env: API_TOKEN }
              password: { file: secrets/password }
            environments:
              live: { baseURL: "https://api.example", auth: { bearer: "{{ token }}" } }
            targets:
              Me: GET /me
              Old: { request: GET /old, auth: { basic: { user: ada, password: "{{ password }}" } } }
              Open: { request: GET /health, auth: none }
              Orders:
                request: GET /orders
                auth:
                  oauth2:
                    grant: authorizationCode
                    authorizationURL: https://login.example/authorize
                    tokenURL: https://login.example/token
                    clientID: my-app
                    scope: orders
              Files: { request: GET /files, auth: { aws: { service: execute-api, region: eu-central-1 } } }
            """
        case .connection:
            """
            defaults:
              timeout: 10 s
              connectTimeout: 2 s
            environments:
              docker: { baseURL: "http://localhost", unixSocket: /run/docker.sock }
              test: { baseURL: "https://test.example", verifyTLS: false, proxy: "http://localhost:3128" }
            targets:
              Version: { request: GET /version, redirects: 0, trace: true }
            """
        case .expectations:
            """
            environments:
              local: { baseURL: "http://localhost:8080" }
            defaults: { expect: { status: 2xx, time: < 2 s } }
            targets:
              List: { request: GET /users, expect: { json: { "$.users": { count: ">= 1" }, "$..id": { type: array } } } }
              Show:
                request: GET /users/1
                expect:
                  status: 200
                  fields: { Content-Type: { matches: json }, Server: { exists: false } }
                  json: { $.name: Ada, $.role: { in: [admin, user] }, $.age: { ">": 17 } }
              Whole: { request: GET /users/1, expect: { body: { id: 1, name: Ada, seen: ~ignore } } }
            """
        case .batches:
            """
            environments:
              local: { baseURL: "http://localhost:8080" }
            targets:
              Home: GET /
              Show: "GET /users/{{ user }}"
            variables: { user: 1 }
            batches:
              Smoke: [Home, GET /health]
              Many:
                targets: [{ target: Show, repeat: 100, set: { user: "{{ index }}" } }]
                concurrency: 20
              Steady: { targets: [Home, Show], rate: 50/s for 30 s }
            """
        case .chains:
            """
            environments:
              local: { baseURL: "http://localhost:8080" }
            targets:
              Create: { request: POST /users, json: { name: Ada } }
              Show: "GET /users/{{ id }}"
              Remove: "DELETE /users/{{ id }}"
            chains:
              Round:
                - { step: create, target: Create, capture: { id: $.id } }
                - { step: show, target: Show, when: "$.steps.create.status == 201", expect: { json: { $.name: Ada } } }
                - { step: remove, target: Remove, join: ended }
            """
        case .captures:
            """
            environments:
              local: { baseURL: "http://localhost:8080" }
            targets:
              List: GET /users
              Show: "GET /users/{{ user }}"
            chains:
              All:
                - { step: list, target: List, capture: { ids: "$[*].id", etag: "header:ETag" } }
                - { step: each, target: Show, forEach: { in: ids, as: user, concurrency: 4 } }
            """
        case .cache:
            """
            defaults: { cache: http }
            environments:
              local: { baseURL: "http://localhost:8080" }
            targets:
              Rates: { request: GET /rates, cache: 1 h, source: cacheIfPossible }
              Search: { request: GET /search, cache: { expires: 5 min, storage: memory, ignore: [timestamp] } }
              Fresh: { request: GET /now, cache: none }
            """
        case .secrets:
            """
            variables:
              token: { env: API_TOKEN }
              password: { file: secrets/password }
              key: { command: pass show api }
            mask: { names: [X-Session, pin], patterns: ['\\b\\d{16}\\b'] }
            environments:
              live: { baseURL: "https://api.example", auth: { bearer: "{{ token }}" } }
            targets:
              Me: { request: GET /me, headers: { X-Key: "{{ key }}" } }
              Old: { request: GET /old, auth: { basic: { user: ada, password: "{{ password }}" } } }
            """
        }
    }

    /// The keys of the page, under what each group of them belongs to.
    package var keys: [(heading: String, keys: [FormatKey])] {
        let sections = FormatSection.all
        func settings(_ names: [String]) -> [FormatKey] {
            FormatSection.settings.filter { names.contains($0.name) }
        }
        func own(_ id: FormatSection.ID, but names: [String] = []) -> [FormatKey] {
            FormatSection[id].own.filter { !names.contains($0.name) }
        }
        let rest = sections.filter { $0.subject == self && !Self.apart.contains($0.id) }
            .map { (heading: "In \($0.words)", keys: $0.own) }
        switch self {
        case .request:
            return [
                ("At the top of the file", own(.workspace)),
                ("In a target", own(.target, but: Self.bodyKeys)),
                ("In a sample", own(.sample)),
                (
                    "In a target, an environment or `defaults`",
                    settings(["headers", "query", "validate", "source"])
                ),
            ]
        case .variables:
            return [
                (
                    "At the top of the file, or in an environment",
                    ["variables", "envFile"].compactMap { FormatSection[.workspace].key($0) }
                )
            ] + rest
        case .environments:
            return rest.filter { !$0.keys.isEmpty }
                + [("In an environment or `defaults`", settings(["baseURL"]))]
        case .bodies:
            return [("In a target", own(.target).filter { Self.bodyKeys.contains($0.name) })] + rest
        case .auth:
            return [
                (
                    "In a target, an environment or `defaults`",
                    settings(["auth", "clientCertificate"])
                )
            ]
                + rest
        case .connection:
            return [("In a target, an environment or `defaults`", settings(Self.connectionKeys))]
        case .expectations:
            return [
                (
                    "In a target, an environment or `defaults`",
                    settings(["expect", "validate", "tags"])
                )
            ] + rest
        case .captures:
            return [("In a step", [FormatSection[.step].key("capture")].compactMap(\.self))]
        case .cache:
            return [("In a target, an environment or `defaults`", settings(["cache", "source"]))]
                + rest
        case .batches, .chains, .secrets: return rest
        }
    }

    private static let apart: Set<FormatSection.ID> = [.workspace, .target, .defaults]
    private static let bodyKeys = TargetDecoder.bodyKeys + ["download"]
    private static let connectionKeys = [
        "timeout", "connectTimeout", "redirects", "trustRedirects", "verifyTLS", "caFile",
        "unixSocket", "httpVersion",
        "proxy", "decode", "maxBody", "trace", "cookies",
    ]
}
