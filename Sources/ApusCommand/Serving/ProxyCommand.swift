import Apus
import ArgumentParser
import Recordings
import Servers
import Terminal

/// `apus proxy URL`: a reverse proxy that records requests and responses.
struct ProxyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "proxy",
        _superCommandName: "apus",
        abstract: "Run a reverse proxy for a server, and record requests and responses.",
        discussion: """
            Point a web page, an app or curl at the printed URL instead of the server's. Requests \
            and responses pass unchanged as they arrive: fields keep their order and case, bodies \
            their encoding, and event streams, uploads and cut connections work. Only hop-by-hop \
            parts change: Host is the server's; Connection and similar fields are removed. \
            Redirects, cookies and links that name the server are not rewritten. WebSocket is \
            answered with 501, and a request whose body pauses for 60 s with 408.

            Recorded bodies are decoded, and secrets masked. --cache http keeps responses in memory \
            by HTTP's rules for a private cache (RFC 9111), separately for each account; responses \
            that set a cookie are not kept. `apus sessions` in another terminal shows what was \
            recorded.

            Standard error gets a line for each request: method, path, status and source of the \
            response. It runs until ctrl-c.

            Examples:
              apus proxy https://api.example.com --port 8080 --session checkout-bug
              curl http://127.0.0.1:8080/users/7

            Exit status: 2 the port is in use, or the URL is invalid or the proxy's own, 130 \
            interrupted.
            """
    )

    /// Where responses are stored.
    enum Cache: String, CaseIterable, ExpressibleByArgument {
        case none, http
    }

    @Argument(help: "The server: http://HOST or https://HOST, without a path.")
    var url: String

    @OptionGroup var listening: ListeningOptions

    @OptionGroup var history: HistoryOptions

    @Option(help: "Cache responses in memory, by HTTP's rules for a private cache.")
    var cache = Cache.none

    @Flag(name: [.customShort("k"), .long], help: "Do not check the server's certificate.")
    var insecure = false

    func validate() throws { _ = try ListeningOptions.checked { try proxy(.none) } }

    private func proxy(_ recorder: HistoryRecorder?) throws -> ReverseProxy {
        try ReverseProxy(
            url,
            cache: cache == .http ? .forCommand(.inMemory) : nil,
            options: TransportOptions(verifiesTLS: !insecure),
            recordingPath: { exchange in
                await recorder?.record(exchange, from: exchange.origin)
            },
            log: ListeningOptions.log
        )
    }

    func run() throws {
        let recorder = try history.recorder()
        let (listening, proxy) = (listening, try proxy(recorder))
        try CommandRun.untilEnd {
            await recorder.begin()
            return try await recorder.closing(after: {
                try await listening.serve(before: proxy.base) { try await proxy.answer($0, $1) }
            })
        }
    }
}
