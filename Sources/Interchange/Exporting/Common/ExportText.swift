/// A text of a request: what stands in it literally, and variables.
package struct ExportText: Sendable, Hashable {
    /// Where a text stands, which says how a value in it must be escaped.
    package enum Place: Sendable, Hashable {
        /// As it is, as in a field or in a text.
        case plain
        /// Percent-encoded, as in a URL or a web form.
        case url
        /// Escaped as in a JSON string.
        case json
    }

    /// A part of a text.
    package enum Piece: Sendable, Hashable {
        case text(String)
        case variable(ExportVariable)
        case call(ExportCall)
    }

    /// The parts in order; no two literal ones stand side by side.
    package var pieces: [Piece]
    /// Where it stands.
    package var place: Place

    /// Makes a text of parts.
    package init(_ pieces: [Piece], _ place: Place = .plain) {
        (self.pieces, self.place) = (pieces, place)
    }

    /// Makes a text without variables.
    package init(literal text: String, _ place: Place = .plain) {
        self.init(text.isEmpty ? [] : [.text(text)], place)
    }

    /// The text; nil if there are variables in it.
    package var literal: String? {
        var text = ""
        for piece in pieces {
            guard case .text(let part) = piece else { return nil }
            text += part
        }
        return text
    }

    /// The text with the variables as a format spells them.
    package func spelled(
        literal: (String) -> String = { $0 },
        _ spelling: (Piece) -> String
    ) -> String {
        pieces.map { piece in
            if case .text(let text) = piece { literal(text) } else { spelling(piece) }
        }.joined()
    }

    /// The variables in it, those in calls too.
    package var variables: [ExportVariable] {
        pieces.flatMap { piece -> [ExportVariable] in
            switch piece {
            case .text: []
            case .variable(let variable): [variable]
            case .call(let call): call.arguments.flatMap(\.variables)
            }
        }
    }

    /// The calls in it.
    package var calls: [ExportCall] {
        pieces.compactMap { if case .call(let call) = $0 { call } else { nil } }
    }

    /// The text with the value, or else the variable, of each call that a format cannot make; those are collected.
    func replacingCalls(
        unless isKnown: (ExportCall) -> Bool,
        _ unknown: inout [ExportCall]
    ) -> ExportText {
        guard pieces.contains(where: { if case .call = $0 { true } else { false } }) else {
            return self
        }
        var text = ExportText([], place)
        for piece in pieces {
            guard case .call(let call) = piece else {
                text.append(piece)
                continue
            }
            let known = call.mappingArguments { $0.replacingCalls(unless: isKnown, &unknown) }
            if isKnown(known) {
                text.append(.call(known))
            } else {
                unknown.append(call)
                text.append(call.piece)
            }
        }
        return text
    }

    /// Adds a part at the end.
    package mutating func append(_ piece: Piece) {
        if case .text(let more) = piece {
            if more.isEmpty { return }
            if case .text(let text) = pieces.last {
                pieces[pieces.count - 1] = .text(text + more)
                return
            }
        }
        pieces.append(piece)
    }

    /// Both texts, one after the other.
    package static func + (a: ExportText, b: ExportText) -> ExportText {
        var text = a
        for piece in b.pieces { text.append(piece) }
        return text
    }
}

/// A variable of an export: one of the workspace's, or a secret that got a name.
package struct ExportVariable: Sendable, Hashable {
    /// Its name in files of requests: letters, digits, `_` and `-`; that of the workspace where that is such a name.
    package let name: String
    /// The name of an environment variable for it: `API_TOKEN` for `apiToken`; the workspace's own, if it says one.
    package let environmentName: String
    /// Whether its value must not leave in clear.
    package let isSecret: Bool
    /// Where the workspace has its value from, in words: "a secret", "a captured value".
    package let origin: String
    /// The workspace's name of it; nil if it is no variable there.
    var workspaceName: String?
    /// Whether it stands for the base URLs of the environments.
    var isBaseURL = false

    /// A name in capitals with underscores between its words.
    package static func environmentName(of name: String) -> String {
        var result = ""
        var wasLower = false
        for scalar in name.unicodeScalars {
            let isLetter = ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
            guard isLetter || ("0"..."9").contains(scalar) else {
                if result.last != "_", !result.isEmpty { result += "_" }
                wasLower = false
                continue
            }
            let isUpper = ("A"..."Z").contains(scalar)
            if isUpper, wasLower { result += "_" }
            result += String(scalar).uppercased()
            wasLower = !isUpper
        }
        while result.last == "_" { result.removeLast() }
        if result.isEmpty { return "VALUE" }
        return ("0"..."9").contains(result.unicodeScalars.first ?? "0") ? "_" + result : result
    }
}

/// A function's value that is not known, because it differs each time, or is made of a variable.
package struct ExportCall: Sendable, Hashable {
    /// The function's name in the workspace, such as `uuid` or `base64`; `basic` for what HTTP's Basic
    /// authentication makes of a user and a password.
    package let function: String
    /// The arguments.
    package let arguments: [ExportText]
    /// What it gives, for one time; nil if that is made of a secret, or of what is not known.
    package let value: String?
    /// A variable for what it gives, where a format cannot make it.
    let variable: ExportVariable

    /// Its value, else the variable.
    var piece: ExportText.Piece { value.map { .text($0) } ?? .variable(variable) }

    /// The same with other arguments.
    func mappingArguments(_ change: (ExportText) -> ExportText) -> ExportCall {
        ExportCall(
            function: function,
            arguments: arguments.map(change),
            value: value,
            variable: variable
        )
    }

    /// Whether it may give another value each time.
    package var isVarying: Bool { ["uuid", "now", "random"].contains(function) }
}
