package import Apus
import Secrets

/// Targets, environments, batches and chains, read from `*.apus.yaml` files.
///
/// ```yaml
/// name: Demo API
/// variables:
///   token: { env: DEMO_TOKEN }        # a secret: read from outside the file, never shown
/// environments:
///   local: { baseURL: "http://127.0.0.1:8080", variables: { user: 7 } }
///   staging: { baseURL: "https://staging.example.com", variables: { user: 1 }, color: yellow }
///   live: { baseURL: "https://api.example.com", danger: true }    # the screen asks before it sends a change
/// defaults:                           # for all targets
///   headers: { Accept: application/json }
///   timeout: 10 s
///   source: cacheAndServer
///   cache: { storage: memoryAndDisk, expires: 5 min }
/// mask:                               # in addition to what looks like a credential
///   names: [X-Session, pin]           # of fields, parameters and JSON members
///   patterns: ['\b\d{16}\b']
/// targets:                            # groups can be nested; the order is kept
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
///   Look at all:                      # a step needs the one before it, or those in `needs`
///     - { step: list, target: Users/List users, capture: { ids: "$[*].id", code: status } }
///     - { step: user, target: Users/Show user, forEach: { in: ids, as: user } }
///     - { step: more, target: Users/List users, needs: list, when: "$.steps.list.status == 206" }
/// ```
///
/// Any text can contain `{{ name }}`; `\{{` stands for the braces themselves. A JSON value that is only
/// `"{{ name }}"` takes the variable's type. The value comes from the first of these that has the name:
/// `set`, what a chain's earlier steps captured, the environment's variables, the workspace's, and those
/// that the program supplies. In a batch, `index` counts the repeats from 1.
///
/// A value is escaped as one segment in a path, and as one value in a query. What begins a URL
/// (`{{ host }}/users`) is inserted unchanged, and so is `{{ name | raw }}` everywhere. Without `raw`, a value
/// from a response cannot be part of a host, a `baseURL` or a proxy. It can name a file to upload only with
/// `upload: { file: "{{ name }}", from: FOLDER }`, and in `download` it must be part of a single file name. As
/// a whole URL (`GET {{ next }}`) it can lead to another origin than `baseURL` only if the request has no
/// credentials, body or fields of its own.
package struct Workspace: Sendable {
    /// The workspace's name; without `name`, that of the first file.
    package let name: String
    /// Its `note` in a file, in Markdown; nil if there is none.
    package let note: String?
    /// The paths of the files it was read from.
    package let files: [String]
    /// The environments in the file's order; always at least one.
    package let environments: [Environment]
    /// Groups and targets, in the file's order.
    package let tree: [TreeItem]
    /// The batches, in the file's order.
    package let batches: [BatchDefinition]
    /// The chains, in the file's order.
    package let chains: [ChainDefinition]

    private(set) var variables: [Variable]
    /// The texts of the files under `envFile` and of the tables under `rows`, by their paths.
    let otherFiles: [String: String]
    let defaults: RequestSettings
    /// The `defaults` of groups, by the group's id.
    let groupDefaults: [String: RequestSettings]
    /// What to mask in addition to known secrets.
    let rules: SecretRules
    var given: [String: String]
    /// The variables that batches and chains supply to targets.
    let supplied: SuppliedNames
    /// The texts that it was read from, and the reader of the secrets in them.
    var sources: [SourceText]
    var secrets: SecretReader
    /// The file or the folder that it was loaded from; nil for texts.
    package internal(set) var path: String?
    /// Whether each target was filled in once in each environment when it was loaded.
    var hasResolvedTargets = true
    /// The file of another program that it was made of; nil for workspace files.
    package internal(set) var origin: WorkspaceOrigin?
    /// Gives the values of variables that come from commands, people and responses.
    package internal(set) var supplier = VariableSupplier()
    /// The texts of the tables under `rows`, by their paths.
    var tables: [String: String] = [:]
    /// The cache that a team shares; nil if its files name none.
    var sharedCache: SharedCacheSettings?
    /// What stands for values in its targets; nil where the values themselves do.
    var marks: TemplateMarks?
    /// Values that override all variables.
    private(set) var overrides: [String: Value] = [:]

    /// The workspace with values that override the variables of its files.
    ///
    /// Values from a batch, a chain, a capture or `supplying(_:)` override these in turn.
    package func setting(values: [String: Value]) -> Workspace {
        var workspace = self
        workspace.overrides.merge(values) { $1 }
        return workspace
    }

    /// Values entered while the program runs, which override all variables; the value of a secret stays secret.
    private(set) var session: [String: String] = [:]

    /// The workspace with values that were entered for variables that had none.
    package func supplying(_ values: [String: String]) -> Workspace {
        var workspace = self
        workspace.session.merge(values) { $1 }
        return workspace
    }

    /// The workspace with texts in the place of files that are not written yet.
    package func reading(_ files: [(path: String, text: String)]) -> Workspace {
        var workspace = self
        workspace.secrets = files.reduce(secrets) { $0.serving($1.text, at: $1.path) }
        return workspace
    }

    /// The names of its variables but those that only a file of `NAME=value` lines has.
    package func names(definedOutside file: String) -> Set<String> {
        let all = variables + environments.flatMap(\.variables)
        return Set(all.filter { $0.span.source.name != file }.map(\.name))
    }

    /// Whether targets with a sample are answered by it, without their server.
    package private(set) var usesSamples = false

    /// The workspace whose targets are answered by their samples, or not.
    package func usingSamples(_ uses: Bool = true) -> Workspace {
        var workspace = self
        workspace.usesSamples = uses
        return workspace
    }

    /// The cookies of each environment; nil if none are sent or kept.
    private(set) var cookieJars: CookieJars?

    /// The workspace with a cookie jar for each environment.
    package func keeping(cookiesIn jars: CookieJars) -> Workspace {
        var workspace = self
        workspace.cookieJars = jars
        return workspace
    }

    /// The files under `envFile` that are not there, and where they are named.
    var missingFiles: [(path: String, span: Span)] = []

    /// The paths of other files whose changes change it.
    package var watchedFiles: [String] { (otherFiles.keys + missingFiles.map(\.path)).sorted() }

    /// Has the values asked for that templates use and nothing gives, because the file that has them is not there.
    mutating func askForValues(of file: String, namedAt span: Span, but others: Set<String>) {
        let known = definedNames.union(given.keys).union(others).union(rowNames)
        for name in usedNames.subtracting(known).sorted() where TemplateParser.isName(name) {
            let question = Question(
                name: name,
                text: "\(name) (\(name)=… in \(file), which is not there, answers this)",
                isSecret: CredentialMask.isSecret(parameter: name),
                place: file
            )
            variables.append(
                Variable(name: name, span: span, content: .supplied(.question(question)))
            )
        }
    }

    /// The names that rows give to their targets.
    private var rowNames: Set<String> {
        Set(targets.flatMap { ($0.rows ?? []).flatMap { $0.map(\.name) } }).union(["index"])
    }

    /// Whether a variable's value must be masked.
    package func isSecret(_ name: String, in environment: String) -> Bool {
        let variables = self.environment(environment).variables + variables
        switch variables.first(where: { $0.name == name })?.content {
        case .secret: return true
        case .supplied(let origin) where origin.isSecret(name): return true
        case .supplied, .value, nil: break
        }
        return CredentialMask.isSecret(parameter: name)
    }

    /// All names that the files define as variables or use in `{{ name }}`.
    package var names: Set<String> { usedNames.union(definedNames) }

    /// All names that the files define as variables.
    var definedNames: Set<String> {
        Set((variables + environments.flatMap(\.variables)).map(\.name))
    }

    /// All names that the files use in `{{ name }}`.
    var usedNames: Set<String> {
        var texts: Set<String> = []
        for source in sources {
            // By bytes, for a text may be long: what is between `{{` and the next `}`.
            var previous: UInt8 = 0
            var beforeBraces: UInt8 = 0
            var isInside = false
            var inside: [UInt8] = []
            for byte in source.text.utf8 {
                if !isInside {
                    // `\{{` stands for braces.
                    let isEscaped = beforeBraces == UInt8(ascii: "\\")
                    isInside = byte == UInt8(ascii: "{") && previous == byte && !isEscaped
                    if byte != UInt8(ascii: "{") { beforeBraces = byte }
                } else if byte == UInt8(ascii: "}") || inside.count == 1024 {
                    texts.insert(String(decoding: inside, as: UTF8.self))
                    inside.removeAll(keepingCapacity: true)
                    isInside = false
                    beforeBraces = byte
                } else {
                    inside.append(byte)
                }
                previous = byte
            }
        }
        var names: Set<String> = []
        for text in texts {
            let text = TemplateParser.trimmed(text[...])
            // What is not understood is reported when it is loaded.
            guard let result = try? TemplateExpressionParser.parse(text) else { continue }
            names.formUnion(result.expression.names)
        }
        return names
    }

    /// Reads a file, or all `*.apus.yaml` files of a folder in order of their names.
    ///
    /// - Parameters:
    ///   - path: The file or the folder.
    ///   - given: Variables that the program supplies; the files' own variables override them.
    ///   - secrets: Where the secrets are read from.
    ///   - limit: If it has no more targets than this, each is filled in once in each environment, so that what is wrong
    ///     there is found now and not when it is sent.
    ///   - foreign: What reads files of other programs; nil if only workspace files are read.
    /// - Returns: The workspace, which has no problems.
    /// - Throws: `WorkspaceError` with every problem that was found.
    package static func load(
        path: String,
        given: [String: String] = [:],
        secrets: SecretReader = .process,
        resolvingAtMost limit: Int = .max,
        foreign: (any ForeignReader)? = nil
    ) throws(WorkspaceError) -> Workspace {
        try WorkspaceLoader.load(
            path: path,
            given: given,
            secrets: secrets,
            resolvingAtMost: limit,
            foreign: foreign
        )
    }

    /// Fills in each target once in each environment, unless that was done when it was loaded.
    ///
    /// - Throws: `WorkspaceError` with every problem that was found.
    package func resolveTargets() throws(WorkspaceError) {
        guard !hasResolvedTargets else { return }
        let log = ProblemLog()
        WorkspaceCheck(workspace: self, log: log).check()
        try log.throwIfAny(files: files)
    }

    /// Reads a workspace from text; problems show `file` as its name.
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

    /// The settings that a target has in an environment: those that all have, those of the environment, of its
    /// groups from the outside in, of the targets that it is like, and its own.
    func layers(of target: TargetDefinition, in environment: Environment) -> [RequestSettings.Layer]
    {
        [(defaults, "defaults"), (environment.settings, "environment \(environment.name)")]
            + groupLayers(of: target) + target.layers
    }

    /// The `defaults` of a target's groups, from the outside in.
    func groupLayers(of target: TargetDefinition) -> [RequestSettings.Layer] {
        guard !groupDefaults.isEmpty else { return [] }
        let names = target.id.rawValue.split(separator: "/").dropLast()
        return names.indices.compactMap { index in
            let id = names[...index].joined(separator: "/")
            return groupDefaults[id].map { ($0, "group \(id)") }
        }
    }

    /// All targets of the tree, depth first.
    package var targets: [TargetDefinition] { tree.flatMap(\.targets) }

    /// All groups of the tree, depth first.
    package var groups: [TargetGroup] {
        func groups(in items: [TreeItem]) -> [TargetGroup] {
            items.compactMap(\.group).flatMap { [$0] + groups(in: $0.items) }
        }
        return groups(in: tree)
    }

    /// The target with this id; nil if there is none.
    package func definition(_ id: TargetID) -> TargetDefinition? {
        let names = id.rawValue.split(separator: "/", omittingEmptySubsequences: false)
        var items = tree
        for (depth, name) in names.enumerated() {
            let isLast = depth == names.count - 1
            for case .target(let target) in items where isLast && target.name == name {
                return target
            }
            guard let group = items.lazy.compactMap(\.group).first(where: { $0.name == name })
            else { return nil }
            items = group.items
        }
        return nil
    }

    /// The variables of an environment and their values with secrets masked, sorted by name.
    package func variables(in environment: String) -> [(name: String, text: String)] {
        TargetResolver(
            workspace: self,
            environment: self.environment(environment),
            purpose: .checking,
            log: ProblemLog()
        ).shownVariables
    }

    /// The environment with this name; the first one if there is none.
    func environment(_ name: String) -> Environment {
        environments.first { $0.name == name } ?? environments[0]
    }
}

