import Apus
import ArgumentParser
import Workspaces

/// `apus cache explain TARGET|URL`: what the cache would do now.
struct CacheExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say what the cache would do with a request now, and why; nothing is sent.",
        discussion: """
            With --cache http (the default for a URL) that is the decision of a private HTTP cache: \
            what was looked at, the rule that decides, where it is written, and the numbers. Else \
            it is a hit, or a miss with its reason.

            --json prints one object: version (1), request {method, url}, outcome (for http as in \
            decision; else hit or miss), reason (of a miss), decision {outcome, rule, section, \
            summary, findings}, entry (of a hit), key; others: entries of that request under other \
            keys, if none is found under its own.

            Example: apus cache explain https://example.com/ -H 'Cache-Control: max-age=60'
            """
    )

    @Argument(
        help: ArgumentHelp("A target's name, or a URL.", valueName: "target-or-url")
    )
    var request: String

    @OptionGroup(title: "Workspace") var workspace: WorkspaceOptions
    @OptionGroup(title: "Request") var arguments: RequestArguments
    @OptionGroup(title: "Cache") var folder: CacheFolderOptions

    @Option(help: "The policy to go by. Default: the target's own; for a URL, http.")
    var cache: SendCacheWord?

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() throws {
        let target: OverridingTarget
        let policy: CachePolicy
        switch try RequestSubject(request, in: workspace) {
        case .url(let url):
            target = try arguments.applied(to: url, isOwn: false)
            policy = (cache ?? .http).policy
        case .target(let own):
            target = try arguments.applied(to: own, isOwn: true)
            policy = cache?.policy ?? own.cachePolicy
        }
        let (store, isJSON) = (folder.cache, json)
        try CommandRun.untilEnd {
            let request = try Endpoint(target).request
            try await store.open()
            let forecast = await store.forecast(for: request, policy: policy)
            let explanation = CacheExplanation(
                request: request,
                forecast: forecast,
                others: forecast.findsNothing
                    ? await store.entries().filter { $0.request == request.line } : nil
            )
            await store.close()
            try explanation.print(asJSON: isJSON)
            return 0
        }
    }
}
