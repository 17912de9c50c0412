import Apus
import HTTPTypes
import Workspaces

extension ExportedRequest {
    /// The field that has a token which the target's `auth` gets while it is sent, for formats that cannot get it; nil if
    /// there is none.
    var tokenField: Field? {
        switch authorization {
        case .oauth2:
            let token = ExportVariable(
                name: "access_token",
                origin: "a token of the authorization server"
            )
            return Field(
                name: "Authorization",
                value: ExportText([.text("Bearer "), .variable(token)])
            )
        case .custom:
            let value = ExportVariable(name: "authorization", origin: "what the command prints")
            return Field(name: "Authorization", value: ExportText([.variable(value)]))
        default: return nil
        }
    }

    /// What a format without words for it loses of the authorization.
    var tokenLoss: ImportLoss? {
        switch authorization {
        case .oauth2(let oauth2):
            let words = "\(oauth2.grant.words) at \(text(oauth2.tokenURL).spelled { _ in "…" })"
            return ImportLoss("a sign-in", "the token must be got first", text: words)
        case .custom(let command):
            return ImportLoss("a command for credentials", "it must be run first", text: command)
        default: return nil
        }
    }

    /// The fields with the token, if one is sent.
    var sentFields: [Field] { fields + (tokenField.map { [$0] } ?? []) }

    /// What the response must be, a line for each.
    func expectationLines(_ spelling: (ExportText.Piece) -> String) -> [String] {
        expectations.map { text($0.description).spelled(spelling).inOneLine }
    }

    /// What it says about itself: its name, its description and its note, in lines.
    var remarks: [String] {
        [id.inOneLine] + (summary.map { [$0.inOneLine] } ?? [])
            + (note.map { $0.lines } ?? [])
    }

    /// What must be set before it runs, in lines: `API_TOKEN: a secret, percent-encoded`.
    var neededLines: [(variable: ExportVariable, words: String)] {
        var places: [String: Set<ExportText.Place>] = [:]
        for text in texts + [tokenField?.value].compactMap(\.self) {
            for variable in text.variables { places[variable.name, default: []].insert(text.place) }
        }
        let all = variables + (tokenField?.value.variables ?? [])
        return all.map { variable in
            let place = places[variable.name] ?? []
            var words = variable.origin
            if place.contains(.url) { words += ", percent-encoded for the URL" }
            if place.contains(.json) { words += ", as it stands in a JSON string" }
            return (variable, words.inOneLine)
        }
    }

    /// The values that functions give each time, of which a format without them has one.
    var fixedValues: [ImportLoss] {
        texts.flatMap(\.calls).filter { $0.function != "basic" }.map { call in
            ImportLoss(
                "the function `\(call.function)`",
                call.value == nil ? "what it makes of a secret must be set" : "it has one value",
                text: call.value ?? ""
            )
        }
    }

    /// Whether there is a body, or at least a length of none.
    var declaresLength: Bool {
        if case .none = body { return ["POST", "PUT", "PATCH"].contains(method) }
        return true
    }
}

extension ExportCall {
    /// A variable for what a function makes of a secret, where a format cannot make it.
    var variable: ExportVariable {
        let names = arguments.flatMap(\.variables).map(\.name)
        let words = "\(function) of \(names.joined(separator: ", "))"
        return ExportVariable(name: (names + [function]).joined(separator: "_"), origin: words)
    }

    /// Its value, else a variable.
    var piece: ExportText.Piece { value.map { .text($0) } ?? .variable(variable) }
}

extension ExportText {
    /// Whether there are characters that would end a line.
    var hasLineEnd: Bool {
        pieces.contains { piece in
            if case .text(let text) = piece {
                text.utf8.contains { $0 == 10 || $0 == 13 }
            } else {
                false
            }
        }
    }
}

extension String {
    /// The lines, without what a terminal would act on.
    var lines: [String] {
        split(omittingEmptySubsequences: false) { $0.isNewline }.map { line in
            String(
                String.UnicodeScalarView(
                    line.unicodeScalars.filter { $0.value >= 0x20 || $0 == "\t" }
                )
            )
        }
    }
}
