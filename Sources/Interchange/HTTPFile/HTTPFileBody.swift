import Documents
import Workspaces

/// Reads the body of a request in an `.http` file.
struct HTTPFileBody {
    let source: ImportSource
    /// What is before the paths of files.
    let folder: String
    let translation: TextTranslation

    func read(_ lines: [String], into parts: inout RequestParts) {
        guard !lines.isEmpty else { return }
        let type = parts.header("content-type")
        if let type, type.asciiLowercased.hasPrefix("multipart/form-data"),
            let body = multipart(lines, type, &parts)
        {
            parts.body = body
            parts.removeHeader("content-type")
            return
        }
        let marks = lines.filter { Self.path($0) != nil }
        if marks.count == 1, lines.count(where: { !$0.trimmingBlanks.isEmpty }) == 1 {
            return readFile(marks[0], into: &parts)
        }
        if !marks.isEmpty {
            let text = lines.map { line in
                Self.path(line).map { "{{ file('\(folder)\($0.path)') }}" }
                    ?? translation.text(line)
            }
            parts.body = RequestParts.Body(
                key: "body",
                value: .string(text.joined(separator: "\n")),
                type: nil
            )
            return
        }
        var text = lines.joined(separator: "\n")
        if type?.asciiLowercased.hasPrefix("application/x-www-form-urlencoded") == true {
            text = lines.map(\.trimmingBlanks).joined()
            if let rows = spacedForm(text) {
                parts.body = RequestParts.Body(
                    key: "form",
                    value: .object(rows),
                    type: "application/x-www-form-urlencoded"
                )
                return
            }
        }
        parts.body = translation.body(text, type: type)
    }

    /// A form with blanks around its signs, `name = a value & …`, which JetBrains' IDEs leave out; nil for another.
    private func spacedForm(_ text: String) -> [Value.Member]? {
        let pairs = text.split(separator: "&", omittingEmptySubsequences: false).map {
            $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        }
        guard pairs.allSatisfy({ $0.count == 2 && !$0[0].trimmingBlanks.isEmpty }),
            pairs.contains(where: { $0[0].last == " " || $0[1].first == " " })
        else { return nil }
        var rows: [Value.Member] = []
        for pair in pairs {
            let name = pair[0].trimmingBlanks
            guard !name.contains("{{") else { return nil }
            rows.append(.string(translation.text(pair[1].trimmingBlanks)), for: name)
        }
        return rows
    }

    /// `< path`, `<@ path`, `<@latin1 path`; nil for another line.
    static func path(_ line: String) -> (path: String, fillsIn: Bool)? {
        guard line.hasPrefix("<") else { return nil }
        var rest = line.dropFirst()
        let fillsIn = rest.first == "@"
        if fillsIn { rest = rest.drop { !$0.isWhitespace } }
        guard rest.first == " " || rest.first == "\t" else { return nil }
        let path = String(rest).trimmingBlanks
        guard !path.isEmpty, !path.contains(where: { ">'\n".contains($0) }) else { return nil }
        return (path.hasPrefix("./") ? String(path.dropFirst(2)) : path, fillsIn)
    }

    /// Whether a path does not begin at the folder of the file, also one of Windows.
    static func isAbsolute(_ path: String) -> Bool {
        path.hasPrefix("/") || path.dropFirst().hasPrefix(":\\") || path.dropFirst().hasPrefix(":/")
    }

    private func readFile(_ line: String, into parts: inout RequestParts) {
        guard let (path, fillsIn) = Self.path(line) else { return }
        let place = Self.isAbsolute(path) ? path : folder + path
        if fillsIn {
            if let bytes = source.bytes(of: place), bytes.count <= 1 << 20,
                let text = String(validating: bytes, as: UTF8.self)
            {
                parts.body = translation.body(text, type: parts.header("content-type"))
                return
            }
            let reason = "the variables in it are not filled in, because it could not be read"
            parts.losses.append(ImportLoss("a file with variables", reason, text: line))
        }
        parts.body = RequestParts.Body(
            key: "upload",
            value: .string(translation.text(place)),
            type: nil
        )
    }

