import Apus
import ArgumentParser
import Documents
import FoundationEssentials
import HTTPTypes
import Workspaces

/// `apus cache explain TARGET|URL`: says what the cache would do now.
struct CacheExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say what the cache would do with a request now, and why; nothing is sent.",
        discussion: """
            With --cache http (the default for a URL) or shared it prints the decision of an HTTP \
            cache: what was checked, the rule that decides, its section in the RFC, and the \
            numbers. Otherwise it prints a hit, or a miss with its reason.

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

    @Option(help: "The policy to apply. Default: the target's own; for a URL, http.")
    var cache: SendCacheMode?

    @OptionGroup var policy: PolicyArguments

    @Flag(help: "Print a JSON object.")
    var json = false

    func run() throws {
        let subject = try RequestSubject(request, in: workspace)
        let target = try arguments.applied(to: subject)
        let standard = subject.isDescribed ? target.cachePolicy : CachePolicy.http
        let policy = self.policy.overrides.applied(to: cache?.policy ?? standard)
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
            try StandardOutput.print(asJSON: isJSON, explanation.json, or: explanation.lines)
            return 0
        }
    }
}

/// What the cache would do with a request, as text and as JSON.
struct CacheExplanation {
    let request: PreparedRequest
    let forecast: CacheForecast
    /// Entries for the request under other keys; nil if they were not looked up.
    let others: [CacheEntry]?

    /// The explanation in lines of text.
    var lines: [String] {
        forecastLines
            + (others ?? []).map { entry in
                "cached under another key, by another policy: "
                    + "\(entry.key.digest.prefix(CacheEntryTable.keyLength)), "
                    + "\(CacheEntryTable.age(of: entry, Date()))"
            }
    }

    private var forecastLines: [String] {
        switch forecast {
        case .http(let decision): ["\(request.line)"] + decision.lines
        case .hit(let entry):
            [
                "\(request.line)",
                "hit: \(CacheEntryTable.age(of: entry, Date())), "
                    + "served \(CacheEntryTable.rest(of: entry, Date()))",
                "key \(entry.key.digest)",
            ]
        case .miss(let key, let reason):
            ["\(request.line)", "miss: \(reason.text)", "key \(key.digest)"]
        }
    }

    /// The explanation as a JSON object, version 1.
    var json: JSON {
        var members: ResponseJSON.Members = [
            ("version", 1),
            ("request", request.line.json),
        ]
        switch forecast {
        case .http(let decision):
            members.append(("outcome", JSON("\(decision.outcome)")))
            members.append(("decision", DecisionJSON.value(of: decision)))
        case .hit(let entry):
            members.append(("outcome", "hit"))
            members.append(("entry", CacheEntryJSON.value(of: entry)))
            members.append(("key", JSON(entry.key.digest)))
        case .miss(let key, let reason):
            members.append(("outcome", "miss"))
            members.append(("reason", JSON(reason.text)))
            members.append(("key", JSON(key.digest)))
        }
        if let others {
            members.append(("others", JSON(others.map { CacheEntryJSON.value(of: $0) })))
        }
        return JSON(members: members)
    }
}

extension CacheForecast {
    /// Whether nothing is found under the request's key.
    var findsNothing: Bool {
        switch self {
        case .http(let decision): [.nothingStored, .otherAccount].contains(decision.rule)
        case .miss(_, let reason): reason == .notFound
        case .hit: false
        }
    }
}
