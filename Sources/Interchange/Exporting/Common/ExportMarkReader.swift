import Synchronization
import Workspaces

/// Names for secrets that the workspace has literally, the same for the same secret in a whole export.
final class LiteralSecretNames: Sendable {
    private struct State {
        var names: [String: String] = [:]
        var taken: Set<String> = []
    }

    private let state: Mutex<State>

    init(taken: Set<String>) { state = Mutex(State(taken: taken)) }

    /// The name of a secret; `label` is what it is called where it stands.
    func name(of secret: String, label: String) -> String {
        state.withLock { state in
            if let name = state.names[secret] { return name }
            var name = label
            var number = 2
            while !state.taken.insert(name).inserted {
                name = "\(label)_\(number)"
                number += 1
            }
            state.names[secret] = name
            return name
        }
    }
}

/// Finds variables by their marks.
struct ExportMarkReader: Sendable {
    /// The function under which marks of literal secrets are made; its argument is the name.
    static let literal = "literal secret"

    let marks: TemplateMarks
    let workspace: Workspace
    let environment: String
    let literals: LiteralSecretNames

    /// A text with the variables whose marks stand in it.
    func text(_ marked: String, _ place: ExportText.Place = .plain) -> ExportText {
        var text = ExportText([], place)
        for piece in marks.pieces(of: marked) {
            switch piece {
            case .bytes(let bytes): text.append(.text(String(decoding: bytes, as: UTF8.self)))
            case .source(let source): text.append(self.piece(for: source))
            }
        }
        return text
    }

    /// The mark of a secret that the workspace has literally; texts with marks are left as they are.
    func hiding(_ secret: String, label: String) -> String {
        guard marks.hidesSecrets, !secret.isEmpty, !marks.isMarked(secret) else { return secret }
        let name = literals.name(of: secret, label: label)
        let source = TemplateMarks.Source.call(Self.literal, arguments: [.string(name)])
        if case .string(let mark) = marks.value(for: source) { return mark }
        return secret
    }

    private func piece(for source: TemplateMarks.Source) -> ExportText.Piece {
        switch source {
        case .variable(let name): return .variable(variable(named: name))
        case .environmentVariable(let name):
            return .variable(ExportVariable(name: name, environmentName: name))
        case .file(let path):
            let name = path.split(separator: "/").last.map(String.init) ?? "secret"
            return .variable(ExportVariable(name: name, origin: "the file \(path)"))
        case .call(Self.literal, let arguments):
            if case .string(let name) = arguments.first {
                return .variable(ExportVariable(name: name))
            }
            return .text("")
        case .call(let function, var arguments):
            if function == "basic", arguments.count == 2, case .string(let password) = arguments[1]
            {
                arguments[1] = .string(hiding(password, label: "password"))
            }
            return .call(
                ExportCall(
                    function: function,
                    arguments: arguments.map { text(Self.text(of: $0)) },
                    value: value(of: function, arguments)
                )
            )
        }
    }

    /// The variable of a name, and where its value comes from.
    func variable(named name: String) -> ExportVariable {
        let source = workspace.source(of: name, in: environment)
        var environmentName: String?
        var origin = "a value"
        switch source {
        case .value: break
        case nil: origin = "a captured value"
        case .environmentVariable(let own): (environmentName, origin) = (own, "a secret")
        case .secret(let words): origin = "a secret from \(words)"
        case .command(let command): origin = "what `\(command)` prints"
        case .question(let question): origin = question.text
        case .response(let target, let capture):
            origin = "\(capture) of the response of \(target)"
        }
        return ExportVariable(
            name: name,
            environmentName: environmentName,
            isSecret: workspace.isSecretAnywhere(name),
            origin: origin
        )
    }

    // MARK: Values

    /// A text in which all marks have been replaced by what is known of them: values, and a sign for each secret.
    func canonical(_ marked: String) -> String {
        marks.pieces(of: marked).map { piece in
            switch piece {
            case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
            case .source(let source): canonical(source)
            }
        }.joined()
    }

    /// The value of a function's call; nil if something in it is not known.
    private func value(of function: String, _ arguments: [Value]) -> String? {
        let known = arguments.map { argument in
            marks.isMarked(Self.text(of: argument))
                ? .string(canonical(Self.text(of: argument))) : argument
        }
        guard !known.contains(where: { Self.text(of: $0).contains(Self.sign) }),
            let value = Workspace.value(ofFunction: function, known)
        else { return nil }
        return Self.text(of: value)
    }

    private func canonical(_ source: TemplateMarks.Source) -> String {
        switch source {
        case .variable(let name):
            guard marks.isStyled(name), let value = knownValue(of: name) else {
                return "\(Self.sign)\(name)\(Self.sign)"
            }
            return value
        case .environmentVariable(let name), .file(let name):
            return "\(Self.sign)\(name)\(Self.sign)"
        case .call(let function, let arguments):
            let texts = arguments.map { canonical(Self.text(of: $0)) }
            let varies = ["uuid", "now", "random"].contains(function)
            if !varies, let value = value(of: function, arguments) { return value }
            let words = texts.joined(separator: ",").replacing(Self.sign, with: "'")
            return "\(Self.sign)\(function)(\(words))\(Self.sign)"
        }
    }

    /// The value of a variable that the files have; secrets in it are signs.
    private func knownValue(of name: String) -> String? {
        let hiding = TemplateMarks(hidesSecrets: marks.hidesSecrets)
        let plain = workspace.marking(with: hiding)
        guard let value = plain.value(ofVariable: name, in: environment) else { return nil }
        let reader = ExportMarkReader(
            marks: hiding,
            workspace: plain,
            environment: environment,
            literals: literals
        )
        return reader.canonical(Self.text(of: value))
    }

    /// No text of a request has this.
    private static let sign = "\u{10FFFD}"

    static func text(of value: Value) -> String {
        switch value {
        case .string(let text), .number(let text): text
        default: value.json
        }
    }
}
