import Documents
import FoundationEssentials
public import HTTPTypes

extension HTTPFields {
    /// The default header fields of a provider's requests: `Accept-Language` with the languages of the user, as
    /// the process's environment names them.
    ///
    /// It is empty if the environment names no language, as with `LANG=C`, and has no other field. What the
    /// transport adds by itself is ``Transport/addedFields(to:)``.
    public static let standard: HTTPFields = {
        guard let languages = acceptLanguage(in: ProcessInfo.processInfo.environment) else {
            return [:]
        }
        return [.acceptLanguage: languages]
    }()

    /// The languages of an environment by preference, as a field's value (RFC 9110, 12.5.4); nil for none.
    ///
    /// Follows gettext: the locale is the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is not empty. Unless
    /// that is `C`, a list in `LANGUAGE` is used instead.
    static func acceptLanguage(in environment: [String: String]) -> String? {
        let set = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }
        guard let locale = set.first(where: { !$0.isEmpty }), let own = languageTag(locale) else {
            return nil
        }
        var tags = (environment["LANGUAGE"] ?? "").split(separator: ":")
            .compactMap { languageTag(String($0)) }
        if tags.isEmpty { tags = [own] }
        // Many servers compare whole tags and do not match "de-AT" with their "de", so "de" is added.
        var listed: [String] = []
        for (index, tag) in tags.enumerated() {
            let language = String(tag.prefix { $0 != "-" })
            let isNamedLater = tags[(index + 1)...].contains { $0.prefix { $0 != "-" } == language }
            for tag in isNamedLater ? [tag] : [tag, language] where !listed.contains(tag) {
                listed.append(tag)
            }
        }
        // Six, as in most clients: weights have one digit, and a longer list would help to track the user.
        return listed.prefix(6).enumerated()
            .map { $0.offset == 0 ? $0.element : "\($0.element);q=0.\(10 - $0.offset)" }
            .joined(separator: ", ")
    }

    /// `de-AT` for `de_AT.UTF-8@euro`; nil for `C`, `POSIX` and anything else that is not a language (RFC 5646, 2.1).
    private static func languageTag(_ locale: String) -> String? {
        let name = locale.prefix { $0 != "." && $0 != "@" }
        let parts = name.split(separator: "_", omittingEmptySubsequences: false)
        guard let language = parts.first, (2...3).contains(language.utf8.count), parts.count <= 2,
            language.utf8.allSatisfy({ ($0 | 0x20) &- 0x61 < 26 })
        else { return nil }
        guard let region = parts.dropFirst().first else { return language.asciiLowercased }
        let isRegion =
            region.utf8.count == 2 && region.utf8.allSatisfy { ($0 | 0x20) &- 0x61 < 26 }
            || region.utf8.count == 3 && region.utf8.allSatisfy { $0 &- 0x30 < 10 }
        return isRegion ? "\(language.asciiLowercased)-\(region.asciiUppercased)" : nil
    }
}
