import Apus
import Documents
import HTTPTypes
import Terminal
import TreeView

extension Model {
    /// How an environment is marked.
    func mark(ofEnvironment index: Int) -> EnvironmentMark {
        guard let catalog, catalog.environments.indices.contains(index) else {
            return EnvironmentMark()
        }
        return catalog.marks[catalog.environments[index]] ?? EnvironmentMark()
    }

    /// Whether something must be confirmed before it is sent; if so, this asks.
    ///
    /// A method that is not safe (RFC 9110, section 9.2.1) may change something.
    mutating func needsConfirmation(
        _ sending: Confirmation.Sending,
        in environment: Int,
        isSafe: Bool,
        _ what: String
    ) -> Bool {
        guard asksBeforeDanger, !isSafe, !isConfirmed, let catalog,
            mark(ofEnvironment: environment).isDangerous
        else { return false }
        confirmation = Confirmation(
            sending: sending,
            environment: catalog.environments[environment],
            what: what
        )
        return true
    }

    /// The same for a line of the catalog.
    mutating func needsConfirmation(_ sending: Confirmation.Sending, _ node: CatalogNode) -> Bool {
        guard mark(ofEnvironment: environment).isDangerous else { return false }
        switch node {
        case .group: return false
        case .target(let target):
            return needsConfirmation(
                sending,
                in: environment,
                isSafe: Self.isSafe(target.method),
                "\(target.method) \(target.name)"
            )
        case .batch(let batch):
            // A batch that cannot be made is not sent, and sending it reports why.
            guard let resolved = try? batch.resolve(environment) else { return false }
            let count = resolved.batch.count ?? resolved.titles.count
            return needsConfirmation(
                sending,
                in: environment,
                isSafe: Self.isSafe(resolved),
                "the batch \(batch.name), \(count == 1 ? "1 request" : "\(count) requests")"
            )
        case .chain(let chain):
            guard let resolved = try? chain.resolve(environment) else { return false }
            return needsConfirmation(
                sending,
                in: environment,
                isSafe: Self.isSafe(resolved.steps.map(\.title)),
                "the chain \(chain.name)"
            )
        }
    }

    static func isSafe(_ method: String) -> Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method.asciiUppercased)
    }

    private static func isSafe(_ batch: ResolvedBatch) -> Bool {
        let targets = batch.batch.groups.lazy.flatMap(\.targets)
        return targets.allSatisfy { isSafe($0.method.rawValue) } && isSafe(batch.titles)
    }

    /// Whether all titles begin with a safe method; false if there are none.
    private static func isSafe(_ titles: [String]) -> Bool {
        !titles.isEmpty
            && titles.allSatisfy { title in
                isSafe(title.split(separator: " ").first.map(String.init) ?? "")
            }
    }

    /// Handles a key while something waits for a confirmation; nil if nothing does.
    mutating func handleInConfirmation(_ key: Key) -> [Effect]? {
        guard let waiting = confirmation else { return nil }
        confirmation = nil
        switch key.text?.lowercased() {
        case "y": return sendConfirmed(waiting.sending)
        case "a":
            asksBeforeDanger = false
            notice = Notice(
                kind: .warning,
                text: "confirmations are off until apus exits; : turns them on again"
            )
            return sendConfirmed(waiting.sending)
        default:
            if key == Key("ctrl+c") { return leave() }
            notice = Notice(kind: .information, text: "not sent")
            return []
        }
    }

    private mutating func sendConfirmed(_ sending: Confirmation.Sending) -> [Effect] {
        isConfirmed = true
        defer { isConfirmed = false }
        switch sending {
        case .selected: return sendSelected()
        case .failedAgain: return runFailedAgain()
        case .fromStep: return runFromStep()
        case .stepAlone: return runStepAlone()
        case .part(let part): return sendAlone(part)
        case .exchange(let exchange): return sendAgain(exchange)
        case .watch(let text, let prompt): return watch(text, prompt)
        }
    }
}
