import Secrets
import Workspaces

/// Finds variables by their marks.
struct ExportMarkReader: Sendable {
    /// The function under which marks of literal secrets are made; its argument is the secret.
    static let literal = "literal secret"

    let marks: TemplateMarks
    let workspace: Workspace
    let environment: String
    let names: ExportNames
    /// Masks the secrets that are known by their values, and what the workspace's own rules say.
    let known: CredentialMask

    /// What hides secrets; nil where they stand in clear.
    var secrets: ExportSecrets? { marks.hidesSecrets ? ExportSecrets(known, self) : nil }

    /// A text with the variables whose marks stand in it.
    func text(_ marked: String, _ place: ExportText.Place = .plain) -> ExportText {
        var text = ExportText([], place)
        for piece in marks.pieces(of: hidingKnown(in: marked)) {
            switch piece {
            case .bytes(let bytes): text.append(.text(String(decoding: bytes, as: UTF8.self)))
            case .source(let source): text.append(self.piece(for: source, in: place))
            }
        }
        return text
    }

    /// A text for people, in one or more lines, with signs in place of secrets.
    func words(_ text: String) -> String {
        guard marks.hidesSecrets else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            var content = ContentMask(known)
            let shown = content.masking(Array(line.utf8), "text/plain")
            return known.masking(line: String(decoding: shown, as: UTF8.self))
        }.joined(separator: "\n")
    }

    private func hidingKnown(in text: String) -> String {
        guard marks.hidesSecrets else { return text }
        return known.naming(LiteralSecretMarks(reader: self, label: "secret")).masking(text: text)
    }

    /// The mark of a secret that the workspace has literally; if there are marks in it, of what stands between them.
    func hiding(_ secret: String, label: String) -> String {
        guard marks.hidesSecrets, !secret.isEmpty else { return secret }
        guard marks.isMarked(secret) else { return mark(of: secret, label) }
        return marks.replacing(between: secret) { part in
            Self.isSecret(part) ? mark(of: part, label) : part
        }
    }

    /// Whether a part of a secret beside variables is more than a scheme, a user or a sign.
    private static func isSecret(_ part: String) -> Bool {
        let word = part.trimmingBlanks
        return word.utf8.count >= 5 && word.utf8.last != UInt8(ascii: ":")
            && word.utf8.last != UInt8(ascii: "=")
            && !["basic", "bearer", "token", "digest", "apikey", "negotiate"].contains(
                word.lowercased()
            )
    }

    private func mark(of secret: String, _ label: String) -> String {
        _ = names.variable(for: .literal(secret), label: label)
        let source = TemplateMarks.Source.call(Self.literal, arguments: [.string(secret)])
        if case .string(let mark) = marks.value(for: source) { return mark }
        return secret
    }

    private func piece(
        for source: TemplateMarks.Source,
        in place: ExportText.Place
    ) -> ExportText.Piece {
        switch source {
        case .variable(let name): return .variable(variable(named: name))
        case .environmentVariable(let name):
            return .variable(environmentVariable(name))
        case .file(let path):
            let name = path.split(separator: "/").last.map(String.init) ?? "secret"
            return .variable(
                names.variable(for: .file(path), label: name, origin: "the file \(path)")
            )
        case .call(Self.literal, let arguments):
            guard case .string(let secret) = arguments.first else { return .text("") }
            if let name = names.environmentVariable(of: secret, in: place) {
                return .variable(environmentVariable(name))
            }
            return .variable(names.variable(for: .literal(secret), label: "secret"))
        case .call(let function, var arguments):
            // The key of a digest, and the password of a pair: a user without one is a token.
            if ["basic", "hmac"].contains(function), arguments.count > 1 {
                let isAlone = function == "basic" && arguments[1] == .string("")
                let label = function == "hmac" ? "key" : isAlone ? "token" : "password"
                let index = isAlone ? 0 : 1
                if case .string(let secret) = arguments[index] {
                    arguments[index] = .string(hiding(secret, label: label))
                }
            }
            return .call(call(function, arguments))
        }
    }

    private func call(_ function: String, _ arguments: [Value]) -> ExportCall {
        let texts = arguments.map { text(Self.text(of: $0)) }
        let made = texts.flatMap(\.variables).map(\.name)
        let variable = names.variable(
            for: .call(function, arguments: texts),
            label: (made + [function]).joined(separator: "_"),
            origin: "\(function) of \(made.joined(separator: ", "))"
        )
        return ExportCall(
            function: function,
            arguments: texts,
            value: value(of: function, arguments),
            variable: variable
        )
    }

    /// The variable of a name, and where its value comes from.
    func variable(named name: String) -> ExportVariable {
        names.variable(named: name, of: workspace, in: environment)
    }

    /// The variable for one of the environment.
    func environmentVariable(_ name: String) -> ExportVariable {
        names.variable(for: .environmentVariable(name), label: name, environmentName: name)
    }

    /// The variable for a token that must be got before a request is sent.
    func token(_ name: String, origin: String) -> ExportVariable {
        names.variable(for: .token(name), label: name, origin: origin)
    }

    /// The variable for what URLs begin with.
    var baseURL: ExportVariable {
        names.variable(for: .baseURL, label: "baseUrl", isSecret: false, origin: "the base URL")
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
            names: names,
            known: known
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
