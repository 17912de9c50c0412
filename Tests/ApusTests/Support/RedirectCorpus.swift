import Testing

/// References and where they lead, for everything that resolves one: RFC 3986, section 5.4, and what servers send.
struct RedirectCorpus: Sendable, CustomTestStringConvertible {
    /// Where a redirect leads.
    enum Goal: Sendable, Equatable {
        /// The same server, with this in the request line.
        case here(String)
        /// Another server, with this in the request line.
        case there(String)
        /// Nowhere: it is an error.
        case nowhere
        /// It is no redirect.
        case answer
    }

    /// The path and query of the first request.
    let base: String
    /// The `Location`; `{here}` and `{there}` are the hosts and ports, and `\xNN` is a byte.
    let location: String
    let goal: Goal

    init(_ location: String, _ goal: Goal, from base: String = "/b/c/d;p?q") {
        (self.base, self.location, self.goal) = (base, location, goal)
    }

    var testDescription: String { "\(base) → \(location)" }

    /// The bytes of the location.
    func bytes(here: String, there: String) -> [UInt8] {
        let text = location.replacing("{here}", with: here).replacing("{there}", with: there)
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = rest.dropFirst().prefix(2)
            if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "x"),
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    static let all: [RedirectCorpus] = normal + abnormal + servers + hosts + nowhere

    /// RFC 3986, section 5.4.1.
    private static let normal: [RedirectCorpus] = [
        .init("g", .here("/b/c/g")), .init("./g", .here("/b/c/g")), .init("g/", .here("/b/c/g/")),
        .init("/g", .here("/g")), .init("//{there}", .there("/")),
        .init("?y", .here("/b/c/d;p?y")), .init("g?y", .here("/b/c/g?y")),
        .init("#s", .here("/b/c/d;p?q")), .init("g#s", .here("/b/c/g")),
        .init("g?y#s", .here("/b/c/g?y")), .init(";x", .here("/b/c/;x")),
        .init("g;x", .here("/b/c/g;x")), .init("g;x?y#s", .here("/b/c/g;x?y")),
        .init(".", .here("/b/c/")), .init("./", .here("/b/c/")), .init("..", .here("/b/")),
        .init("../", .here("/b/")), .init("../g", .here("/b/g")), .init("../..", .here("/")),
        .init("../../", .here("/")), .init("../../g", .here("/g")),
    ]

    /// RFC 3986, section 5.4.2.
    private static let abnormal: [RedirectCorpus] = [
        .init("../../../g", .here("/g")), .init("../../../../g", .here("/g")),
        .init("/./g", .here("/g")), .init("/../g", .here("/g")), .init("g.", .here("/b/c/g.")),
        .init(".g", .here("/b/c/.g")), .init("g..", .here("/b/c/g..")),
        .init("..g", .here("/b/c/..g")), .init("./../g", .here("/b/g")),
        .init("./g/.", .here("/b/c/g/")), .init("g/./h", .here("/b/c/g/h")),
        .init("g/../h", .here("/b/c/h")), .init("g;x=1/./y", .here("/b/c/g;x=1/y")),
        .init("g;x=1/../y", .here("/b/c/y")), .init("g?y/./x", .here("/b/c/g?y/./x")),
        .init("g?y/../x", .here("/b/c/g?y/../x")), .init("g#s/../x", .here("/b/c/g")),
    ]

    /// What public bug reports of clients tell.
    private static let servers: [RedirectCorpus] = [
        .init("/a/../b", .here("/b"), from: "/d/v1/s"), .init("..", .here("/d/"), from: "/d/v1/s"),
        .init("#f", .here("/d/v1/s"), from: "/d/v1/s"),
        .init("?", .here("/d/v1/s?"), from: "/d/v1/s"),
        .init("?x=../y", .here("/d/v1/s?x=../y"), from: "/d/v1/s?q"),
        // The first URL's dots stay, those that a location is resolved to do not.
        .init("g", .here("/a/g"), from: "/a/b/../c"),
        .init("?y", .here("/a/./c?y"), from: "/a/./c"),
        .init("/a//b", .here("/a//b")), .init("a//../b", .here("/b/c/a/b")),
        .init("/..", .here("/")), .init("/.", .here("/")), .init("/...", .here("/...")),
        .init("/a%2f..%2fb", .here("/a%2f..%2fb")), .init("/%2e%2e/b", .here("/%2e%2e/b")),
        .init("/b%zz?c=5%", .here("/b%zz?c=5%")), .init("/é", .here("/%C3%A9")),
        .init("caf\\xE9?\\xE9", .here("/b/c/caf%E9?%E9")), .init("/\\xFF\\xC3", .here("/%FF%C3")),
        .init("/a b", .here("/a%20b")), .init("a b?c d", .here("/b/c/a%20b?c%20d")),
        .init("  /g  ", .here("/g")), .init("\t/g\t", .here("/g")),
        .init("/a\tb", .here("/a%09b")),
        .init("/a\"<>`{|}^\\", .here("/a%22%3C%3E%60%7B%7C%7D%5E%5C")),
        .init("/d?next=%2Fhome&tag=[a]", .here("/d?next=%2Fhome&tag=%5Ba%5D")),
        .init("/a?b#c?d#e", .here("/a?b")), .init("/x:y", .here("/x:y")),
        .init("./x:y", .here("/b/c/x:y")), .init("/'!$&()*+,;=~@", .here("/'!$&()*+,;=~@")),
        .init("", .answer), .init("   ", .answer),
    ]

    private static let hosts: [RedirectCorpus] = [
        .init("http://{here}/g", .here("/g")), .init("HTTP://{here}", .here("/")),
        .init("http://{there}?y", .there("/?y")), .init("http://{there}#f", .there("/")),
        .init("http://{there}/../a/./b/..", .there("/a/")),
        .init("//{there}/a/../b", .there("/b")), .init("//{there}?a/../b", .there("/?a/../b")),
        .init("http://{there}/é", .there("/%C3%A9")), .init("//{there}/100%", .there("/100%")),
    ]

    private static let nowhere: [RedirectCorpus] = [
        .init("http:///h", .nowhere), .init("http:/h", .nowhere), .init("http:h", .nowhere),
        .init("http://", .nowhere), .init("///h", .nowhere), .init("://{there}/b", .nowhere),
        .init("a b://c", .nowhere), .init(":81/b", .nowhere), .init("http://:80/", .nowhere),
        .init("http://{there}x/", .nowhere), .init("http://127.0.0.1:99999/", .nowhere),
        .init("http://127.0.0.1:-1/", .nowhere), .init("http://a b/", .nowhere),
        .init("http://a\\xFFb/", .nowhere), .init("http://a／b/", .nowhere),
        .init("http://a%2Fb/", .nowhere), .init("http://<a>/", .nowhere),
        .init("ftp://{there}/", .nowhere), .init("javascript:alert(1)", .nowhere),
        .init("mailto:a@b", .nowhere), .init("file:///etc/passwd", .nowhere),
    ]
}
