import Documents
import FoundationEssentials
import Synchronization

/// Finds known secrets in a text, in every form in which a text may contain them.
///
/// Each byte of a secret may be unchanged, percent-encoded in either case (RFC 3986, 2.1), percent-encoded
/// twice, encoded as a form encodes spaces, or escaped as in JSON, in any mixture. A secret is also searched
/// for in base64 and in lower case, as in host names.
///
///     text ─┬─────────────────────────▶ as it is ──────┐
///           ├─ percent-encoding read ─▶ once, twice ───┼─▶ secrets as they are ─┐
///           ├─ JSON's escapes read ───────────────────▶┘                        ├─▶ places in the text
///           └─ all read until none is left ───────────▶ secrets read so too ────┘
///
/// Each decoding is one pass over the text, and so is the search. A server that chooses tokens and also
/// writes the text in which they are searched for cannot make either slow. A byte that begins no secret costs
/// one table look-up, and a text without escapes is read once.
struct SecretMatcher: Sendable {
    /// Shorter secrets are masked only as whole words: masking `7` in every number would give it away.
    private static let shortest = PatternAutomaton.shortest

    /// The forms of the most recent sets.
    ///
    /// A workspace's requests have the same secrets again and again, and computing their forms takes longer
    /// than searching a line for them.
    private static let known = Mutex(Known())

    private struct Known {
        private static let countLimit = 64
        /// The forms take 60 to 100 times as many bytes as the secrets.
        private static let byteLimit = 512 << 10

        private(set) var sets: [Set<String>: SecretMatcher] = [:]
        private var byteCount = 0

        mutating func add(_ forms: SecretMatcher, of secrets: Set<String>) {
            let added = secrets.reduce(0) { $0 + $1.utf8.count }
            if sets.count >= Self.countLimit || byteCount + added > Self.byteLimit {
                (sets, byteCount) = ([:], 0)
            }
            sets[secrets] = forms
            byteCount += added
        }
    }

    /// The forms of some secrets.
    private final class Group: Sendable {
        let secrets: Set<String>
        let plain: PatternAutomaton
        let normalized: PatternAutomaton
        /// The secret for each form with all escapes decoded.
        ///
        /// Of several it is the least, so that other processes choose the same one.
        let origins: [[UInt8]: String]

        init(_ secrets: Set<String>) {
            self.secrets = secrets
            var plain: [(bytes: [UInt8], isBase64: Bool)] = []
            var normalized: [(bytes: [UInt8], isBase64: Bool)] = []
            var origins: [[UInt8]: String] = [:]
            for secret in secrets {
                for (text, isBase64) in SecretMatcher.texts(of: secret) {
                    let bytes = Array(text.utf8)
                    plain.append((bytes, isBase64))
                    let normal = UnescapedText(bytes).normalized().bytes
                    origins[normal] = min(origins[normal] ?? secret, secret)
                    // A form that is short only without its escapes would be found everywhere.
                    guard bytes.count < shortest || normal.count >= shortest else { continue }
                    normalized.append((normal, isBase64))
                }
            }
            self.origins = origins
            self.plain = PatternAutomaton(plain)
            self.normalized = PatternAutomaton(normalized)
        }
    }

    /// Each group has more than twice as many secrets as the next, so that there are few groups, and a secret
    /// is processed again only along with at least half as many new ones.
    private var groups: [Group] = []

    var isEmpty: Bool { groups.isEmpty }

    /// The secret that a whole text stands for; nil if it stands for none.
    func secret(as text: String) -> String? {
        if groups.contains(where: { $0.secrets.contains(text) }) { return text }
        let normal = UnescapedText(Array(text.utf8)).normalized().bytes
        // Base64 may end with `=`, which is not part of the form that is searched for.
        let encoded = Array(normal.prefix { $0 != UInt8(ascii: "=") })
        return groups.flatMap { [$0.origins[normal], $0.origins[encoded]] }.compactMap(\.self).min()
    }

    /// The forms of a set of secrets.
    static func of(_ secrets: Set<String>) -> SecretMatcher {
        let secrets = secrets.contains("") ? secrets.subtracting([""]) : secrets
        guard !secrets.isEmpty else { return SecretMatcher() }
        let sets = known.withLock { $0.sets }
        if let forms = sets[secrets] { return forms }
        // A chain adds one secret after each of its steps.
        let forms = SecretMatcher(secrets, reusing: sets.values.flatMap(\.groups))
        known.withLock { $0.add(forms, of: secrets) }
        return forms
    }

