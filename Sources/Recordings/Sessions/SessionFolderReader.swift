import Apus
import Documents
import FoundationEssentials
import HTTPTypes

/// Reads one exchange file of a session folder, as ``SessionFolderFile`` writes it.
struct SessionFolderReader {
    // Scalars, because as a Character a combining mark would be part of the sign or space before it.
    private typealias Line = Substring.UnicodeScalarView

    private let path: String
    private let lines: [Line]
    private var place = 0
    /// Reads a body file in the same folder.
    private let body: (_ name: String) throws(SessionFileError) -> Body
    /// The body of a message that was read, if it is not in the folder.
    private var remote: RemoteBody?

    /// A body that has a file of its own.
    enum Body {
        case bytes([UInt8])
        case remote(RemoteBody)
    }

    /// - Throws: ``SessionFileError`` if the file is not text or was cut off.
    init(
        _ bytes: [UInt8],
        path: String,
        body: @escaping (_ name: String) throws(SessionFileError) -> Body
    ) throws(SessionFileError) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SessionFileError(path, "not UTF-8 text")
        }
        guard bytes.last == 0x0A else {
            throw SessionFileError(path, "it is cut off: its last line has no line end")
        }
        lines = text.unicodeScalars.dropLast()
            .split(separator: "\n", omittingEmptySubsequences: false)
        self.path = path
        self.body = body
    }

    private func fault(_ detail: String) -> SessionFileError {
        SessionFileError(path, at: "line \(place)", detail)
    }

    /// The next line; nil at the end.
    private mutating func next() -> Line? {
        guard place < lines.count else { return nil }
        place += 1
        return lines[place - 1]
    }

    /// Reads the whole file; call it only once.
    mutating func exchange() throws(SessionFileError) -> ImportedExchange {
        let request = try request()
        // Replay finds an exchange by all of its request.
        guard remote == nil else { throw fault("the file of the request's body is missing") }
        let response = try response(to: request)
        var exchange = ImportedExchange(
            ExchangeRecord(
                started: .distantPast,
                request: request,
                result: response.map { .success($0) }
                    ?? .failure(ApusError(.transport(code: 0, detail: ""))),
                duration: .zero
            )
        )
        exchange.record.imported.remoteBody = remote
        var isWhole = false
        while let line = next() {
            guard let colon = Self.endOfName(line) else {
                throw fault("not a line “name: value”")
            }
            let name = try unescaped(line[..<colon])
            let value = try unescaped(line[colon...].dropFirst(2))
            guard ExportedFacts.apply((name, value), to: &exchange) else {
                throw fault("“\(name): \(value.prefix(80))” is not known")
            }
            isWhole = isWhole || name == "started"
        }
        guard isWhole else {
            throw SessionFileError(path, "it is cut off: the line “started” is missing")
        }
        exchange.record.changeResponse { [record = exchange.record] in
            $0.received = record.started.addingTimeInterval(record.duration / .seconds(1))
        }
        exchange.record.settleResult()
        return exchange
    }

    /// The position of the `: ` after a fact's name.
    private static func endOfName(_ line: Line) -> Line.Index? {
        var isEscaped = false
        return line.indices.first { index in
            if isEscaped {
                isEscaped = false
                return false
            }
            isEscaped = line[index] == "\\"
            return line[index...].starts(with: ": ".unicodeScalars)
        }
    }

    private func unescaped(_ text: Line) throws(SessionFileError) -> String {
        guard text.contains("\\") else { return String(text) }
        var (result, scalars) = ("", text.makeIterator())
        while let scalar = scalars.next() {
            guard scalar == "\\" else {
                result.unicodeScalars.append(scalar)
                continue
            }
            switch scalars.next() {
            case "\\": result += "\\"
            case "n": result += "\n"
            case "r": result += "\r"
            case ":": result += ":"
            default: throw fault("\\ must be followed by \\, n, r or :")
            }
        }
        return result
    }

    // MARK: messages

    private mutating func request() throws(SessionFileError) -> PreparedRequest {
        let line = next() ?? Line()
        let name = line.prefix { $0 != " " }
        guard let method = HTTPRequest.Method(String(name)),
            let url = RecordedURL(String(line[name.endIndex...].dropFirst()))
        else { throw fault("a method and a URL were expected: GET https://example.com/") }
        let message = try message(">")
        return PreparedRequest(
            head: HTTPRequest(
                method: method,
                scheme: url.scheme,
                authority: url.authority,
                path: url.path,
                headerFields: message.fields
            ),
            body: message.body.isEmpty ? .none : .bytes(message.body)
        )
    }

    private mutating func response(to request: PreparedRequest) throws(SessionFileError)
        -> Response?
    {
        var hops: [TransferMetrics.Redirect] = []
        while let line = next() {
            if line.starts(with: "HTTP".unicodeScalars) {
                let words = line.split(separator: " ", maxSplits: 2)
                guard words.count > 1, let code = Int(String(words[1])),
                    (100...999).contains(code)
                else {
                    throw fault("a status was expected: HTTP/2 200 OK")
                }
                let message = try message("<")
                let version = words[0].dropFirst(5)
                return Response(
                    request: request,
                    head: HTTPResponse(
                        status: .init(
                            code: code,
                            reasonPhrase: words.count > 2 ? String(words[2]) : ""
                        ),
                        headerFields: message.fields
                    ),
                    body: .bytes(message.body),
                    source: .server,
                    received: .distantPast,
                    // A stub's response has none; facts that follow add what they say.
                    metrics: version.isEmpty && hops.isEmpty
                        ? nil
                        : TransferMetrics(
                            negotiatedVersion: version.isEmpty ? nil : String(version),
                            redirects: hops
                        )
                )
            }
            guard let hop = Self.hop(line) else {
                // This is the first fact: there was no response.
                guard hops.isEmpty else { throw fault("a redirect must be followed by a response") }
                place -= 1
                return nil
            }
            var redirect = hop
            let message = try message("<")
            (redirect.fields, redirect.withheldFields) = (message.fields, message.withheld)
            hops.append(redirect)
        }
        return nil
    }

    /// Parses the first line of a redirect: `302 https://… → /place`.
    private static func hop(_ line: Line) -> TransferMetrics.Redirect? {
        guard let status = Int(String(line.prefix(3))), (300...399).contains(status),
            let arrow = line.firstRange(of: " → ".unicodeScalars)
        else { return nil }
        return TransferMetrics.Redirect(
            status: status,
            location: String(line[arrow.upperBound...]),
            url: String(line[..<arrow.lowerBound].dropFirst(4))
        )
    }

    private struct Message {
        var fields = HTTPFields()
        var body: [UInt8] = []
        var withheld: [String] = []
    }

    /// Reads the lines that begin with a sign, and the empty line after them.
    private mutating func message(_ sign: Unicode.Scalar) throws(SessionFileError) -> Message {
        var message = Message()
        var form: String?
        while let line = next(), !line.isEmpty {
            guard line.first == sign else { throw fault("a line with \(sign) was expected") }
            let kind = line.dropFirst().first
            let text = line.dropFirst(2).drop { kind != " " && $0 == " " }
            switch kind {
            case nil:
                message.body = try lines(sign, in: form)
                return message
            case " ", "%":
                guard message.fields.appendForeign(try field(text, isEncoded: kind == "%")) else {
                    throw fault("there are more than \(FieldLimits.mostLines) fields")
                }
            case "~": form = String(text)
            case "!": message.withheld = String(text).split(separator: ", ").map { String($0) }
            case "@":
                switch try body(String(text)) {
                case .bytes(let bytes): message.body = bytes
                case .remote(let body): remote = body
                }
            default: throw fault("\(sign) is followed by a blank, %, ~, @ or !")
            }
        }
        return message
    }

    private func field(_ text: Line, isEncoded: Bool) throws(SessionFileError) -> HTTPField {
        let name = text.prefix { $0 != ":" }
        guard name.endIndex < text.endIndex, let fieldName = HTTPField.Name(String(name)) else {
            throw fault("a field was expected: Name: value")
        }
        // One space belongs to the file format.
        let value = String(text[name.endIndex...].dropFirst(2))
        guard isEncoded else { return HTTPField(name: fieldName, value: value) }
        let bytes = PercentEncoding.decode(Array(value.utf8)).bytes
        guard !bytes.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) else {
            throw fault("a field has no line ends")
        }
        return HTTPField(name: fieldName, lenientValue: bytes)
    }

    /// Reads the rest of a message: its body.
    private mutating func lines(
        _ sign: Unicode.Scalar,
        in form: String?
    ) throws(SessionFileError) -> [UInt8] {
        var pieces: [String] = []
        while let line = next(), !line.isEmpty {
            let text = line.dropFirst()
            guard line.first == sign, text.isEmpty || text.first == " " else {
                throw fault("a line of the body begins with “\(sign) ”")
            }
            pieces.append(String(text.dropFirst()))
        }
        switch form {
        case nil: return Array(pieces.joined(separator: "\n").utf8)
        case "CRLF": return Array(pieces.joined(separator: "\r\n").utf8)
        case "JSON":
            let text = Array(pieces.joined(separator: "\n").utf8)
            guard let body = SessionFolderFile.minified(text) else {
                throw fault("the body before this line is not JSON")
            }
            return body
        default: throw fault("~ is followed by JSON or CRLF")
        }
    }
}
