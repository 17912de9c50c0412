import Apus
import Documents
import Secrets

/// Says what is wrong with a text that is meant as a URL but is not one.
package enum URLFault {
    /// The text without the blanks, tabs and line ends around it.
    package static func trimmed(_ text: String) -> String {
        let isBlank = { (scalar: Unicode.Scalar) in
            scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r"
        }
        let scalars = text.unicodeScalars.drop(while: isBlank)
        let count = scalars.reversed().drop(while: isBlank).count
        return String(scalars.prefix(count))
    }

    /// A URL without the tabs and line ends in it, which browsers leave out too: a long one is copied in lines.
    static func joined(_ url: String) -> String {
        String(
            String.UnicodeScalarView(
                url.unicodeScalars.filter { !"\t\n\r".unicodeScalars.contains($0) }
            )
        )
    }

    /// What is wrong, and what to write; nil if the text does not look like a URL at all, or has no such fault.
    package static func words(for text: String) -> String? {
        let text = trimmed(text)
        guard !text.contains(where: \.isWhitespace) else { return nil }
        let shown = CredentialMask().masking(argument: text)
        func fault(_ words: String, _ advice: String) -> String {
            "“\(shown)” is not a URL: \(words), as in \(CredentialMask().masking(argument: advice))"
        }
        if text.hasPrefix("//") {
            let host = text.drop { $0 == "/" }
            return host.isEmpty ? nil : fault("it has no scheme", "http://\(host)")
        }
        let scheme = text.prefix {
            $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0))
        }
        let rest = text[scheme.endIndex...]
        let name = scheme.asciiLowercased
        let isHTTP = name == "http" || name == "https"
        if isHTTP, rest.hasPrefix("//") {
            return fault("a colon is missing", "\(name):\(rest)")
        }
        guard rest.hasPrefix(":") else { return nil }
        let slashes = rest.dropFirst().prefix { $0 == "/" || $0 == "\\" }
        let host = rest.dropFirst(1 + slashes.count)
        if isHTTP {
            guard slashes != "//" || host.isEmpty else { return nil }
            return host.isEmpty
                ? "“\(shown)” is not a URL: it has no host"
                : fault("two slashes stand before the host", "\(name)://\(host)")
        }
        guard rest.hasPrefix("://"), !host.isEmpty else { return nil }
        let meant = Suggestion.nearest(to: name, among: ["http", "https"])
        return meant.map { fault("the scheme “\(name)” is not known", "\($0)://\(host)") }
            ?? "the scheme “\(name)” is not supported: URLs begin with http:// or https://"
    }
}
