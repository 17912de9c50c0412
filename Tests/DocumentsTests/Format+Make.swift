@testable import Documents

extension FormattedDocument {
    static func make(_ text: String, as format: DocumentFormat) -> FormattedDocument {
        .opening(.make(text), as: format)
    }

    static func make(_ bytes: [UInt8], as format: DocumentFormat) -> FormattedDocument {
        .opening(DocumentBytes(bytes), as: format)
    }

    /// The tree as minified JSON.
    var json: String { document.minified }

    /// Each fault as `line:column words`.
    var faultTexts: [String] {
        faults.map { "\($0.position.line):\($0.position.column) \($0)" }
    }
}
