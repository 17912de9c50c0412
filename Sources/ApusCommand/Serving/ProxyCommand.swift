import Apus
import ArgumentParser
import Recordings
import Servers
import Terminal

/// `apus proxy URL`: stands before a server, and records what passes.
struct ProxyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        _superCommandName: "apus",
        abstract: "Stand before a server for any client, and record what passes.",
        discussion: """
            Point a browser's page, an app or curl at the URL that is printed, in place of the server's. \
            Requests and answers go through as they are and as they come: fields in their order and \
            case, bodies coded as they were, streams of events, uploads, cut connections. Only what is \
            for the next on the way alone changes: Host is the server's, Connection and the like are \
            left out, and so are trailers behind the body of a request. Redirects, cookies and links \
            that name the server are not rewritten. WebSocket is answered with 501.

            Recorded bodies are decoded, and secrets masked; --cache http keeps in memory what HTTP lets \
            a private cache keep (RFC 9111), for each account of its own; answers that set a cookie are \
            not kept. `apus sessions` in another terminal shows what passes.

            On standard error there is a line for each request: method, path, status, where the answer \
            came from. It runs until ctrl-c.

            Examples:
              apus proxy https://api.example.com --port 8080 --session checkout-bug
              curl http://127.0.0.1:8080/users/7

            Exit status: 2 the port is taken, or the URL is none or the proxy's own, 130 interrupted.
            """
    )

    /// Where answers are kept.
    enum Cache: String, CaseIterable, ExpressibleByArgument {
        case none, http
    }

    @Argument(help: "The server: http://HOST or https://HOST, without a path.")
    var url: String

    @OptionGroup var listening: ListeningOptions

    @OptionGroup var history: HistoryOptions

    @Option(help: "Keep answers as HTTP lets a private cache, in memory until the program ends.")
    var cache = Cache.none

    @Flag(name: [.customShort("k"), .long], help: "Do not check the server's certificate.")
    var insecure = false

    func validate() throws { _ = try ListeningOptions.checked { try proxy(.none) } }

    private func proxy(_ recorder: HistoryRecorder?) throws -> ReverseProxy {
        try ReverseProxy(
            url,
            cache: cache == .http ? .forCommand(.named(folder: "/dev/null/apus")) : nil,
            options: TransportOptions(verifiesTLS: !insecure),
            record: { exchange in
                await recorder?.record(exchange, from: exchange.origin)
            },
            log: ListeningOptions.log
        )
    }

    func run() throws {
        let recorder = history.recorder()
        let (listening, proxy) = (listening, try proxy(recorder))
        try CommandRun.untilEnd {
            await recorder.begin()
            return try await recorder.closing(after: {
                try await listening.serve(before: proxy.base) { try await proxy.answer($0, $1) }
            })
        }
    }
}
