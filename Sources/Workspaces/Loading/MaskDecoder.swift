import Apus
import Documents
import Secrets

/// Reads `mask`: the names and patterns of further secrets.
struct MaskDecoder {
    let log: ProblemLog
    private var read: NodeReader { NodeReader(log: log) }

    init(log: ProblemLog) {
        self.log = log
    }

    func decode(_ node: YAMLNode) -> SecretRules {
        guard let fields = Fields(node, of: .mask, log: log) else {
            return SecretRules()
        }
        return SecretRules(
            names: texts(fields["names"], "`names`", "a name").map(\.text),
            patterns: texts(fields["patterns"], "`patterns`", "a pattern").compactMap(pattern)
        )
    }

    private func texts(
        _ node: YAMLNode?,
        _ what: String,
        _ element: String
    ) -> [(text: String, span: Span)] {
        (read.list(node, what) ?? []).compactMap { node in
            guard let text = read.text(node, element) else { return nil }
            guard !text.isEmpty else {
                log.add(node.span, "\(element) cannot be empty")
                return nil
            }
            return (text, node.span)
        }
    }

    private func pattern(_ text: String, _ span: Span) -> RegularExpression? {
        do throws(RegularExpressionError) {
            return try RegularExpression(multiline: text)
        } catch {
            let place =
                if case .syntax = error.reason { " at its character \(error.column)" } else { "" }
            log.add(span, "`\(text)` cannot be used as a pattern: \(error)\(place)")
            return nil
        }
    }
}
