import Apus

/// A part of a form, from the value of curl's `-F` or `--form-string`, read as curl reads it (curl's manual,
/// "--form").
///
/// ```
/// name=text;type=text/plain      name="a; b"          name=<file;type=…
/// name=@file;filename=b.txt;type=image/png;headers="X-A: 1"
/// ```
package struct CurlFormPart: Sendable, Equatable {
    /// What the part is made of.
    package enum Content: Sendable, Equatable {
        case text(String)
        /// A file that is sent with its name.
        case file(String)
        /// The bytes of a file, sent like a text.
        case contents(ofFile: String)
    }

    /// The field's name.
    package let name: String
    /// What the part is made of.
    package private(set) var content = Content.text("")
    /// The declared `Content-Type`.
    package private(set) var type: String?
    /// The declared file name.
    package private(set) var fileName: String?
    /// Header lines of the part: "X-A: 1".
    package private(set) var headers: [String] = []
    /// Files with such lines.
    package private(set) var headerFiles: [String] = []
    /// Warnings about what is ignored.
    package private(set) var warnings: [String] = []

    /// The option, as it is named in errors.
    private let option: String

    /// Reads a part.
    ///
    /// - Parameters:
    ///   - text: The value of the option.
    ///   - isLiteral: Whether `@`, `<`, quotes and options after the content mean nothing, as for
    ///     `--form-string`.
    /// - Throws: `RequestTextError` that names the option.
    package init(_ text: String, isLiteral: Bool = false) throws(RequestTextError) {
        option = isLiteral ? "--form-string" : "-F"
        guard let sign = text.unicodeScalars.firstIndex(of: "="), sign > text.startIndex else {
            // The text is not repeated: it may be a secret.
            let forms = isLiteral ? "name=value" : "name=value, name=@file or name=<file"
            throw RequestTextError("\(option) takes \(forms); one of them has no name")
        }
        name = String(text[..<sign])
        var rest = text.unicodeScalars[text.unicodeScalars.index(after: sign)...]
        guard !isLiteral else {
            content = .text(String(rest))
            return
        }
        let mark = rest.first
        if mark == "(" {
            throw problem("a multipart body inside a part is not supported")
        }
        if mark == "@" || mark == "<" { rest.removeFirst() }
        // A comma only divides files.
        let word = try read(&rest, until: mark == "@" ? "," : nil, hasFileName: mark != "<")
        switch mark {
        case "@": content = .file(word)
        case "<": content = .contents(ofFile: word)
        default: content = .text(word)
        }
        guard rest.first != "," else {
            throw problem(
                "several files in one part are not supported: write \(option) for each, "
                    + "and a name that has a comma in quotes: \(name)=@\"a,b.txt\""
            )
        }
        if mark == "@" || mark == "<", word.isEmpty { throw problem("no file is named") }
    }

    /// An error of this part.
    package func problem(_ words: String) -> RequestTextError {
        RequestTextError("\(option) \(name)=…: \(words)")
    }

    // MARK: Reading

    private typealias Text = Substring.UnicodeScalarView

    /// Reads the content and the options after it.
    private mutating func read(
        _ rest: inout Text,
        until end: Unicode.Scalar?,
        hasFileName: Bool
    ) throws(RequestTextError) -> String {
        let word = Self.word(&rest, until: end)
        if word.hasTrailingText {
            warnings.append("\(option) \(name): the text after a quote is ignored")
        }
        // A type continues after a `;`, as in `text/plain; charset=utf-8`, and keeps the blanks in it.
        var isInType = false
        var blanks = ""
        while rest.first == ";" {
            rest.removeFirst()
            let before = rest.prefix(while: Self.isSpace)
            rest = rest[before.endIndex...]
            if !isInType, Self.skip("type=", in: &rest) {
                let read = Self.plain(&rest, until: end)
                type = try mediaType(read.text)
                (isInType, blanks) = (true, read.trailing)
            } else if Self.skip("filename=", in: &rest) {
                isInType = false
                let given = Self.word(&rest, until: end).text
                if hasFileName {
                    fileName = given
                } else {
                    warnings.append("\(option) \(name): “filename=\(given)” is ignored")
                }
            } else if Self.skip("headers=", in: &rest) {
                isInType = false
                let isFile = rest.first == "@" || rest.first == "<"
                if isFile { rest.removeFirst() }
                let given = Self.word(&rest, until: end).text
                if isFile { headerFiles.append(given) } else { headers.append(given) }
            } else if Self.skip("encoder=", in: &rest) {
                throw problem("an encoder is not supported")
            } else if isInType {
                let more = Self.plain(&rest, until: end)
                type = type.map { "\($0)\(blanks);\(String(before))\(more.text)" }
                blanks = more.trailing
            } else {
                let unknown = Self.word(&rest, until: end).text
                if !unknown.isEmpty {
                    warnings.append("\(option) \(name): “\(unknown)” is ignored")
                }
            }
        }
        return word.text
    }

    private func mediaType(_ text: String) throws(RequestTextError) -> String {
        let parts = text.unicodeScalars.split(
            separator: "/",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        guard parts.count == 2, let first = parts[0].first, !parts[0].contains(" "), first != " ",
            let second = parts[1].first, second != " ", second != ","
        else { throw problem("“type=\(text)” is not a media type such as text/plain") }
        return text
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || (0x09...0x0D).contains(scalar.value)
    }

    /// Removes a word that is expected, whatever its case; false if another text follows.
    private static func skip(_ word: String, in rest: inout Text) -> Bool {
        let count = word.unicodeScalars.count
        guard String(rest.prefix(count)).lowercased() == word else { return false }
        rest = rest.dropFirst(count)
        return true
    }

    /// Removes and returns the text before the next `;` without the blanks around it, and the blanks after it.
    private static func plain(
        _ rest: inout Text,
        until end: Unicode.Scalar?
    ) -> (text: String, trailing: String) {
        let whole = rest.prefix { $0 != ";" && $0 != end }
        rest = rest[whole.endIndex...]
        let text = whole.drop(while: isSpace)
        let count = text.reversed().drop(while: isSpace).count
        return (String(text.prefix(count)), String(text.dropFirst(count)))
    }

    /// Removes and returns the text before the next `;`, with quotes and escapes resolved.
    private static func word(
        _ rest: inout Text,
        until end: Unicode.Scalar?
    ) -> (text: String, hasTrailingText: Bool) {
        rest = rest.drop(while: isSpace)
        guard rest.first == "\"", let quoted = quoted(rest.dropFirst()) else {
            return (plain(&rest, until: end).text, false)
        }
        rest = quoted.rest
        let trailing = plain(&rest, until: end).text
        return (quoted.text, !trailing.isEmpty)
    }

    /// The text up to a quote; nil if there is none, so that the first one is text, too.
    private static func quoted(_ text: Text) -> (text: String, rest: Text)? {
        var rest = text
        var word = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            if scalar == "\"" { return (String(word), rest) }
            let isEscape = scalar == "\\" && (rest.first == "\"" || rest.first == "\\")
            word.append(isEscape ? rest.removeFirst() : scalar)
        }
        return nil
    }
}

extension CurlFormPart {
    /// The row of a draft, and warnings about what it cannot hold.
    func row() throws(RequestTextError) -> (row: TargetDraft.Row, warnings: [String]) {
        var warnings = warnings
        func ignore(_ words: String) { warnings.append("\(option) \(name): “\(words)” is ignored") }
        let lines = headers + headerFiles.map { "@\($0)" }
        for line in lines { ignore("headers=\(line)") }
        if let fileName { ignore("filename=\(fileName)") }
        switch content {
        case .contents(let path): throw CurlLine.file("<\(path)", option)
        case .file(let path):
            let type = type.map { TargetDraft.literal($0) }
            let part = TargetDraft.Row.Part.file(path: TargetDraft.literal(path), type: type)
            return (TargetDraft.Row(name, part), warnings)
        case .text(let text):
            if let type { ignore("type=\(type)") }
            return (TargetDraft.Row(name, .text(TargetDraft.literal(text))), warnings)
        }
    }
}
