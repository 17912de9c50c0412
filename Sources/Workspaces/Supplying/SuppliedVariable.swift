package import Apus
import FoundationEssentials
import HTTPTypes
import Secrets

/// Where a variable's value comes from when a request first needs it.
enum SupplyOrigin: Sendable, Hashable {
    /// The output of a command, which is stopped after a time.
    case command(ShellCommand, limit: Duration)
    /// What a person answers.
    case question(Question)
    /// The response of another target.
    case response(ResponseOrigin)
}

/// A value from the response of a target, which is sent for it.
struct ResponseOrigin: Sendable, Hashable {
    /// The target's groups and its name.
    let target: TargetID
    /// Where the value is in the response.
    let capture: CapturePath
    /// How long the value can be used; nil if nobody knows.
    let lifetime: Duration?
}

/// A value to ask a person for.
package struct Question: Sendable, Hashable {
    /// The name of the variable.
    package let name: String
    /// What is asked for, in the workspace's words.
    package let text: String
    /// Whether the answer must not be shown.
    package let isSecret: Bool
    /// The values to choose from; empty if any will do.
    package let choices: [String]
    /// The answer where there is nobody to ask, and the one that is offered; nil if there is none.
    package let standard: String?
    /// The file that should have the value and is not there; nil if there is none.
    package let place: String?

    /// Makes a question.
    package init(
        name: String,
        text: String,
        isSecret: Bool = false,
        choices: [String] = [],
        standard: String? = nil,
        place: String? = nil
    ) {
        self.name = name
        self.text = text
        self.isSecret = isSecret
        self.choices = choices
        self.standard = standard
        self.place = place
    }
}

/// A supplied variable that a target uses, and the value that it was filled in with.
struct SupplyNeed: Sendable {
    /// Identifies a value: the same variable has one of its own in each environment.
    struct Key: Sendable, Hashable {
        let environment: String
        let name: String
        let origin: SupplyOrigin
    }

    let key: Key
    /// The variable's place in the file.
    let span: Span
    /// Which of the variable's values was used; nil if it had none.
    let number: Int?
}

/// What a target needs before it can be sent: values that are supplied when a request needs them.
package struct TargetSupply: Sendable {
    typealias Remake = @Sendable () throws(WorkspaceError) -> WorkspaceTarget

    /// The variables, in the order in which the target uses them.
    let needs: [SupplyNeed]
    /// The workspace that the target is in.
    let workspace: Workspace
    /// Whether a command of the workspace runs for its request, as for its credentials.
    let runsCommands: Bool
    /// Fills in the target again, with the values that there are then.
    let remake: Remake

    /// Whether a value is missing, in whose place the target has the variable's name.
    package var isWaiting: Bool { needs.contains { $0.number == nil } }

    /// The requests that are sent for the values that are missing: a method and a base URL each.
    ///
    /// A base URL is empty if it depends on a value that is missing.
    package var requests: [ApusError.RequestLine] {
        var seen: Set<TargetID> = []
        var lines: [ApusError.RequestLine] = []
        var waiting = needs
        while let need = waiting.popLast() {
            guard need.number == nil, let id = need.key.origin.target, seen.insert(id).inserted,
                let definition = workspace.definition(id)
            else { continue }
            // One that cannot be filled in counts as one that may go anywhere.
            let target = try? workspace.resolve(definition, in: need.key.environment)
            lines.append(
                ApusError.RequestLine(
                    method: definition.method.rawValue,
                    url: target?.baseURL.absoluteString ?? ""
                )
            )
            waiting += target?.supply?.needs ?? []
        }
        return lines
    }

    /// Whether a value comes from a response, so that the target is sent again if its server answers 401.
    package var mayBeSentAgain: Bool { needs.contains { $0.key.origin.isResponse } }
}

extension SupplyOrigin {
    /// Whether it is the response of another target.
    var isResponse: Bool { if case .response = self { true } else { false } }

    /// The target whose response it is; nil for other values.
    var target: TargetID? { if case .response(let origin) = self { origin.target } else { nil } }

    /// Whether a value that it gave for a variable must be masked.
    func isSecret(_ name: String) -> Bool {
        switch self {
        case .command: true
        case .question(let question): question.isSecret
        case .response(let origin): ChainPlan.Capture(name, origin.capture).isCredential
        }
    }
}

extension Evaluation {
    /// The value that was supplied for a variable, or its name in the place of a value to come.
    mutating func supplied(_ variable: Variable, _ origin: SupplyOrigin) -> ResolvedValue {
        let key = SupplyNeed.Key(
            environment: environment,
            name: variable.name,
            origin: origin
        )
        let found = purpose == .sending ? supplier?.value(for: key) : nil
        needs.append(SupplyNeed(key: key, span: variable.span, number: found?.number))
        guard let found else {
            return ResolvedValue(
                .string(variable.name),
                shown: .string("{{ \(variable.name) }}"),
                isFromResponse: origin.isResponse
            )
        }
        guard origin.isSecret(variable.name) else {
            return ResolvedValue(found.value, isFromResponse: origin.isResponse)
        }
        secrets.formUnion(found.secretTexts)
        return ResolvedValue(
            found.value,
            shown: .string(CredentialMask.mask),
            isFromResponse: origin.isResponse
        )
    }

    /// The variable that lacks a value in a text; nil if none does.
    func need(missingIn text: ResolvedText) -> SupplyNeed? {
        needs.first { $0.number == nil && text.shown.contains("{{ \($0.key.name) }}") }
    }

    /// Whether a value is missing that is supplied before the request is sent.
    var isWaiting: Bool { purpose == .sending && needs.contains { $0.number == nil } }
}
