import Apus
import ArgumentParser
import Glibc
import HTTPTypes
import Recordings
import Workspaces

/// `apus pipe`: reads requests as lines of JSON, and writes responses as lines of JSON.
struct PipeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pipe",
        _superCommandName: "apus",
        abstract: "Read requests and write responses as lines of JSON, for editors and scripts.",
        discussion: """
            A request is a line of JSON on standard input, with these members and no others:
              id               any JSON value; the response has it too
              url              http:// or https://
              method           default GET
              headers          [[name, value], …], sent in this order, with no others except those \
            that HTTP needs (Host, Content-Length); bytes over 127 are U+0080 to U+00FF
              body             a string, or bodyBase64 for other bytes
              redirect         "follow" (default) or "manual"
              source           server, cache, cacheIfPossible, cacheAndServer, cacheThenRefresh or \
            cacheOnFirstUse; default server, or cacheIfPossible with --cache
              timeout          milliseconds; 0 for none, default 60000
              target, set      a target of the workspace (--workspace) instead of url, method, \
            headers and body, and an object of values for its variables

            A response is a line of JSON on standard output, written as soon as it is complete, so in \
            any order:
              id, status, reason, headers [[name, value], …], body (or bodyBase64 when it is not \
            UTF-8, as received: compressed bodies stay compressed unless --decode auto), source \
            (server, memory, disk …), url, redirected, timings (milliseconds), if there are any \
            trailers, malformedHeaders, interim (1xx responses) and headersAsBytes (the positions of \
            values that are not UTF-8: their characters are bytes), and with --cache http or shared decision \
            {outcome, rule, section, summary, findings [text, …]}
            or:
              id, error {code, message}
            where code is the exit status for the failure: 2 for an invalid line (with line and \
            column), 20 connection, 21 DNS, 22 TLS, 23 timeout, 24 not in the cache, 130 \
            interrupted; reason is a more precise number. This is version 1: members may be added, \
            none will change its meaning.

            Requests are recorded only with --session.

            Example:
              echo '{"id": 1, "url": "https://example.com/"}' | apus pipe

            Exit status: 0 all was answered, 2 the output or input failed, 130 interrupted.
            """
    )

    @OptionGroup var workspace: PipeWorkspaceOptions

    @Option(
        help: """
            How responses are cached. http: by HTTP's rules for a private cache (RFC 9111), in \
            memory until the program ends, or in --cache-folder; shared: by its rules for a shared \
            cache; memory, disk, memoryAndDisk: every success, for 5 minutes. Default: not at all; \
            for targets, as the workspace says.
            """
    )
    var cache: PipeCacheMode?

    @OptionGroup var policy: PolicyArguments

    @Option(
        help: ArgumentHelp(
            "The folder for responses on disk. Default: the explorer's.",
            valueName: "folder"
        ),
        completion: .directory
    )
    var cacheFolder: String?

    @OptionGroup var decoding: DecodingArguments

    @Option(help: "How many requests run at once.")
    var concurrency = 256

    @Option(
        help: ArgumentHelp(
            "The longest line; the response to a longer one is an error.",
            valueName: "bytes"
        )
    )
    var lineLimit = 64 << 20

    @OptionGroup(title: "History") var history: PipeHistoryOptions

    func validate() throws {
        guard (1...100_000).contains(concurrency) else {
            throw ValidationError("--concurrency takes 1 to 100000.")
        }
        guard (1...1 << 40).contains(lineLimit) else {
            throw ValidationError("--line-limit takes 1 byte to a TiB.")
        }
    }

    func run() throws {
        let workspace = try workspace.load()
        let responses = ResponseCache.forCommand(cacheConfiguration)
        // Otherwise responses would silently not be cached.
        try responses.checkFolder()
        if let store = workspace?.workspace.storeForCommand { responses.share(through: store) }
        let (concurrency, hasWorkspace) = (concurrency, workspace != nil)
        try PipeRun.run(
            recorder: history.recorder(secrets: workspace?.workspace.knownSecrets ?? []),
            provider: { plugins in
                AnyProvider(
                    transport: CurlTransport(
                        .forMany(atOnce: concurrency, sendsOnlyGivenFields: true)
                    ),
                    cache: responses,
                    headerFields: [:],
                    plugins: plugins,
                    interceptors: hasWorkspace
                        ? Signing.interceptors(transport: CurlTransport(), prompt: .onTerminal) : []
                ).supplying(if: workspace?.workspace.suppliesValues == true)
            },
            resolver: PipeResolver(
                workspace: workspace,
                cache: cache,
                hasFolder: cacheFolder != nil,
                overrides: policy.overrides,
                decodesContent: decoding.decodesContent
            ),
            concurrency: concurrency,
            lineLimit: lineLimit
        )
    }

    private var cacheConfiguration: ResponseCache.Configuration {
        let isKept = cacheFolder != nil || cache.map(\.needsFolder) ?? (workspace.workspace != nil)
        return isKept ? .named(folder: cacheFolder) : .inMemory
    }
}

/// The workspace with the targets that the lines name; there is none unless it is given.
struct PipeWorkspaceOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: "A workspace file, or a folder of *.apus.yaml files. Default: no workspace.",
        completion: .file(extensions: ["yaml"])
    )
    var workspace: String?

    @Option(
        name: .shortAndLong,
        help: "With --workspace: an environment's name. Default: the first."
    )
    var environment: String?

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "With --workspace: a variable's value; it overrides the workspace. Can be repeated.",
            valueName: "name=value"
        )
    )
    var values: [String] = []

    @Flag(help: "With --workspace: let the commands of the workspace run that give values.")
    var trust = false

    func validate() throws {
        if workspace == nil, environment != nil || !values.isEmpty || trust {
            throw ValidationError("--environment, --set and --trust need --workspace.")
        }
        try options.validate()
    }

    /// Reads the workspace; nil if none is given.
    func load() throws -> NamedWorkspace? { workspace == nil ? nil : try options.load() }

    private var options: WorkspaceOptions {
        var options = WorkspaceOptions()
        // All are set, because an option that was not parsed must not be read.
        (options.workspace, options.environment, options.values) = (workspace, environment, values)
        options.trust = trust
        return options
    }
}

/// The session in which `apus pipe` records its requests; without one, it records nothing.
struct PipeHistoryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Record into the session of this name. It is created if necessary, and kept until you \
            delete it. Default: nothing is recorded.
            """,
            valueName: "name"
        )
    )
    var session: String?

    @Flag(help: "Record nothing. This is the default.")
    var noHistory = false

    @Flag(help: "With --session: record secrets unmasked. Default: ••1, ••2 …")
    var keepSecrets = false

    func validate() throws {
        if noHistory, session != nil {
            throw ValidationError("--session cannot be combined with --no-history.")
        }
        if keepSecrets, session == nil { throw ValidationError("--keep-secrets needs --session.") }
        if session?.isEmpty == true { throw ValidationError("--session takes a name.") }
    }

    /// Makes the recorder, which masks `secrets` wherever they occur.
    func recorder(secrets: Set<String>) -> HistoryRecorder {
        HistoryRecorder(
            session == nil
                ? nil : .forCommand(secrets: Array(secrets), keepsSecrets: keepSecrets),
            session: session
        )
    }
}

extension PipeCacheMode: ExpressibleByArgument {}
extension SourceName: ExpressibleByArgument {}
