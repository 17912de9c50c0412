import Apus
import Documents
import HTTPTypes
import Recordings
import Terminal
import TreeView

/// What waits for a confirmation before it is sent to an environment that is marked as dangerous.
struct Confirmation {
    /// How it is sent once it is confirmed.
    enum Sending {
        /// The line under the list's cursor.
        case selected
        /// What failed in the newest run of the selected batch.
        case failedAgain
        /// The selected batch by workers: what was typed, and the prompt to return to.
        case workers(String, LinePrompt)
        /// The selected chain, from the chosen step.
        case fromStep
        /// The chosen step's request alone.
        case stepAlone
        /// A part of a run, alone.
        case part(OpenedPart)
        /// A recorded request, again.
        case exchange(RecordedExchange)
        /// The selected target at an interval: what was typed, and the prompt to return to.
        case watch(String, LinePrompt)
    }

    let sending: Sending
    /// The environment's name.
    let environment: String
    /// What is sent: "DELETE Users/Delete user".
    let what: String

    /// Whether a method is safe, so that it changes nothing.
    static func isSafe(_ method: String) -> Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE"].contains(method.asciiUppercased)
    }

    /// Whether all requests of a batch are safe.
    static func isSafe(_ batch: ResolvedBatch) -> Bool {
        let targets = batch.batch.groups.lazy.flatMap(\.targets)
        return targets.allSatisfy { isSafe($0.method.rawValue) } && isSafe(batch.titles)
    }

    /// Whether all titles begin with a safe method; false if there are none.
    static func isSafe(_ titles: [String]) -> Bool {
        !titles.isEmpty
            && titles.allSatisfy { title in
                isSafe(title.split(separator: " ").first.map(String.init) ?? "")
            }
    }

    /// The keys that answer it.
    static let hints: [FooterHints.Hint] = [
        .init("y", "send"), .init("a", "send, and stop asking"), .init("esc", "do not send"),
    ]
}

extension Model {
    /// Whether something must be confirmed before it is sent; if so, this asks.
    ///
    /// A method that is not safe (RFC 9110, section 9.2.1) may change something.
    mutating func needsConfirmation(
        _ purpose: Confirmation.Sending,
        in environment: Int,
        isSafe: Bool,
        _ what: String
    ) -> Bool {
        guard sending.asksBeforeDanger, !isSafe, !sending.isConfirmed,
            let catalog = workspace.catalog,
            workspace.mark(ofEnvironment: environment).isDangerous
        else { return false }
        layers.confirmation = Confirmation(
            sending: purpose,
            environment: catalog.environments[environment],
            what: what
        )
        return true
    }

    /// Whether a line of the catalog must be confirmed before it is sent; if so, this asks.
    mutating func needsConfirmation(_ purpose: Confirmation.Sending, _ node: CatalogNode) -> Bool {
        guard workspace.mark(ofEnvironment: workspace.environment).isDangerous else { return false }
        switch node {
        case .group: return false
        case .target(let target):
            return needsConfirmation(
                purpose,
                in: workspace.environment,
                isSafe: Confirmation.isSafe(target.method),
                "\(target.method) \(target.name)"
            )
        case .batch(let batch):
            // A batch that cannot be made is not sent, and sending it reports why.
            guard let resolved = try? batch.resolve(workspace.environment) else { return false }
            let count = resolved.batch.count ?? resolved.titles.count
            return needsConfirmation(
                purpose,
                in: workspace.environment,
                isSafe: Confirmation.isSafe(resolved),
                "the batch \(batch.name), \(count == 1 ? "1 request" : "\(count) requests")"
            )
        case .chain(let chain):
            guard let resolved = try? chain.resolve(workspace.environment) else { return false }
            return needsConfirmation(
                purpose,
                in: workspace.environment,
                isSafe: Confirmation.isSafe(resolved.steps.map(\.title)),
                "the chain \(chain.name)"
            )
        }
    }

    /// Handles a key while something waits for a confirmation.
    mutating func handleInConfirmation(_ key: Key, _ waiting: Confirmation) -> [Effect] {
        layers.close(.confirmation)
        switch key.text?.lowercased() {
        case "y": return sendConfirmed(waiting.sending)
        case "a":
            sending.asksBeforeDanger = false
            warn("confirmations are off until apus exits; : turns them on again")
            return sendConfirmed(waiting.sending)
        default:
            if key == Key("ctrl+c") { return leave() }
            return say("not sent")
        }
    }

    private mutating func sendConfirmed(_ purpose: Confirmation.Sending) -> [Effect] {
        sending.isConfirmed = true
        defer { sending.isConfirmed = false }
        switch purpose {
        case .selected: return sendSelected()
        case .failedAgain: return runFailedAgain()
        case .workers(let text, let prompt): return send(byWorkersAt: text, prompt)
        case .fromStep: return runFromStep()
        case .stepAlone: return runStepAlone()
        case .part(let part): return sendAlone(part)
        case .exchange(let exchange): return sendAgain(exchange)
        case .watch(let text, let prompt): return watch(text, prompt)
        }
    }
}