    // MARK: Forms with files

    private func multipart(_ lines: [String], _ type: String, _ parts: inout RequestParts)
        -> RequestParts.Body?
    {
        guard let mark = type.asciiLowercased.firstRange(of: "boundary=") else { return nil }
        let boundary = type[mark.upperBound...].prefix { $0 != ";" }.trimmingBlanks.replacing(
            "\"",
            with: ""
        )
        let line = "--" + boundary
        var sections: [[String]] = []
        for text in lines {
            let trimmed = text.trimmingBlanks
            if trimmed == line || trimmed == line + "--" {
                sections.append([])
            } else if !sections.isEmpty {
                sections[sections.count - 1].append(text)
            } else if !trimmed.isEmpty {
                return nil
            }
        }
        var members: [Value.Member] = []
        for section in sections where !section.allSatisfy({ $0.trimmingBlanks.isEmpty }) {
            guard let part = part(section, &parts) else { return nil }
            members.append(part.value, for: part.name)
        }
        guard !members.isEmpty else { return nil }
        return RequestParts.Body(key: "multipart", value: .object(members), type: nil)
    }

    /// The parameters of a field (RFC 6266): `form-data; name="a;b"; filename=c`.
    private static func parameters(of value: String) -> [(name: String, value: String)] {
        var pieces: [String] = [""]
        var isQuoted = false
        var isEscaped = false
        for character in value {
            if isEscaped {
                pieces[pieces.count - 1].append(character)
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if !isQuoted, character == ";" {
                pieces.append("")
            } else {
                pieces[pieces.count - 1].append(character)
            }
        }
        return pieces.compactMap { piece in
            guard let sign = piece.firstIndex(of: "=") else { return nil }
            let name = String(piece[..<sign]).trimmingBlanks.lowercased()
            return (name, String(piece[sign...].dropFirst()).trimmingBlanks)
        }
    }

    private func part(_ lines: [String], _ parts: inout RequestParts) -> (
        name: String, value: Value
    )? {
        var name: String?
        var fileName: String?
        var type: String?
        var index = 0
        while index < lines.count, !lines[index].trimmingBlanks.isEmpty {
            let text = lines[index].trimmingBlanks
            index += 1
            guard let colon = text.firstIndex(of: ":") else { return nil }
            let value = String(text[colon...].dropFirst()).trimmingBlanks
            switch text[..<colon].lowercased() {
            case "content-disposition":
                for parameter in Self.parameters(of: value) {
                    if parameter.name == "name" { name = parameter.value }
                    if parameter.name == "filename" { fileName = parameter.value }
                }
            case "content-type": type = value
            default:
                parts.losses.append(
                    ImportLoss("a field of a part", "a part has a type only", text: text)
                )
            }
        }
        guard let name else { return nil }
        var body = Array(lines[min(index + 1, lines.count)...])
        while body.last?.trimmingBlanks.isEmpty == true { body.removeLast() }
        if body.count == 1, let file = Self.path(body[0]) {
            let base = String(file.path.split(separator: "/").last ?? "")
            if let fileName, fileName != base {
                let reason = "a part has the name of its file"
                parts.losses.append(
                    ImportLoss("the name of a file", reason, text: "filename=\(fileName)")
                )
            }
            let path = Self.isAbsolute(file.path) ? file.path : folder + file.path
            var members = [Value.Member("file", .string(translation.text(path)))]
            if let type { members.append(Value.Member("type", .string(translation.text(type)))) }
            return (name, .object(members))
        }
        if let type {
            parts.losses.append(
                ImportLoss(
                    "the type of a part",
                    "a part with a text has none",
                    text: "\(name): \(type)"
                )
            )
        }
        if let fileName {
            let reason = "a part with a text has none"
            parts.losses.append(
                ImportLoss("the name of a file", reason, text: "\(name): \(fileName)")
            )
        }
        return (name, .string(translation.text(body.joined(separator: "\n"))))
    }
}