    private init(_ secrets: Set<String> = [], reusing known: [Group] = []) {
        var rest = secrets
        for group in known.sorted(by: { $0.secrets.count > $1.secrets.count })
        where isSmall(group.secrets) && group.secrets.isSubset(of: rest) {
            groups.append(group)
            rest.subtract(group.secrets)
        }
        guard !rest.isEmpty else { return }
        while !isSmall(rest), let last = groups.popLast() { rest.formUnion(last.secrets) }
        groups.append(Group(rest))
    }

    /// Whether these secrets can be the next group.
    private func isSmall(_ secrets: Set<String>) -> Bool {
        groups.last.map { $0.secrets.count > 2 * secrets.count } ?? true
    }

    /// The texts to search for.
    static func texts(of secret: String) -> [(text: String, isBase64: Bool)] {
        let texts = [secret, secret.lowercased(), PercentEncoding.decoded(secret) ?? secret]
        let encoded = secret.utf8.count >= shortest ? base64(of: secret) : []
        return texts.map { ($0, false) } + encoded.map { ($0, true) }
    }

    /// Standard and URL-safe base64, without `=` at the end.
    private static func base64(of secret: String) -> [String] {
        let standard = Data(secret.utf8).base64EncodedString().prefix { $0 != "=" }
        let forURLs = standard.replacing("+", with: "-").replacing("/", with: "_")
        return [String(standard), String(forURLs)]
    }

    // MARK: masking

    /// The text with each secret replaced by the mask for its range; nil if it contains none.
    ///
    /// If the text may have been cut, the beginning of a secret at its end is masked too.
    func masking(
        _ text: UnsafeBufferPointer<UInt8>,
        isCut: Bool = false,
        with mask: (Range<Int>) -> String
    ) -> [UInt8]? {
        guard !isEmpty, !text.isEmpty else { return nil }
        var ranges = ranges(in: text, isCut)
        for end in isCut ? Self.endsOfWhole(text) : [] {
            let whole = UnsafeBufferPointer(rebasing: text[..<end])
            let cut = self.ranges(in: whole, isCut).filter { $0.upperBound == end }
            ranges += cut.map { $0.lowerBound..<text.count }
        }
        return ranges.isEmpty ? nil : text.replacing(ranges) { range, _ in mask(range) }
    }

    /// Where a cut text may end, without a partial escape or character and without the dots that mark the
    /// cut.
    private static func endsOfWhole(_ text: UnsafeBufferPointer<UInt8>) -> [Int] {
        var end = text.count
        for tail in ["...", "\u{FFFD}"] where text[..<end].suffix(3).elementsEqual(tail.utf8) {
            end -= 3
        }
        // The longest escape, `\ud83d\ude00`, has twelve bytes and two of these signs.
        let signs = (max(0, end - 11)..<end).filter { "%\\".utf8.contains(text[$0]) }
        return [end] + signs.suffix(2)
    }

    private func ranges(in text: UnsafeBufferPointer<UInt8>, _ isCut: Bool) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        for group in groups { group.plain.find(in: text, of: text, isCut, { $0 }, &ranges) }
        let hasPercent = text.contains(UInt8(ascii: "%"))
        let hasBackslash = text.contains(UInt8(ascii: "\\"))
        guard hasPercent || hasBackslash || text.contains(UInt8(ascii: "+")) else { return ranges }
        func look(for patterns: (Group) -> PatternAutomaton, in decoded: UnescapedText) {
            decoded.bytes.withUnsafeBufferPointer { bytes in
                for group in groups {
                    let place = decoded.source(of:)
                    patterns(group).find(in: bytes, of: text, isCut, place, &ranges)
                }
            }
        }
        let whole = UnescapedText(text)
        if hasPercent {
            let once = whole.percentDecoded()
            look(for: \.plain, in: once)
            if once.bytes.contains(UInt8(ascii: "%")) {
                look(for: \.plain, in: once.percentDecoded())
            }
        }
        if hasBackslash { look(for: \.plain, in: whole.jsonDecoded()) }
        look(for: \.normalized, in: whole.normalized())
        return ranges
    }
}
