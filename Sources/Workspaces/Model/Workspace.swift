package import Apus

/// Targets, environments, batches and chains, as files `*.apus.yaml` hold them.
///
/// ```yaml
/// name: Demo API
/// variables:
///   token: { env: DEMO_TOKEN }        # a secret: read from outside, never shown
/// environments:
///   local: { baseURL: "http://127.0.0.1:8080", variables: { user: 7 } }
///   staging: { baseURL: "https://staging.example.com", variables: { user: 1 }, color: yellow }
///   live: { baseURL: "https://api.example.com", danger: true }    # the screen asks before it changes something
/// defaults:                           # for all targets
///   headers: { Accept: application/json }
///   timeout: 10 s
///   source: cacheAndServer
///   cache: { storage: memoryAndDisk, expires: 5 min }
/// mask:                               # beside what looks like a credential by itself
///   names: [X-Session, pin]           # of fields, parameters and members of JSON
///   patterns: ['\b\d{16}\b']
/// targets:                            # groups in groups, in this order
///   Users:
///     List users: GET /users
///     Show user: GET /users/{{ user }}
///     Create user:
///       request: POST /users
///       json: { name: Ada, roles: [admin], manager: "{{ user }}" }
///       auth: { bearer: "{{ token }}" }
///     Send picture: { request: POST /pictures, multipart: { title: Ada, file: { file: ada.png } } }
///     Ask: { request: POST /graphql, graphql: { query: "{ users { name } }", variables: { id: 7 } } }
/// batches:
///   Warm the cache: [Users/List users, { target: Users/Show user, repeat: 3, set: { user: "{{ index }}" } }]
/// chains:
///   Sign up:
///     - { step: create, target: Users/Create user, capture: { id: $.id } }
///     - { step: look, target: Users/Show user, set: { user: "{{ id }}" } }
///   Look at all:                      # a step needs the one before it, or what it says
///     - { step: list, target: Users/List users, capture: { ids: "$[*].id", code: status } }
///     - { step: user, target: Users/Show user, forEach: { in: ids, as: user } }
///     - { step: more, target: Users/List users, needs: list, when: "$.steps.list.status == 206" }
/// ```
///
/// Any text may have `{{ name }}` in it; `\{{` stands for the braces. A JSON
/// value that is just `"{{ name }}"` has the variable's type. A name's value
/// comes from the first of: what a chain's earlier steps captured, `set`, the
/// environment's variables, the workspace's, and what the program gives. In a
/// batch, `index` counts the repeats from 1.
///
/// In a path a value is one segment and in a query one value, escaped; what
/// begins a URL (`{{ host }}/users`) stands as it is, and `{{ name | raw }}` does
/// so everywhere. What comes from an answer names no host, no `baseURL` and no
/// proxy without `raw`, and no file to upload without
/// `upload: { file: "{{ name }}", from: FOLDER }`; in `download` it is one name. As
/// a whole URL (`GET {{ next }}`) it is followed: with credentials to the origin of
/// `baseURL` only.
package struct Workspace: Sendable {
    /// Its name.
    package let name: String
    /// The files it was read from.
    package let files: [String]
    /// At least one, in the file's order.
    package let environments: [Environment]
    /// Groups and targets, in the file's order.
    package let tree: [TreeItem]
    /// The batches, in the file's order.
    package let batches: [BatchDefinition]
    /// The chains, in the file's order.
    package let chains: [ChainDefinition]

    let variables: [Variable]
    let defaults: RequestSettings
    /// What is masked beside what is known to be secret.
    let rules: SecretRules
    let given: [String: String]
    /// What batches and chains give to targets.
    let supplied: SuppliedNames
    /// The texts that it was read from, and who read the secrets in them.
    let sources: [SourceText]
    let secrets: SecretReader
    /// Values over all variables.
    private(set) var overrides: [String: Value] = [:]

    /// The workspace with values that lie over the variables of its files; only what a batch, a chain
    /// or a capture gives lies over them.
    package func setting(values: [String: Value]) -> Workspace {
        var workspace = self
        workspace.overrides.merge(values) { $1 }
        return workspace
    }

    /// Values that people give while the program runs, over all variables; those of secrets are secrets.
    private(set) var session: [String: String] = [:]

    /// The workspace with values that people have given to names without one.
    package func supplying(_ values: [String: String]) -> Workspace {
        var workspace = self
        workspace.session.merge(values) { $1 }
        return workspace
    }

    /// The cookies of each environment; nil where none are sent or kept.
    private(set) var cookieJars: CookieJars?

    /// The workspace with a jar of cookies for each environment.
    package func keeping(cookiesIn jars: CookieJars) -> Workspace {
        var workspace = self
        workspace.cookieJars = jars
        return workspace
    }

    /// Whether a name's value must not be shown.
    package func isSecret(_ name: String, in environment: String) -> Bool {
        let variables = self.environment(environment).variables + variables
        if case .secret = variables.first(where: { $0.name == name })?.content { return true }
        return CredentialMask.isSecret(parameter: name)
    }

    /// All names that something is defined or filled in by, as far as its files say.
    package var names: Set<String> {
        var names = Set(variables.map(\.name))
        for environment in environments { names.formUnion(environment.variables.map(\.name)) }
        for source in sources {
            var rest = source.text[...].utf8
            while let start = rest.firstRange(of: "{{".utf8) {
                rest = rest[start.upperBound...]
                let name = rest.drop { $0 == UInt8(ascii: " ") }
                    .prefix { !" |}".utf8.contains($0) }
                names.insert(String(decoding: name.prefix(256), as: UTF8.self))
            }
        }
        return names
    }

    /// Reads a file, or all `*.apus.yaml` of a folder in the order of their names.
    ///
    /// - Parameters:
    ///   - path: The file or the folder.
    ///   - given: Variables that the program sets; the files' own lie over them.
    ///   - secrets: Where the secrets are read from.
    /// - Returns: The workspace, free of faults.
    /// - Throws: `WorkspaceError` with every problem that was found.
    package static func load(
        path: String,
        given: [String: String] = [:],
        secrets: SecretReader = .process
    ) throws(WorkspaceError) -> Workspace {
        try WorkspaceLoader.load(path: path, given: given, secrets: secrets)
    }

    /// Reads a file's text; `file` is its name in problems.
    ///
    /// - Throws: `WorkspaceError` with every problem that was found.
    package static func parse(
        text: String,
        file: String,
        given: [String: String] = [:],
        secrets: SecretReader = .process
    ) throws(WorkspaceError) -> Workspace {
        try WorkspaceLoader.read(
            [SourceText(name: file, text: text)],
            given: given,
            secrets: secrets,
            ProblemLog()
        )
    }

    /// All targets of the tree, depth first.
    package var targets: [TargetDefinition] { tree.flatMap(\.targets) }

    /// The target of that id.
    package func definition(_ id: TargetID) -> TargetDefinition? {
        targets.first { $0.id == id }
    }

    /// The variables of an environment with their values, secrets masked, by name.
    package func variables(in environment: String) -> [(name: String, text: String)] {
        TargetResolver(
            workspace: self,
            environment: self.environment(environment),
            purpose: .checking,
            log: ProblemLog()
        ).shownVariables
    }

    /// The environment of that name; the first if there is none.
    func environment(_ name: String) -> Environment {
        environments.first { $0.name == name } ?? environments[0]
    }
}

/// A named set of base URL, variables and settings to send requests with.
package struct Environment: Sendable {
    /// Its name.
    package let name: String
    /// What it is for, if the file says so.
    package let summary: String?
    /// Whether what changes something there is to be asked about first.
    package let isDangerous: Bool
    /// The colour of its name, if the file says so.
    package let color: Color?

    /// The colours that a file can name.
    package enum Color: String, Sendable, CaseIterable {
        case red, orange, yellow, green, cyan, blue, violet, pink, grey
    }

    let span: Span
    let variables: [Variable]
    let settings: RequestSettings
}

extension Environment {
    /// One that sets nothing.
    init(name: String, span: Span) {
        self.init(
            name: name,
            summary: nil,
            isDangerous: false,
            color: nil,
            span: span,
            variables: [],
            settings: RequestSettings()
        )
    }
}
