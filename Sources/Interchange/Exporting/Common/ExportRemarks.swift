import Apus
import HTTPTypes
import Workspaces

extension ExportedRequest {
    /// The field that has a token which the target's `auth` gets while it is sent, for formats that cannot get it; nil if
    /// there is none.
    var tokenField: Field? {
        switch authorization {
        case .oauth2:
            let token = reader.token(
                "access_token",
                origin: "a token of the authorization server"
            )
            return Field(
                name: "Authorization",
                value: ExportText([.text("Bearer "), .variable(token)])
            )
        case .custom:
            let value = reader.token("authorization", origin: "what the command prints")
            return Field(name: "Authorization", value: ExportText([.variable(value)]))
        default: return nil
        }
    }

    /// The variable in `tokenField`; nil if there is none.
    var tokenVariable: ExportVariable? { tokenField?.value.variables.first }

    /// What a format without words for it loses of the authorization.
    var tokenLoss: ImportLoss? {
        switch authorization {
        case .oauth2(let oauth2):
            let words = "\(oauth2.grant.words) at \(text(oauth2.tokenURL).spelled { _ in "…" })"
            return ImportLoss("a sign-in", "the token must be got first", text: words)
        case .custom: return ImportLoss("a command for credentials", "it must be run first")
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
        var places: [ExportVariable: Set<ExportText.Place>] = [:]
        var all: [ExportVariable] = []
        for text in sentTexts {
            for variable in text.variables {
                if places[variable] == nil { all.append(variable) }
                places[variable, default: []].insert(text.place)
            }
        }
        return all.map { variable in
            let place = places[variable] ?? []
            var words = variable.origin
            if place.contains(.url) { words += ", percent-encoded for the URL" }
            if place.contains(.json) { words += ", as it stands in a JSON string" }
            return (variable, words.inOneLine)
        }
    }

    /// The values that functions give each time, of which a format without them has one.
    var fixedValues: [ImportLoss] {
        var seen: Set<ExportCall> = []
        return unknownCalls.filter { seen.insert($0).inserted }.map { call in
            ImportLoss(
                "the function `\(call.function)`",
                call.value == nil
                    ? "what it makes of a secret must be set as \(call.variable.name)"
                    : "it has one value",
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

extension ImportLoss {
    /// What was not carried over, in one line for a comment.
    var remark: String {
        "Not carried over: \(kind) (\(reason)) \(text)".inOneLine.trimmingBlanks
    }
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
                    line.unicodeScalars.filter { scalar in
                        scalar == "\t" || scalar.properties.generalCategory != .control
                    }
                )
            )
        }
    }
}
