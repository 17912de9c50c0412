import Apus
import Documents
import FoundationEssentials
import HTTPTypes

/// An exchange as a text file that is easy to read and to compare.
///
/// ```
/// POST https://api.example.com/users
/// > Content-Type: application/json
/// > Authorization: ••••••
/// >~ JSON
/// >
/// > {
/// >   "name": "Ada",
/// >   "roles": ["admin"]
/// > }
///
/// HTTP/2 201 Created
/// < Content-Type: image/png
/// <@ 003-post-users.response.png
///
/// target: Users/Create user
/// environment: local
/// started: 2026-11-23T15:22:36.120Z
/// took: 12.345
/// ```
///
/// - Lines of the request begin with `>`, lines of the response with `<`: the fields, an empty line, and the
///   body. The body is the text after "> ", its lines joined by line feeds, with none after the last line.
/// - `>~ JSON`: the body is minified JSON, shown indented. `>~ CRLF`: its lines end with CR LF.
/// - `>@ NAME`: the body is the file with this name in the same folder.
/// - `>% Name: value`: the field's value is percent-encoded, because it is not text.
/// - A followed redirect is written before the response: `302 https://… → /place`, with its fields.
///   `<! Name, Name` lists the request fields that were not sent to the new location.
/// - The facts of ``ExportedFacts`` are at the end, one per line. They use `\n`, `\r` and `\\` for
///   characters that a line cannot have, and `\:` in names. Facts that differ each time come last.
struct SessionFolderFile {
    /// A body that is longer or has a longer line, in bytes, goes into a file.
    private static let bodyLimit = 64 << 10
    private static let lineLimit = 4 << 10
    /// JSON of at most this many bytes stays on one line.
    private static let shortJSON = 80

    /// The name without its extension: `003-post-users`.
    let name: String
    private(set) var text = ""
    /// The bodies that go into files of their own, with their names.
    private(set) var bodies: [(name: String, bytes: [UInt8])] = []

    /// - Throws: `ApusError` if a body cannot be read.
    init(_ whole: ExchangeDetails, number: Int, of count: Int, run: (Int, RecordedRun)?)
        throws(ApusError)
    {
        name = Self.name(of: whole.request, number, of: count)
        let request = whole.request
        text = "\(request.head.method.rawValue) \(request.url)\n"
        let body: [UInt8] = if case .bytes(let bytes) = request.body { bytes } else { [] }
        add(request.head.headerFields, body, ">", "request")
        if let response = whole.response {
            for hop in response.redirects {
                text += "\n\(hop.status) \(hop.url) → \(hop.location)\n"
                if !hop.withheldFields.isEmpty {
                    text += "<! \(hop.withheldFields.joined(separator: ", "))\n"
                }
                add(hop.fields, [], "<", "response")
            }
            let version = response.metrics?.negotiatedVersion.map { "/\($0)" } ?? ""
            let reason = response.reasonPhrase.isEmpty ? "" : " \(response.reasonPhrase)"
            text += "\nHTTP\(version) \(response.status)\(reason)\n"
            add(response.head.headerFields, try response.body.load(), "<", "response")
        }
        text += "\n"
        for fact in ExportedFacts.facts(of: whole, run: run) {
            text += "\(Self.escaped(fact.name, isName: true)): \(Self.escaped(fact.value))\n"
        }
    }

    /// The number, method and path, in characters that every file system allows.
    private static func name(of request: PreparedRequest, _ number: Int, of count: Int) -> String {
        let digits = max(3, "\(count)".count)
        let padding = String(repeating: "0", count: max(0, digits - "\(number)".count))
        let path = (request.head.path ?? "").prefix { $0 != "?" && $0 != "#" }
        let words = "\(request.head.method.rawValue)\(path)".lowercased().unicodeScalars.split {
            !("a"..."z").contains($0) && !("0"..."9").contains($0)
        }
        let slug = words.map { String($0) }.joined(separator: "-")
        return "\(padding)\(number)-\(slug.prefix(48))"
    }

    private static func escaped(_ text: String, isName: Bool = false) -> String {
        text.unicodeScalars.reduce(into: "") { line, scalar in
            switch scalar {
            case ":" where isName: line += "\\:"
            case "\\": line += "\\\\"
            case "\n": line += "\\n"
            case "\r": line += "\\r"
            default: line.unicodeScalars.append(scalar)
            }
        }
    }

    // MARK: messages

    private mutating func add(
        _ fields: HTTPFields,
        _ body: [UInt8],
        _ sign: String,
        _ message: String
    ) {
        for field in fields {
            let bytes = field.withUnsafeBytesOfValue { Array($0) }
            if let value = Self.line(bytes) {
                text += "\(sign) \(field.name.rawName): \(value)\n"
            } else {
                text +=
                    "\(sign)% \(field.name.rawName): \(PercentEncoding.component(bytes: bytes))\n"
            }
        }
        guard !body.isEmpty else { return }
        guard let (lines, form) = Self.lines(of: body) else {
            let type = MediaType.fileExtension(for: fields[.contentType])
            let file = "\(name).\(message)\(type.isEmpty || type == ".txt" ? ".bin" : type)"
            bodies.append((file, body))
            text += "\(sign)@ \(file)\n"
            return
        }
        if let form { text += "\(sign)~ \(form)\n" }
        text += "\(sign)\n"
        for line in lines { text += line.isEmpty ? "\(sign)\n" : "\(sign) \(line)\n" }
    }

    private static func line(_ bytes: [UInt8]) -> String? {
        guard !bytes.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The lines of a body, and the form in which they are shown; nil if the body goes into a file.
    private static func lines(of body: [UInt8]) -> (lines: [Substring], form: String?)? {
        var (shown, form) = (body, String?.none)
        if let json = indented(body) {
            (shown, form) = (json, "JSON")
        } else if body.contains(0x0D) {
            guard let lines = withoutCarriageReturns(body) else { return nil }
            (shown, form) = (lines, "CRLF")
        }
        guard shown.count <= bodyLimit,
            !shown.contains(where: { $0 < 0x20 && $0 != 0x09 && $0 != 0x0A || $0 == 0x7F }),
            let text = String(validating: shown, as: UTF8.self)
        else { return nil }
        let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
        guard lines.allSatisfy({ $0.count <= lineLimit }) else { return nil }
        return (lines.map { Substring($0) }, form)
    }

    /// Indents minified JSON; nil if it is not JSON, or minifying it again would not give the same bytes.
    private static func indented(_ body: [UInt8]) -> [UInt8]? {
        guard body.count > shortJSON, let first = body.first, "{[".utf8.contains(first),
            !body.contains(0x0A), let document = try? JSON(parsing: body),
            let shown = try? document.bytes(.pretty), minified(shown) == body
        else { return nil }
        return shown
    }

    /// Minifies JSON; nil if it is not JSON.
    static func minified(_ body: [UInt8]) -> [UInt8]? {
        (try? JSON(parsing: body)).flatMap { try? $0.bytes(.minified) }
    }

    /// Removes the CR of each line end; nil if some lines end differently.
    private static func withoutCarriageReturns(_ body: [UInt8]) -> [UInt8]? {
        let lines = body.split(separator: 0x0A, omittingEmptySubsequences: false)
        let isWhole = lines.dropLast().allSatisfy { $0.last == 0x0D }
        let shown = lines.dropLast().map { $0.dropLast() } + lines.suffix(1)
        guard isWhole, !shown.contains(where: { $0.contains(0x0D) }) else { return nil }
        return Array(shown.joined(separator: [0x0A]))
    }
}
