import HTTPTypes
import Secrets

/// A request's URL that is already in the form that `NormalizedURL` would make.
///
/// Most URLs are, and checking costs a fraction of parsing the URL: a hit in memory takes 1.2 µs from the
/// request on with this, 3.7 µs without (`Tests/Benchmarks/Cache`).
struct PlainURL {
    private let scheme: String
    private let authority: String
    private let path: String
    private let queryStart: Int

    /// Fails if the URL may need any change.
    ///
    /// Pass false for `sortsQuery` if the order of a query's pairs distinguishes URLs.
    init?(_ head: HTTPRequest, sortsQuery: Bool = true) {
        guard let scheme = head.scheme, scheme == "https" || scheme == "http",
            var authority = head.authority, var path = head.path,
            authority.withUTF8({ Self.isPlain(authority: $0, scheme) }),
            let start = path.withUTF8({ Self.queryStart(in: $0, sortsQuery) })
        else { return nil }
        self.scheme = scheme
        self.authority = authority
        self.path = path
        queryStart = start
    }

    func add(to recipe: inout KeyRecipe, withQuery: Bool) {
        recipe.append(scheme)
        recipe.append("://")
        recipe.append(authority)
        guard !withQuery else { return recipe.append(path) }
        var path = path
        path.withUTF8 { recipe.append(UnsafeBufferPointer(rebasing: $0[..<queryStart])) }
    }

    private static func isPlain(
        authority text: UnsafeBufferPointer<UInt8>,
        _ scheme: String
    ) -> Bool {
        var portStart: Int?
        for (index, byte) in text.enumerated() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "["), UInt8(ascii: "]"):
                continue
            case UInt8(ascii: ":"): portStart = index + 1
            default: return false
            }
        }
        guard let portStart else { return true }
        let port = text[portStart...]
        return !port.isEmpty && !port.elementsEqual(scheme == "https" ? "443".utf8 : "80".utf8)
    }

    /// The index of the `?`, or of the end if there is no query; nil unless the whole text is plain.
    private static func queryStart(
        in text: UnsafeBufferPointer<UInt8>,
        _ sortsQuery: Bool
    ) -> Int? {
        guard text.first == UInt8(ascii: "/") else { return nil }
        for (index, byte) in text.enumerated() {
            switch byte {
            case UInt8(ascii: "?"):
                let query = UnsafeBufferPointer(rebasing: text[(index + 1)...])
                return isPlain(query: query, sortsQuery) ? index : nil
            // A parameter of the path may be a credential.
            case UInt8(ascii: "%"), UInt8(ascii: "\\"), UInt8(ascii: ";"), 0..<0x20, 0x7F...:
                return nil
            default: break
            }
        }
        return text.count
    }

    private static func isPlain(
        query: UnsafeBufferPointer<UInt8>,
        _ sortsQuery: Bool
    ) -> Bool {
        var lastName = UnsafeBufferPointer(rebasing: query[..<0])
        var start = 0
        while true {
            var nameEnd: Int?
            var end = start
            while end < query.count, query[end] != UInt8(ascii: "&") {
                switch query[end] {
                case UInt8(ascii: "="): nameEnd = nameEnd ?? end
                case UInt8(ascii: "%"), UInt8(ascii: "\\"), UInt8(ascii: ";"), 0..<0x20, 0x7F...:
                    return false
                default: break
                }
                end += 1
            }
            let name = UnsafeBufferPointer(rebasing: query[start..<(nameEnd ?? end)])
            guard nameEnd == nil || !CredentialMask.isSecret(parameter: name),
                !sortsQuery || !name.lexicographicallyPrecedes(lastName)
            else { return false }
            guard end < query.count else { return true }
            lastName = name
            start = end + 1
        }
    }
}
