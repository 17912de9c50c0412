import Documents
import Workspaces

/// The values of an environment's variables, to show examples of texts in which they stand.
struct ExportValues {
    private let values: [String: ExportText]
    /// Variables made of variables made of variables.
    private static let maximumLevels = 16

    init(_ environment: ExportedWorkspace.Environment?) {
        values = Dictionary(
            (environment?.values ?? []).compactMap { row in
                row.value.map { (row.variable.name, $0) }
            }
        ) { first, _ in first }
    }

    /// The text with the values in place of the variables; nil if one has no value, as a secret.
    func text(_ text: ExportText) -> String? { filled(text, Self.maximumLevels) }

    /// The text with the values, and the name of each variable that has none in angle brackets.
    func shown(_ text: ExportText) -> String {
        text.spelled { piece in
            let place = text.place
            if let value = self.value(of: piece, Self.maximumLevels) {
                return Self.escaped(value, place)
            }
            switch piece {
            case .variable(let variable): return Self.escaped("<\(variable.name)>", place)
            case .call(let call): return Self.escaped("<\(call.function)>", place)
            case .text(let text): return text
            }
        }
    }

    private func filled(_ text: ExportText, _ levels: Int) -> String? {
        var result = ""
        for piece in text.pieces {
            if case .text(let literal) = piece {
                result += literal
            } else {
                guard let value = value(of: piece, levels) else { return nil }
                result += Self.escaped(value, text.place)
            }
        }
        return result
    }

    private func value(of piece: ExportText.Piece, _ levels: Int) -> String? {
        switch piece {
        case .text(let text): text
        case .variable(let variable):
            levels > 0 ? values[variable.name].flatMap { filled($0, levels - 1) } : nil
        case .call(let call): call.value
        }
    }

    /// A value as it stands at a place.
    static func escaped(_ value: String, _ place: ExportText.Place) -> String {
        switch place {
        case .plain: value
        // What a URL begins with is a URL itself.
        case .url: value.contains("://") ? value : PercentEncoding.component(value)
        // Scalars, because a quote and a sign that joins it are one character.
        case .json: String(Value.string(value).json.unicodeScalars.dropFirst().dropLast())
        }
    }
}
