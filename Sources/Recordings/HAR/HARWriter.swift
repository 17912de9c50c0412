package import Apus
package import Documents
import FoundationEssentials
import HTTPTypes

/// Writes an exchange as HAR 1.2, one entry per line.
///
/// Each followed redirect is an entry of its own before the entry of the final response. Facts that HAR has
/// no member for are in `_apus`, as ``ExportedFacts`` lists them. Times are in milliseconds; -1 means
/// that a phase did not happen, and `connect` includes `ssl`. The rest of an exchange's time is `blocked`: it
/// was waiting, being sent again, or being processed here.
package struct HARWriter {
    private let whole: ExchangeDetails
    private let facts: [ExportedFacts.Fact]

    package init(_ whole: ExchangeDetails, run: (Int, RecordedRun)?) {
        self.whole = whole
        facts = ExportedFacts.facts(of: whole, run: run)
    }

    /// The text before the entries of a file.
    package static func begin(session: String, creator version: String) -> String {
        let creator = JSON(members: [("name", "apus"), ("version", JSON(version))])
        return """
            {"log":{"version":"1.2","creator":\(creator.text() ?? "{}"),\
            "_session":\(JSON(session).text() ?? "\"\""),"entries":[

            """
    }

    /// The text between two entries.
    package static let separator = ",\n"
    /// The text after the last entry.
    package static let end = "\n]}}\n"

    /// The entries of the exchange: its redirects, then the final response.
    ///
    /// - Throws: `ApusError` if a body cannot be read.
    package func entries() throws(ApusError) -> [JSON] {
        let hops = whole.response?.redirects ?? []
        guard !hops.isEmpty else { return [try entry(of: whole.request, at: .zero)] }
        var entries: [JSON] = []
        var request = whole.request
        let phases = whole.exchange.phases ?? whole.response?.metrics?.phases
        let share = (phases?.redirects ?? .zero) / hops.count
        for (place, hop) in hops.enumerated() {
            if !hop.url.isEmpty { request.setURL(hop.url) }
            entries.append(try entry(of: hop, to: request, at: share * place, took: share))
            request.follow(hop)
        }
        if let url = whole.response?.metrics?.effectiveURL { request.setURL(url) }
        return entries + [try entry(of: request, at: share * hops.count)]
    }

    private typealias Members = [(key: String, value: JSON)]

    private static let nothing: JSON = [:]
    private static let none: JSON = []

    // MARK: entries

    private func entry(of request: PreparedRequest, at offset: Duration) throws(ApusError) -> JSON {
        let metrics = whole.response?.metrics
        var members: Members = [("startedDateTime", started(after: offset))]
        let timings = HARTimings(of: whole, after: offset)
        members.append(("time", HARTimings.number(timings.total)))
        members.append(("request", self.request(request)))
        members.append(("response", try response()))
        members.append(("cache", Self.nothing))
        members.append(("timings", timings.json))
        if let remote = metrics?.remoteAddress, let colon = remote.lastIndex(of: ":") {
            let host = remote[..<colon].filter { $0 != "[" && $0 != "]" }
            members.append(("serverIPAddress", JSON(String(host))))
            members.append(("connection", JSON(String(remote[colon...].dropFirst()))))
        }
        if let note = whole.exchange.note { members.append(("comment", JSON(note))) }
        if let source = whole.exchange.source, ["memory", "disk", "shared"].contains(source) {
            members.append(("_fromCache", JSON(source)))
        }
        let own = facts.groupedInOrder(by: \.name).map { name, facts in
            let values = facts.map { JSON($0.value) }
            return (key: name, value: values.count == 1 ? values[0] : JSON(values))
        }
        members.append(("_apus", JSON(members: own)))
        return JSON(members: members)
    }

    /// The entry of a followed redirect.
    private func entry(
        of hop: TransferMetrics.Redirect,
        to request: PreparedRequest,
        at offset: Duration,
        took duration: Duration
    ) throws(ApusError) -> JSON {
        let response = JSON(members: [
            ("status", JSON(hop.status)),
            ("statusText", JSON(HTTPResponse.Status(code: hop.status).reasonPhrase)),
            ("httpVersion", JSON(version)), ("cookies", Self.setCookies(hop.fields)),
            ("headers", Self.headers(hop.fields)),
            (
                "content",
                JSON(members: [
                    ("size", 0), ("mimeType", JSON(hop.fields[.contentType] ?? "x-unknown")),
                ])
            ),
            ("redirectURL", JSON(hop.location)), ("headersSize", -1), ("bodySize", -1),
        ])
        let milliseconds = duration / .milliseconds(1)
        return JSON(members: [
            ("startedDateTime", started(after: offset)), ("time", HARTimings.number(milliseconds)),
            ("request", self.request(request)), ("response", response),
            ("cache", Self.nothing),
            ("timings", HARTimings(wait: milliseconds).json),
            (
                "_apus",
                JSON(members: [
                    ("hop", "yes"),
                    ("withheld", JSON(hop.withheldFields.joined(separator: ", "))),
                ])
            ),
        ])
    }

    private func started(after offset: Duration) -> JSON {
        // Rounded to the millisecond as in the file, so that reading and writing again gives the same file.
        let text = ExportedFacts.time(whole.exchange.started)
        let start = ExportedFacts.date(text) ?? whole.exchange.started
        return JSON(ExportedFacts.time(start.addingTimeInterval(offset / .seconds(1))))
    }

    // MARK: messages

    /// The HTTP version as browsers write it.
    private var version: String {
        switch whole.response?.metrics?.negotiatedVersion {
        case "1.0": "HTTP/1.0"
        case "2": "HTTP/2"
        case "3": "HTTP/3"
        default: "HTTP/1.1"
        }
    }

    private func request(_ request: PreparedRequest) -> JSON {
        let fields = request.head.headerFields
        let body: [UInt8] = if case .bytes(let bytes) = request.body { bytes } else { [] }
        let query = (request.head.path ?? "").unicodeScalars.drop { $0 != "?" }.dropFirst()
        var members: Members = [
            ("method", JSON(request.head.method.rawValue)), ("url", JSON(request.url)),
            ("httpVersion", JSON(version)), ("cookies", Self.cookies(fields)),
            ("headers", Self.headers(fields)), ("queryString", Self.pairs(String(query))),
        ]
        let size = whole.unkeptRequestSize ?? body.count
        if !body.isEmpty {
            members.append(("postData", Self.postData(body, type: fields[.contentType] ?? "")))
        }
        members += [("headersSize", -1), ("bodySize", JSON(size))]
        return JSON(members: members)
    }

    private static func postData(_ body: [UInt8], type: String) -> JSON {
        var members: Members = [("mimeType", JSON(type))]
        guard let text = String(validating: body, as: UTF8.self) else {
            let base64 = Data(body).base64EncodedString()
            return JSON(
                members: members + [("text", JSON(base64)), ("_encoding", "base64")]
            )
        }
        if type.asciiLowercased.hasPrefix("application/x-www-form-urlencoded") {
            members.append(("params", pairs(text)))
        } else if let parts = Self.parts(body, type: type) {
            members.append(("params", parts))
        }
        return JSON(members: members + [("text", JSON(text))])
    }

    /// The parts of a multipart body; nil if it is not one.
    private static func parts(_ body: [UInt8], type: String) -> JSON? {
        guard case .multipart? = DocumentFormat(contentType: type),
            let format = DocumentFormat(contentType: type)
        else { return nil }
        let opened = FormattedDocument.opening(DocumentBytes(body), as: format)
        guard opened.faults.isEmpty else { return nil }
        let parts = JSON(document: opened.document).arrayValue.map { part in
            var members: Members = [("name", JSON(part["name"].string ?? ""))]
            let file = part["filename"].string
            if file == nil, let value = part["content"].string {
                members.append(("value", JSON(value)))
            }
            if let file { members.append(("fileName", JSON(file))) }
            let type = part["headers"].members.first { $0.key.asciiLowercased == "content-type" }
            if let type = type?.value.string { members.append(("contentType", JSON(type))) }
            return JSON(members: members)
        }
        return parts.isEmpty ? nil : JSON(parts)
    }

    private func response() throws(ApusError) -> JSON {
        guard let response = whole.response else {
            // As Chrome writes it.
            let content = JSON(members: [(key: "size", value: 0), ("mimeType", "x-unknown")])
            let members: Members = [
                ("status", 0), ("statusText", ""), ("httpVersion", JSON(version)),
                ("cookies", Self.none), ("headers", Self.none), ("content", content),
                ("redirectURL", ""), ("headersSize", -1), ("bodySize", -1),
                ("_error", JSON(whole.errorText ?? "no response")),
            ]
            return JSON(members: members)
        }
        let fields = response.head.headerFields
        let isSent = whole.exchange.source == "server"
        let wire = isSent ? response.metrics?.bytesReceived : 0
        var members: Members = [
            ("status", JSON(response.status)), ("statusText", JSON(response.reasonPhrase)),
            ("httpVersion", JSON(version)), ("cookies", Self.setCookies(fields)),
            ("headers", Self.headers(fields)),
            ("content", try content(of: response, wire: isSent ? wire : nil)),
            ("redirectURL", JSON(response.isRedirect ? fields[.location] ?? "" : "")),
            ("headersSize", -1), ("bodySize", JSON(wire ?? -1)),
        ]
        if let error = whole.errorText { members.append(("_error", JSON(error))) }
        if let metrics = response.metrics { members += Self.irregular(metrics) }
        return JSON(members: members)
    }

    /// What HAR has no member for: interim responses, trailers, and lines that are not fields (HAR 1.2 allows
    /// custom members whose names begin with an underscore).
    private static func irregular(_ metrics: TransferMetrics) -> Members {
        var members: Members = []
        if !metrics.interimResponses.isEmpty {
            let responses = metrics.interimResponses.map { response in
                JSON(members: [
                    ("status", JSON(response.status.code)),
                    ("statusText", JSON(response.status.reasonPhrase)),
                    ("headers", headers(response.headerFields)),
                ])
            }
            members.append(("_interimResponses", JSON(responses)))
        }
        let trailers = metrics.trailers.map { line in
            HTTPField(line: line).map { named($0.name.rawName, $0.text) } ?? named("", line)
        }
        if !trailers.isEmpty { members.append(("_trailers", JSON(trailers))) }
        let malformed = metrics.malformedHeaderLines
        if !malformed.isEmpty {
            members.append(("_malformedHeaders", JSON(malformed.map { JSON($0) })))
        }
        return members
    }

    private func content(of response: Response, wire: Int?) throws(ApusError) -> JSON {
        let fields = response.head.headerFields
        let body = try response.body.load()
        let size = whole.unkeptSize ?? body.count
        var members: Members = [("size", JSON(size))]
        // Masks change the size, so the two sizes are comparable only for a compressed body.
        let encoding = fields[.contentEncoding]
        if let wire, encoding != nil, encoding != "identity", wire > 0 {
            members.append(("compression", JSON(size - wire)))
        }
        members.append(("mimeType", JSON(fields[.contentType] ?? "x-unknown")))
        guard !body.isEmpty else { return JSON(members: members) }
        if let text = String(validating: body, as: UTF8.self) {
            members.append(("text", JSON(text)))
        } else {
            members.append(("text", JSON(Data(body).base64EncodedString())))
            members.append(("encoding", "base64"))
        }
        return JSON(members: members)
    }

    // MARK: fields

    private static func headers(_ fields: HTTPFields) -> JSON {
        JSON(
            fields.map { field in
                guard !field.isUTF8 else { return named(field.name.rawName, field.value) }
                // Its bytes are the characters U+0000 to U+00FF.
                return JSON(members: [
                    ("name", JSON(field.name.rawName)), ("value", JSON(field.text)),
                    ("_isLatin1", true),
                ])
            }
        )
    }

    private static func named(_ name: String, _ value: String) -> JSON {
        JSON(members: [("name", JSON(name)), ("value", JSON(value))])
    }

    /// The decoded pairs of a query or a form.
    private static func pairs(_ text: String) -> JSON {
        JSON(
            text.unicodeScalars.split(separator: "&").map { pair in
                let name = pair.prefix { $0 != "=" }
                let value = pair[name.endIndex...].dropFirst()
                return named(
                    PercentEncoding.decodedForm(Substring(name)),
                    PercentEncoding.decodedForm(Substring(value))
                )
            }
        )
    }

    /// The cookies that were sent (RFC 6265, section 5.4), without masked fields, which have no cookie names.
    private static func cookies(_ fields: HTTPFields) -> JSON {
        JSON(
            fields[values: .cookie].flatMap { $0.unicodeScalars.split(separator: ";") }
                .compactMap { pair in
                    guard let mark = pair.firstIndex(of: "=") else { return nil }
                    return named(
                        String(pair[..<mark].drop { $0 == " " }),
                        String(pair[mark...].dropFirst())
                    )
                }
        )
    }

    /// The cookies that were set (RFC 6265, section 4.1).
    private static func setCookies(_ fields: HTTPFields) -> JSON {
        JSON(
            fields[values: .setCookie].compactMap { text in
                let parts = text.unicodeScalars.split(separator: ";").map { $0.drop { $0 == " " } }
                guard let pair = parts.first, let mark = pair.firstIndex(of: "=") else {
                    return nil
                }
                var members: Members = [
                    ("name", JSON(String(pair[..<mark]))),
                    ("value", JSON(String(pair[mark...].dropFirst()))),
                ]
                var flags = (isHTTPOnly: false, isSecure: false)
                for part in parts.dropFirst() {
                    let name = String(part.prefix { $0 != "=" }).asciiLowercased
                    let value = String(part.drop { $0 != "=" }.dropFirst())
                    switch name {
                    case "path": members.append(("path", JSON(value)))
                    case "domain": members.append(("domain", JSON(value)))
                    case "expires":
                        guard let date = HTTPDate.parse(value, now: Date()) else { continue }
                        members.append(("expires", JSON(ExportedFacts.time(date))))
                    case "httponly": flags.isHTTPOnly = true
                    case "secure": flags.isSecure = true
                    case "samesite": members.append(("sameSite", JSON(value)))
                    default: continue
                    }
                }
                members.append(("httpOnly", JSON(flags.isHTTPOnly)))
                members.append(("secure", JSON(flags.isSecure)))
                return JSON(members: members)
            }
        )
    }
}

extension Sequence {
    /// Groups the elements by name, in the order in which the names first occur.
    func groupedInOrder(
        by name: (Element) -> String
    ) -> [(name: String, elements: [Element])] {
        var places: [String: Int] = [:]
        return reduce(into: []) { groups, element in
            let name = name(element)
            if let place = places[name] {
                groups[place].elements.append(element)
            } else {
                places[name] = groups.count
                groups.append((name, [element]))
            }
        }
    }
}

extension Response {
    /// Whether its status is a redirect that can be followed (RFC 9110, section 15.4).
    fileprivate var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }
}

extension PreparedRequest {
    /// Changes the request as following a redirect does, as far as that is known.
    fileprivate mutating func follow(_ hop: TransferMetrics.Redirect) {
        setURL(hop.location)
        if hop.location.hasPrefix("/"), !hop.location.hasPrefix("//") { head.path = hop.location }
        head.headerFields.removeAll { hop.withheldFields.contains($0.name.rawName) }
        // Like browsers and libcurl (RFC 9110, sections 15.4.2 to 15.4.4).
        let isChanged =
            hop.status == 303 || [301, 302].contains(hop.status) && head.method == .post
        guard isChanged, head.method != .head else { return }
        head.method = .get
        body = .none
    }
}
