import Apus
import ArgumentParser
import Glibc
import HTTPTypes

/// `apus pipe`: requests as lines of JSON in, answers as lines of JSON out.
struct PipeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pipe",
        _superCommandName: "apus",
        abstract: "Answer requests that come as lines of JSON, for editors and scripts.",
        discussion: """
            A request is a line of JSON on standard input:
              id               any JSON value; the answer has it too
              url              http:// or https://
              method           default GET
              headers          [[name, value], …], sent in this order, and no others but what HTTP \
            needs (Host, Content-Length); bytes over 127 are U+0080 to U+00FF
              body             a text, or bodyBase64 for other bytes
              redirect         "follow" (default) or "manual"
              source           server, cache, cacheIfPossible, cacheAndServer, cacheThenRefresh or \
            cacheOnFirstUse; default server, or cacheIfPossible with --cache
              timeout          milliseconds; 0 for none, default 60000
              target, set      a target of the workspace instead of url, method, headers and body, \
            and an object of values for its variables

            An answer is a line of JSON on standard output, as soon as it is there, so in any order:
              id, status, reason, headers [[name, value], …], body (or bodyBase64 when it is not \
            UTF-8, as received: what is compressed stays so), source (server, memory, disk …), url, \
            redirected, timings (milliseconds), and with --cache http or shared decision {outcome, rule, \
            section, summary, findings [text, …]}
            or:
              id, error {code, message}
            with the exit status that the failure would be as code: 2 for a line that cannot be \
            understood (and line and column), 20 connection, 21 DNS, 22 TLS, 23 timeout, 24 not in \
            the cache, 130 interrupted; reason is a finer number. This is version 1: members may be \
            added, none will change its meaning.

            It is made for many requests, and records them only with --session.

            Example:
              echo '{"id": 1, "url": "https://example.com/"}' | apus pipe

            Exit status: 0 all was answered, 2 the output or input failed, 130 interrupted.
            """
    )

    @OptionGroup var options: WorkspaceOptions

    @Option(
        help: """
            Where answers are kept. http: as HTTP lets a private cache (RFC 9111), in memory until \
            the program ends, or in --cache-folder; shared: as it lets a shared one; memory, disk, memoryAndDisk: every success, for \
            5 minutes. Default: nowhere; for targets, where the workspace says.
            """
    )
    var cache: PipeCacheMode?

    @OptionGroup var policy: PolicyArguments

    @Option(
        help: ArgumentHelp(
            "The folder for answers on disk. Default: the explorer's.",
            valueName: "folder"
        ),
        completion: .directory
    )
    var cacheFolder: String?

    @Option(help: "How many requests run at once.")
    var concurrency = 256

    @Option(
        help: ArgumentHelp(
            "The longest line; the answer to a longer one is an error.",
            valueName: "bytes"
        )
    )
    var lineLimit = 64 << 20

    @OptionGroup(title: "History") var history: HistoryOptions

    func validate() throws {
        guard (1...100_000).contains(concurrency) else {
            throw ValidationError("--concurrency takes 1 to 100000.")
        }
        guard (1...1 << 40).contains(lineLimit) else {
            throw ValidationError("--line-limit takes 1 byte to a TiB.")
        }
    }

    func run() throws {
        let workspace = options.workspace == nil ? nil : try options.load()
        let responses = ResponseCache.forCommand(cacheConfiguration)
        // Else every answer would be kept nowhere, without a word.
        try responses.checkFolder()
        let concurrency = concurrency
        try PipeRun.run(
            recorder: history.session == nil
                ? HistoryRecorder(nil, session: nil) : history.recorder(),
            provider: { plugins in
                Provider<MultiTarget>(
                    transport: CurlTransport(
                        .forMany(atOnce: concurrency, sendsOnlyGivenFields: true)
                    ),
                    cache: responses,
                    headerFields: [:],
                    plugins: plugins
                )
            },
            resolver: PipeResolver(
                workspace: workspace,
                cache: cache,
                hasFolder: cacheFolder != nil,
                arguments: policy
            ),
            concurrency: concurrency,
            lineLimit: lineLimit
        )
    }

    private var cacheConfiguration: ResponseCache.Configuration {
        let isKept = cacheFolder != nil || cache.map(\.needsFolder) ?? (options.workspace != nil)
        // A folder that cannot be: nothing is read from it or written to it.
        return .named(folder: isKept ? cacheFolder : "/dev/null/apus")
    }
}

/// Where `apus pipe` keeps answers.
enum PipeCacheMode: String, CaseIterable, ExpressibleByArgument {
    case none, http, shared, memory, disk, memoryAndDisk

    /// The engine's policy for it; `http` and `shared` are in memory alone if the cache has no
    /// folder.
    func policy(hasFolder: Bool) -> CachePolicy {
        switch self {
        case .none: .none
        case .http: .http(in: hasFolder ? .memoryAndDisk : .memory)
        case .shared: .http(in: hasFolder ? .memoryAndDisk : .memory, options: .shared)
        case .memory: .keep(in: .memory)
        case .disk: .keep(in: .disk)
        case .memoryAndDisk: .keep(in: .memoryAndDisk)
        }
    }

    /// Where answers come from unless a request says otherwise.
    var source: SourceName {
        switch self {
        case .none: .server
        case .http, .shared, .memory, .disk, .memoryAndDisk: .cacheIfPossible
        }
    }

    /// Whether something outlives the process.
    var needsFolder: Bool {
        switch self {
        case .none, .http, .shared, .memory: false
        case .disk, .memoryAndDisk: true
        }
    }
}
