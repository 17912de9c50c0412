import Apus
import Documents
import Secrets

/// A request's URL while its template is filled in.
///
/// ```
/// {{ host }}/users/{{ id }}/posts?tag={{ tag }}
/// └─ raw ──┘       └segment┘          └─value─┘
/// ```
/// A value in a path stays one segment, and in a query one value, unless the template says `raw`. Before the
/// path, the workspace's values are inserted unchanged. A response's value can begin a URL only as a link: a
/// whole URL, or a path from its root.
struct RequestURLBuilder {
    /// The part of a URL that its next byte belongs to (RFC 3986, section 3).
    private enum Place {
        case start, scheme, colon, slash, authority, path, query, fragment
    }

    /// Why a value is not allowed where the template has it.
    enum Fault: Error {
        /// It comes from a response and would name the scheme, the host or the port.
        case origin(ResolvedPart)
        /// It would make a segment empty, `.` or `..`.
        case segment(ResolvedPart, String)
    }

    /// The URL so far, as it is sent and as it is shown.
    private(set) var text = ResolvedText("")
    /// The response's value that the URL begins with; nil if the URL begins with the workspace's own text.
    private(set) var link: ResolvedPart?
    private var place = Place.start
    /// The bytes of the current segment, and the first escaped value in it.
    private var segment: [UInt8] = []
    private var filled: ResolvedPart?
    /// A response's value before the path.
    private var early: ResolvedPart?

    init(_ parts: [ResolvedPart]) throws(Fault) {
        for part in parts { try append(part) }
        try endSegment()
    }

    private mutating func append(_ part: ResolvedPart) throws(Fault) {
        guard let reference = part.reference, !reference.isRaw else {
            return try append(asWritten: part.text)
        }
        switch place {
        case .start where part.text.isFromResponse && Self.isLink(part.text.text):
            link = part
            try append(asWritten: part.text)
        case .start where !part.text.isFromResponse: try append(asWritten: part.text)
        case .scheme, .colon, .slash, .authority:
            guard part.text.isFromResponse else { return try append(asWritten: part.text) }
            early = part
            try append(escaped: part)
        case .start, .path, .query, .fragment: try append(escaped: part)
        }
        if place == .authority, let early { throw .origin(early) }
    }

    private mutating func append(asWritten more: ResolvedText) throws(Fault) {
        text += more
        for byte in more.text.utf8 { try pass(byte) }
        if place == .authority, let early { throw .origin(early) }
    }

    private mutating func append(escaped part: ResolvedPart) throws(Fault) {
        let escaped = PercentEncoding.component(part.text.text)
        let shown = part.text.shown == part.text.text ? escaped : Self.shown(part.text.shown)
        text += ResolvedText(escaped, shown: shown, isFromResponse: part.text.isFromResponse)
        // Set here too, because an empty text has no bytes that would begin the path.
        if place == .start || place == .path, filled == nil { filled = part }
        if place == .start { place = .path }
        for byte in escaped.utf8 { try pass(byte) }
    }

    private mutating func pass(_ byte: UInt8) throws(Fault) {
        switch (place, byte) {
        case (.colon, UInt8(ascii: "/")): place = .slash
        case (.slash, UInt8(ascii: "/")):
            place = .authority
            if let early { throw .origin(early) }
        case (.scheme, UInt8(ascii: ":")): place = .colon
        case (.start, _) where Self.isLetter(byte): place = .scheme
        case (.scheme, _) where Self.isLetter(byte) || "+-.0123456789".utf8.contains(byte): break
        case (.query, UInt8(ascii: "#")): place = .fragment
        case (.query, _), (.fragment, _): break
        case (_, UInt8(ascii: "?")):
            try endSegment()
            place = .query
        case (_, UInt8(ascii: "#")):
            try endSegment()
            place = .fragment
        case (.authority, _) where byte != UInt8(ascii: "/"): break
        case (_, UInt8(ascii: "/")):
            try endSegment()
            place = .path
        default:
            place = .path
            segment.append(byte)
        }
    }

    /// Refuses a segment that changes where the path leads.
    ///
    /// Escaping does not help: servers and libcurl resolve `%2e%2e` as they do `..`. An empty segment from a
    /// response is refused as well, because `DELETE /users/` is not what `DELETE /users/{{ id }}` means.
    private mutating func endSegment() throws(Fault) {
        defer {
            segment = []
            filled = nil
        }
        guard place == .path || place == .start, let filled else { return }
        let name = String(decoding: segment, as: UTF8.self).replacing("%2e", with: ".")
            .replacing("%2E", with: ".")
        if name == "." || name == ".." || name.isEmpty && filled.text.isFromResponse {
            throw .segment(filled, name)
        }
    }

    private static func isLink(_ text: String) -> Bool { isWhole(text) || text.hasPrefix("/") }

    /// Whether a text is a whole URL rather than a path.
    static func isWhole(_ text: String) -> Bool {
        let start = text.prefix(8).asciiLowercased
        return start.hasPrefix("http://") || start.hasPrefix("https://")
    }

    /// Escapes a text for display, except masks.
    private static func shown(_ text: String) -> String {
        // Stands for a value that is supplied later.
        if text.hasPrefix("{{ "), text.hasSuffix(" }}") { return text }
        return text.split(separator: CredentialMask.mask, omittingEmptySubsequences: false)
            .map { PercentEncoding.component(String($0)) }
            .joined(separator: CredentialMask.mask)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
