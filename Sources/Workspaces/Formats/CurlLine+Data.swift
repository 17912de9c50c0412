import Documents
import HTTPTypes

/// What the options for header fields, data and forms add to the request.
extension CurlLine {
    mutating func addHeader(_ text: String) throws(RequestTextError) {
        guard !text.hasPrefix("@") else { throw Self.file(text, "-H") }
        let colon = text.unicodeScalars.firstIndex(of: ":")
        let name = colon.map { String(text[..<$0]) } ?? String(text.dropLast())
        // `Name;` is a field without a value.
        guard HTTPField.Name(name) != nil, colon != nil || text.hasSuffix(";") else {
            throw RequestTextError("“\(text)” is not a header field")
        }
        guard let colon else { return headers.append((name, "")) }
        let value = text.unicodeScalars[text.unicodeScalars.index(after: colon)...]
            .drop { $0 == " " || $0 == "\t" }
        // `Name:` removes a field that curl would send.
        headers.append((name, value.isEmpty ? nil : String(value)))
    }

    mutating func addData(
        _ text: String,
        keepsLineEnds: Bool = false
    ) throws(RequestTextError) {
        guard text.hasPrefix("@") else { return addText(text) }
        var text = text
        if text == "@-" {
            switch input {
            case .text(let given):
                let isLineEnd = { (scalar: Unicode.Scalar) in scalar == "\n" || scalar == "\r" }
                let lines = String.UnicodeScalarView(
                    given.unicodeScalars.filter { !isLineEnd($0) }
                )
                return addText(keepsLineEnds ? given : String(lines))
            case .file(let path): text = "@\(path)"
            case nil: throw RequestTextError("standard input cannot be pasted: name a file")
            }
        }
        if isLenient, bodyFile != nil || !data.isEmpty || isQuery {
            return addText(try fileText(String(text.dropFirst())))
        }
        guard bodyFile == nil else { throw Self.combined("a file") }
        bodyFile = String(text.dropFirst())
    }

    /// Adds to the data; a file before it becomes a text that is read when the request is sent.
    mutating func addText(_ text: String) {
        if isLenient, !isUpload, let path = bodyFile,
            let expression = try? fileText(path)
        {
            data.append(expression)
            bodyFile = nil
        }
        data.append(text)
    }

    /// `{{ name }}` of a variable that has the text of a file.
    mutating func fileText(_ path: String, _ filter: String = "")
        throws(RequestTextError) -> String
    {
        guard !path.contains("'"), !path.contains("{{"), !path.contains("\n"), path != "-" else {
            throw RequestTextError("the file “\(path)” cannot be read into a text")
        }
        var name = filter.isEmpty ? "file_" : "encoded_"
        for scalar in path.unicodeScalars {
            let isPlain =
                scalar.isASCII
                && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
            name +=
                isPlain
                ? String(scalar) : scalar == "." ? "_" : "_\(String(scalar.value, radix: 16))_"
        }
        fileVariables[name] = "{{ file('\(path)')\(filter) }}"
        return "{{ \(name) }}"
    }

    /// `name@file` of `--data-urlencode`, whose content is encoded.
    mutating func fileText(ofPair text: String) throws(RequestTextError) -> String {
        guard !text.contains("="), let sign = text.firstIndex(of: "@") else {
            throw RequestTextError("there is no file")
        }
        let content = try fileText(String(text[sign...].dropFirst()), " | url")
        return sign == text.startIndex ? content : "\(text[..<sign])=\(content)"
    }

    static func combined(_ part: String) -> RequestTextError {
        RequestTextError("\(part) and other data cannot be combined in one body")
    }

    /// Encodes `name=content`, `=content` or `content`; the name is left as it is.
    static func encoded(pair text: String) throws(RequestTextError) -> String {
        guard let sign = text.firstIndex(of: "=") else {
            guard !text.contains("@") else { throw file(text, "--data-urlencode") }
            return encoded(text)
        }
        let name = text[..<sign]
        let value = encoded(String(text[text.index(after: sign)...]))
        return name.isEmpty ? value : "\(name)=\(value)"
    }

    /// Since 7.86 curl writes a space as `+` in a query, as in a form.
    static func encoded(_ text: String) -> String { PercentEncoding.form(text) }

    mutating func addPart(_ text: String, mayBeFile: Bool) throws(RequestTextError) {
        let read = try CurlFormPart(text, isLiteral: !mayBeFile)
        if isLenient, case .contents(let path) = read.content {
            form.append(TargetDraft.Row(read.name, .text(try fileText(path))))
            warnings += read.warnings
            if let type = read.type {
                warnings.append("-F \(read.name): “type=\(type)” is ignored")
            }
            return
        }
        let part = try read.row()
        form.append(part.row)
        warnings += part.warnings
    }

    static func file(_ text: String, _ option: String) -> RequestTextError {
        RequestTextError("a file after \(option) is not supported: “\(text)”")
    }
}
