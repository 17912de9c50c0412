import Apus
import ArgumentParser
import Glibc

/// `apus send TARGET|URL`: one request, and its answer.
struct SendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        _superCommandName: "apus",
        abstract: "Send a request: a workspace's target, or a URL.",
        discussion: """
            The body goes to standard output byte for byte; on a terminal JSON is indented and \
            control characters are shown as symbols.

            Examples:
              apus send https://example.com/users -H 'Accept: application/json'
              apus send https://example.com/users --json-body '{"name": "Ada"}'
              apus send 'Users/Show user' --workspace demo.apus.yaml --set user=7 --json
              apus send https://example.com/file -o file --timeout 30

            --json prints one object: version (1), request {method, url}, status, reason, headers \
            [[name, value], …], body or bodyBase64, source, url, redirected, timings (milliseconds); \
            or version and error {code, reason, message}. Members may be added.

            Exit status: 0 there is an answer, 1 its status is not accepted, 2 usage or input, \
            20 connection, 21 DNS, 22 TLS, 23 timeout, 24 cache miss, 130 interrupted.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "A target's name (Users/Show user), or a URL; without https:// it is http, as for curl.",
            valueName: "target-or-url"
        )
    )
    var request: String

    @OptionGroup(title: "Workspace") var workspace: WorkspaceOptions
    @OptionGroup(title: "Request") var arguments: RequestArguments
    @OptionGroup(title: "Answer") var output: OutputArguments

    @Option(help: "Where the answer comes from. Default: the target's, or by --cache.")
    var source: SourceWord?

    @Option(help: "What is kept, in the explorer's cache. Default: none; for a target, its own.")
    var cache: SendCacheWord?

    func run() throws {
        let sending = try Sending(
            subject: RequestSubject(request, in: workspace),
            arguments: arguments,
            printer: AnswerPrinter(arguments: output),
            source: source?.source,
            cache: cache
        )
        // One request has nobody whom it could keep waiting, and Swift's own threads take 1 ms.
        try CommandRun.untilEnd(on: sending.transport.executor) { try await sending.run() }
    }
}
