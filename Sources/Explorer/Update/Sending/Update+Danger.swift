import Apus
import HTTPTypes
import Recordings
import Terminal

/// What waits for a confirmation before it is sent to an environment that is marked as dangerous.
struct Confirmation {
    /// How it is sent once it is confirmed.
    enum Sending {
        case selected
        case failedAgain
        case fromStep
        case stepAlone
        case part(OpenedPart)
        case exchange(RecordedExchange)
        case watch(String, LinePrompt)
    }

    let sending: Sending
    /// The environment's name.
    let environment: String
    /// What is sent: "DELETE Users/Delete user".
    let what: String

    /// What is sent and where; what is sent comes first, because the end may be cut off.
    var sentence: String { "\(what) to \(environment), which is marked as dangerous" }

    /// The keys that answer it.
    static let hints: [FooterHints.Hint] = [
        .init("y", "send"), .init("a", "send, and ask no more"), .init("esc", "do not send"),
    ]
}

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
    mutating func asksFirst(
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
    mutating func asksFirst(_ sending: Confirmation.Sending, _ node: CatalogNode) -> Bool {
        guard mark(ofEnvironment: environment).isDangerous else { return false }
        switch node {
        case .group: return false
        case .target(let target):
            return asksFirst(
                sending,
                in: environment,
                isSafe: Self.isSafe(target.method),
                "\(target.method) \(target.name)"
            )
        case .batch(let batch):
            // A batch that cannot be made is not sent, and sending it reports why.
            guard let resolved = try? batch.resolve(environment) else { return false }
            let count = resolved.batch.count ?? resolved.titles.count
            return asksFirst(
                sending,
                in: environment,
                isSafe: Self.isSafe(resolved),
                "the batch \(batch.name), \(count == 1 ? "1 request" : "\(count) requests")"
            )
        case .chain(let chain):
            guard let resolved = try? chain.resolve(environment) else { return false }
            return asksFirst(
                sending,
                in: environment,
                isSafe: Self.isSafe(resolved.steps.map(\.title)),
                "the chain \(chain.name)"
            )
        }
    }

    static func isSafe(_ method: String) -> Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method.uppercased())
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
                text: "nothing is asked about any more until apus ends; : brings it back"
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

extension Look {
    /// The style of an environment's name.
    func style(of mark: EnvironmentMark) -> StyleID {
        switch mark.color {
        case nil: self[mark.isDangerous ? .error : .textAccent]
        case .red: self[.error]
        case .orange: self[.methodPatch]
        case .yellow: self[.warning]
        case .green: self[.statusSuccess]
        case .cyan: self[.methodHead]
        case .blue: self[.sourceServer]
        case .violet: self[.sourceCache]
        case .pink: self[.treeBoolean]
        case .grey: self[.textMuted]
        }
    }
}
