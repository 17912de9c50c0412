import CIDN2
import Documents

/// Hosts in the one spelling that is sent, compared and shown: ASCII, as DNS has it (RFC 5890, UTS 46).
///
/// ```
/// Bücher。example ─┐
/// b%C3%BCcher.example ─┼─▶ xn--bcher-kva.example ─▶ URLs, `Host`, keys of caches and cookies, the history
/// xn--bcher-kva.example ─┘
/// ```
/// The ASCII form cannot be mistaken for another host, so it is what people see too.
package enum HostName {
    /// The authority of a URL with its host in ASCII; a user, a port and an address in brackets stay.
    package static func authority(_ text: String) throws(HostNameError) -> String {
        guard text.utf8.contains(where: isForeign) else { return text }
        let scalars = text.unicodeScalars
        // By scalars, not characters: an `@` with a combining accent is still an `@` to libcurl.
        let start = scalars.lastIndex(of: "@").map { scalars.index(after: $0) } ?? text.startIndex
        guard scalars[start...].first != "[" else { return text }
        let host = Substring(scalars[start...].prefix { $0 != ":" })
        return "\(text[..<start])\(try ascii(host))\(text[host.endIndex...])"
    }

    /// An absolute URL with its host in ASCII; a text without a scheme is returned as it is.
    package static func url(_ text: String) throws(HostNameError) -> String {
        guard let start = text.utf8.firstRange(of: "://".utf8)?.upperBound else { return text }
        let rest = text.unicodeScalars[start...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let ascii = try self.authority(String(authority))
        return "\(text[..<start])\(ascii)\(text[authority.endIndex...])"
    }

    /// A host in ASCII; one that is ASCII without escapes stays as it is.
    package static func ascii(_ host: some StringProtocol) throws(HostNameError) -> String {
        guard host.utf8.contains(where: isForeign) else { return String(host) }
        guard let text = PercentEncoding.decoded(host) else {
            throw HostNameError(detail: "it is not UTF-8")
        }
        // Control characters are refused here, because libidn2's text ends at a NUL.
        guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
            throw HostNameError(detail: "it has a blank or a control character in it")
        }
        let ascii = try text.utf8.contains { $0 >= 0x80 } ? converted(text) : text
        try check(ascii)
        return ascii
    }

    /// A host for comparison: in lower case and ASCII.
    ///
    /// One that is not a valid host is comparable only to itself.
    package static func comparable(_ host: some StringProtocol) -> String {
        // `try?`, because what cannot be sent has no equal.
        ((try? ascii(host)) ?? String(host)).asciiLowercased
    }

    private static func isForeign(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte == UInt8(ascii: "%")
    }

    private static func converted(_ host: String) throws(HostNameError) -> String {
        do throws(IDNError) {
            return try libraryForm(of: host, isTransitional: false)
        } catch {
            guard case .disallowed = error else { throw fault(error) }
            // UTS 46 allows symbols, such as emoji, and IDNA 2008 does not; only libidn2's transitional
            // processing accepts them. It would also change four characters, so such labels are left out.
            return try labels(of: host).map(label).joined(separator: ".")
        }
    }

    private static func label(_ label: Substring) throws(HostNameError) -> String {
        guard label.utf8.contains(where: { $0 >= 0x80 }) else { return label.asciiLowercased }
        let isDeviating = label.unicodeScalars.contains(where: deviations.contains)
        do throws(IDNError) {
            do throws(IDNError) {
                return try libraryForm(of: String(label), isTransitional: false)
            } catch {
                guard case .disallowed = error, !isDeviating else { throw error }
                return try libraryForm(of: String(label), isTransitional: true)
            }
        } catch {
            throw fault(error)
        }
    }

    /// The characters that transitional processing changes (UTS 46, section 6): ß, ς and the joiners.
    private static let deviations: Set<Unicode.Scalar> = ["ß", "ẞ", "ς", "\u{200C}", "\u{200D}"]

    /// The dots that part labels (UTS 46, section 2.3).
    package static let dots: Set<Character> = [".", "。", "．", "｡"]

    private static func labels(of host: String) -> [Substring] {
        host.unicodeScalars.split(omittingEmptySubsequences: false) { dots.contains(Character($0)) }
            .map { Substring($0) }
    }

    /// Mapping may make any ASCII character, such as the `/` of `℀` or `／`, which would change where a URL leads.
    private static func check(_ host: String) throws(HostNameError) {
        for byte in host.utf8 where !isOfName(byte) {
            let sign = Character(Unicode.Scalar(byte))
            throw HostNameError(detail: "“\(sign)” cannot be part of a host")
        }
        let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        // A dot at the end stands for the root of DNS.
        let named = labels.last?.isEmpty == true ? labels.dropLast() : labels[...]
        guard !named.isEmpty, named.allSatisfy({ !$0.isEmpty }) else {
            throw HostNameError(detail: "it has an empty label")
        }
        guard named.allSatisfy({ $0.count <= 63 }), host.utf8.count <= 254 else { throw tooLong }
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static let tooLong = HostNameError(
        detail: "a label is longer than 63 bytes, or the host longer than 253, in its ASCII form"
    )

    // MARK: libidn2

    private enum IDNError: Error {
        case missing(String)
        case disallowed
        case tooLong
        case invalid(String)
    }

    private static func libraryForm(
        of host: String,
        isTransitional: Bool
    ) throws(IDNError) -> String {
        var ascii: UnsafeMutablePointer<CChar>?
        var words: UnsafePointer<CChar>?
        let result = cidn2_convert(host, isTransitional ? 1 : 0, &ascii, &words)
        defer { cidn2_free(ascii) }
        if Int(result) == CIDN2_OK, let ascii { return String(cString: ascii) }
        let detail = words.map { String(cString: $0) } ?? ""
        switch Int(result) {
        case CIDN2_MISSING: throw .missing(detail)
        case CIDN2_DISALLOWED: throw .disallowed
        case CIDN2_TOO_LONG: throw .tooLong
        default: throw .invalid(detail)
        }
    }

    private static func fault(_ fault: IDNError) -> HostNameError {
        switch fault {
        case .missing(let why):
            HostNameError(
                detail: "international hosts need libidn2, which could not be loaded (\(why))"
            )
        case .disallowed: HostNameError(detail: "a character in it is not allowed in hosts")
        case .tooLong: tooLong
        case .invalid(let why): HostNameError(detail: why)
        }
    }
}

/// Why a text is not a host.
package struct HostNameError: Error, Hashable {
    /// In words: "a label is longer than 63 bytes".
    package let detail: String
}
