/// A part of a form, from the value of curl's `-F` or `--form-string` (curl's manual, "--form").
struct CurlFormPart {
    /// The part.
    let row: TargetDraft.Row
    /// Warnings about options of the part that are ignored.
    private(set) var warnings: [String] = []

    /// Reads `name=text`; with `mayBeFile` also `name=@path`, `;type=…` after the content, and quotes around it.
    init(_ text: String, mayBeFile: Bool) throws(CatalogProblem) {
        guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
            throw CatalogProblem("“\(text)” is not a form part: write name=value")
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
                warnings.append("-F \(name): “\(option)” is ignored")
            }
        }
        if !isFile, let type { warnings.append("-F \(name): “type=\(type)” is ignored") }
        row =
            isFile
            ? TargetDraft.Row(name, file: content, type: type)
            : TargetDraft.Row(name, part: content)
    }

    /// Removes and returns the text before the next `;`, with quotes and escapes resolved.
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
