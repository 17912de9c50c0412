import Apus

/// A text with `{{ name }}` in it.
///
/// `\{{` stands for the braces themselves. `{{ name | raw }}` puts the value in as it is, where
/// it would be escaped or refused otherwise.
struct Template: Sendable {
    /// A `{{ name }}` and where it stands.
    struct Reference: Sendable {
        let name: String
        let isRaw: Bool
        private let start: Span
        private let index: Int
        private let length: Int

        init(_ name: String, isRaw: Bool = false, marker index: Int, of start: Span, length: Int) {
            self.name = name
            self.isRaw = isRaw
            self.start = start
            self.index = index
            self.length = length
        }

        /// Where it stands; looked for only when something is wrong with it, for a line may be long.
        var span: Span { MarkerFinder.span(ofMarker: index, from: start, length: length) }
    }

    enum Segment: Sendable {
        case literal(String)
        case name(Reference)
    }

    let segments: [Segment]
    /// The text as written.
    let text: String
    let span: Span

    /// Parses `text`; faults are logged, and stand in it as they are.
    init(_ text: String, _ span: Span, _ log: ProblemLog) {
        var parser = TemplateParser(text: text, span: span, log: log)
        segments = parser.parse()
        self.text = text
        self.span = span
    }

    /// The variables that it names.
    var names: [String] {
        segments.compactMap { if case .name(let reference) = $0 { reference.name } else { nil } }
    }

    /// The variables that it names where a URL has a credential: the value of a parameter with a
    /// credential's name, or a password before the host.
    ///
    /// By bytes, each looked at a few times however many names there are.
    var credentialNames: [String] {
        var url: [UInt8] = []
        var places: [(at: Int, name: String)] = []
        for segment in segments {
            switch segment {
            case .literal(let text): url += text.utf8
            case .name(let reference):
                places.append((url.count, reference.name))
                url.append(UInt8(ascii: "_"))
            }
        }
        guard !places.isEmpty else { return [] }
        let password = Self.password(in: url)
        var found: [String] = []
        var read = 0
        // The `?`, `&` or `#` of the parameter that is read, and whether its value is a credential.
        var start: Int?
        var isCredential: Bool?
        for place in places {
            for at in read..<place.at {
                switch url[at] {
                case UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: "#"):
                    (start, isCredential) = (at, nil)
                case UInt8(ascii: "="):
                    guard let start, isCredential == nil else { continue }
                    let name = String(decoding: url[(start + 1)..<at], as: UTF8.self)
                    isCredential = CredentialMask.isSecret(parameter: name)
                default: continue
                }
            }
            read = place.at
            if isCredential == true || password.contains(place.at) { found.append(place.name) }
        }
        return found
    }

    /// What stands between `://user:` and `@`; empty for nothing.
    private static func password(in url: [UInt8]) -> Range<Int> {
        guard let start = url.firstRange(of: "://".utf8)?.upperBound,
            let end = url[start...].firstIndex(where: { "/?#@".utf8.contains($0) }),
            url[end] == UInt8(ascii: "@"),
            let colon = url[start..<end].firstIndex(of: UInt8(ascii: ":"))
        else { return 0..<0 }
        return colon + 1..<end
    }

    /// The reference, if the template is just `{{ name }}`.
    var onlyReference: Reference? {
        if segments.count == 1, case .name(let reference) = segments[0] { reference } else { nil }
    }
}