/// A named set of base URL, variables and settings to send requests with.
package struct Environment: Sendable {
    /// The environment's name, unique in the workspace.
    package let name: String
    /// The `description` in the file; nil if there is none.
    package let summary: String?
    /// Whether to ask before sending a request that changes something.
    package var isDangerous: Bool { danger ?? false }
    /// `danger` in the file; nil if it does not say.
    let danger: Bool?
    /// The color of its name on the screen; nil if the file sets none.
    package let color: Color?

    /// The colors that a file can set.
    package enum Color: String, Sendable, CaseIterable {
        case red, orange, yellow, green, cyan, blue, violet, pink, grey
    }

    let span: Span
    let variables: [Variable]
    let settings: RequestSettings
    /// The environment that it extends, and the place of its name; nil if there is none.
    var parent: (name: String, span: Span)?
}

extension Environment {
    /// The environment on top of another.
    func extending(_ parent: Environment) -> Environment {
        let names = Set(variables.map(\.name))
        return Environment(
            name: name,
            summary: summary,
            danger: danger ?? parent.danger,
            color: color ?? parent.color,
            span: span,
            variables: variables + parent.variables.filter { !names.contains($0.name) },
            settings: parent.settings.overridden(by: settings),
            parent: self.parent
        )
    }

    /// An environment that sets nothing.
    init(name: String, span: Span) {
        self.init(
            name: name,
            summary: nil,
            danger: nil,
            color: nil,
            span: span,
            variables: [],
            settings: RequestSettings()
        )
    }
}
