/// What stands behind curl's `-F` or `--form-string`: a part of a form (curl's manual, "--form").
struct CurlFormPart {
    /// The part.
    let row: TargetDraft.Row
    /// What is left out of it.
    private(set) var warnings: [String] = []

    /// Reads `name=text` or `name=@path`; what `mayBeFile` may have `;type=…` behind it, and quotes around it.
    init(_ text: String, mayBeFile: Bool) throws(CatalogProblem) {
        guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
            throw CatalogProblem("“\(text)” is no part of a form: it is name=value")
        }
        let name = String(text[..<sign])
        var rest = text[text.index(after: sign)...].unicodeScalars
        guard mayBeFile else {
            row = TargetDraft.Row(name, part: String(rest))
            return
        }
        guard rest.first != "<" else { throw CurlLine.file(String(rest), "-F") }
        let isFile = rest.first == "@"
        if isFile { rest.removeFirst() }
        let content = Self.word(&rest)
        var type: String?
        while rest.popFirst() != nil {
            rest = rest.drop { $0 == " " }
            let option = Self.word(&rest)
            if option.hasPrefix("type=") {
                type = String(option.dropFirst(5))
            } else if let begun = type, !option.hasPrefix("filename=") {
                // `text/plain;charset=utf-8`
                type = "\(begun);\(option)"
            } else if !option.isEmpty {
                warnings.append("-F \(name): “\(option)” is left out")
            }
        }
        if !isFile, let type { warnings.append("-F \(name): “type=\(type)” is left out") }
        row =
            isFile
            ? TargetDraft.Row(name, file: content, type: type)
            : TargetDraft.Row(name, part: content)
    }

    /// What stands before the next `;`, or in quotes.
    private static func word(_ rest: inout Substring.UnicodeScalarView) -> String {
        var word = String.UnicodeScalarView()
        if rest.first == "\"" {
            rest.removeFirst()
            while let scalar = rest.popFirst(), scalar != "\"" {
                let isEscape = scalar == "\\" && (rest.first == "\"" || rest.first == "\\")
                word.append(isEscape ? rest.removeFirst() : scalar)
            }
        }
        let end = rest.firstIndex(of: ";") ?? rest.endIndex
        word += rest[..<end]
        rest = rest[end...]
        return String(word)
    }
}
