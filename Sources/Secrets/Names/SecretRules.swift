package import Documents

/// A workspace's own rules about secrets: their names, and what they look like.
///
///     names      X-Session: ••1     ?sig=••2     pin=••3     {"user": {"pin": "••3"}}
///     patterns   \d{16}             matched in every text as it is, and with its escapes read
package struct SecretRules: Sendable {
    /// The names of header fields, parameters of URLs and forms, and members of JSON, as given and in lower
    /// case.
    package private(set) var names: Set<String> = []
    /// What the secrets look like.
    package private(set) var patterns: [RegularExpression] = []

    /// Creates rules; names are matched in any case.
    package init(names: some Sequence<String> = [], patterns: [RegularExpression] = []) {
        self.names = Set(names.flatMap { [$0, $0.lowercased()] })
        self.patterns = patterns
    }

    /// Whether there are no rules.
    package var isEmpty: Bool { names.isEmpty && patterns.isEmpty }

    /// Adds other rules; patterns that are already there are skipped.
    package mutating func formUnion(_ other: SecretRules) {
        names.formUnion(other.names)
        patterns += other.patterns.filter { new in
            !patterns.contains { $0.pattern == new.pattern }
        }
    }

    /// Whether something with this name, which has no escapes, is a secret.
    ///
    /// The last part of `user[pin]` or `user.pin` may be one of the names.
    package func contains(_ name: String) -> Bool {
        guard !names.isEmpty else { return false }
        let small = name.lowercased()
        if names.contains(small) { return true }
        return small.utf8.split { "[].".utf8.contains($0) }.last
            .map { names.contains(String(decoding: $0, as: UTF8.self)) } ?? false
    }

    /// The patterns' matches in a text, by their range.
    ///
    /// Masks in the text are skipped, and the text on either side of one is matched separately. A text that a
    /// pattern gives up on, or with more than 100,000 matches, is a secret as a whole.
    func matches(in text: UnsafeBufferPointer<UInt8>) -> [Range<Int>: String] {
        guard !patterns.isEmpty else { return [:] }
        var found: [Range<Int>: String] = [:]
        for piece in Self.piecesBetweenMasks(of: text) {
            let bytes = text[piece]
            let plain = UnescapedText(bytes)
            var readings = [plain]
            let hasPercent = bytes.contains(UInt8(ascii: "%"))
            if hasPercent { readings.append(plain.percentDecoded()) }
            if hasPercent || bytes.contains(UInt8(ascii: "+")) {
                // A form's space (WHATWG URL, section 5).
                let spaced = bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
                readings.append(UnescapedText(spaced).percentDecoded())
            }
            if bytes.contains(UInt8(ascii: "\\")) { readings.append(plain.jsonDecoded()) }
            for reading in readings {
                for (range, secret) in matches(in: reading) {
                    let place = reading.source(of: range)
                    found[
                        place.lowerBound + piece.lowerBound..<place.upperBound + piece.lowerBound
                    ] =
                        secret
                }
            }
        }
        return found
    }

    private static let matchLimit = 100_000

    private func matches(in reading: UnescapedText) -> [(Range<Int>, String)] {
        reading.bytes.withUnsafeBufferPointer { bytes in
            do throws(RegularExpressionError) {
                var found: [(Range<Int>, String)] = []
                for pattern in patterns {
                    for range in try pattern.matches(in: bytes, limit: Self.matchLimit) {
                        found.append((range, String(decoding: bytes[range], as: UTF8.self)))
                    }
                }
                return found
            } catch {
                return [(bytes.indices, String(decoding: bytes, as: UTF8.self))]
            }
        }
    }

    /// The parts of a text that are not masks (`••1`, `••••••`), without empty ones.
    private static func piecesBetweenMasks(of text: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        let masks = Mask.all(in: text).map(\.range)
        return zip([0] + masks.map(\.upperBound), masks.map(\.lowerBound) + [text.count])
            .filter { $0 < $1 }.map { $0..<$1 }
    }
}

extension SecretRules: Hashable {
    package static func == (one: SecretRules, other: SecretRules) -> Bool {
        one.names == other.names && one.patterns.map(\.pattern) == other.patterns.map(\.pattern)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(names)
        hasher.combine(patterns.map(\.pattern))
    }
}
