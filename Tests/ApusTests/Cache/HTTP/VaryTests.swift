import HTTPTypes
import Testing

@testable import Apus

struct VaryTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let vary: [String]
        let first: [(String, String)]
        let second: [(String, String)]
        let isReused: Bool

        init(
            _ name: String,
            _ vary: [String],
            _ first: [(String, String)],
            _ second: [(String, String)],
            _ isReused: Bool
        ) {
            testDescription = name
            self.vary = vary
            self.first = first
            self.second = second
            self.isReused = isReused
        }
    }

    static let cases: [Case] = [
        Case("the same value", ["Foo"], [("Foo", "1")], [("foo", "1")], true),
        Case("another value", ["Foo"], [("Foo", "1")], [("Foo", "2")], false),
        Case("missing later", ["Foo"], [("Foo", "1")], [], false),
        Case("missing first", ["Foo"], [], [("Foo", "1")], false),
        Case("missing in both", ["Foo"], [], [("Bar", "1")], true),
        Case("empty is not missing", ["Foo"], [], [("Foo", "")], false),
        Case(
            "a value that looks like a digest",
            ["Accept"],
            [("Accept", "hmac-sha256-a/b")],
            [("Accept", "hmac-sha256-a/b")],
            true
        ),
        Case(
            "two that match",
            ["Foo, Bar"],
            [("Foo", "1"), ("Bar", "a")],
            [("Bar", "a"), ("Foo", "1")],
            true
        ),
        Case(
            "one of two",
            ["Foo, Bar"],
            [("Foo", "1"), ("Bar", "a")],
            [("Foo", "1"), ("Bar", "b")],
            false
        ),
        Case(
            "two lines",
            ["Foo", "Bar"],
            [("Foo", "1"), ("Bar", "a")],
            [("Foo", "1"), ("Bar", "b")],
            false
        ),
        Case(
            "another field",
            ["Foo"],
            [("Foo", "1"), ("Bar", "a")],
            [("Foo", "1"), ("Bar", "b")],
            true
        ),
        Case("*", ["*"], [("Foo", "1")], [("Foo", "1")], false),
        Case("* among names", ["Foo, *"], [("Foo", "1")], [("Foo", "1")], false),
        Case("* on another line", ["Foo", "*"], [("Foo", "1")], [("Foo", "1")], false),
        Case("empty members", [",, Foo"], [("Foo", "1")], [("Foo", "2")], false),
        Case("an empty field", [""], [("Foo", "1")], [("Foo", "2")], true),
        Case("no name at all", ["Foo Bar"], [], [], false),
        Case("lines joined", ["Foo"], [("Foo", "1"), ("Foo", "2")], [("Foo", "1, 2")], true),
        Case("blanks at commas", ["Foo"], [("Foo", "1,2")], [("Foo", "1 , 2")], true),
        Case("blanks in quotes", ["Foo"], [("Foo", "\"1,2\"")], [("Foo", "\"1, 2\"")], false),
        Case("order of unknown lists", ["Foo"], [("Foo", "1, 2")], [("Foo", "2, 1")], false),
        Case("case of unknown values", ["Foo"], [("Foo", "a")], [("Foo", "A")], false),
        Case(
            "case of languages",
            ["Accept-Language"],
            [("Accept-Language", "en-GB")],
            [("Accept-Language", "EN-gb")],
            true
        ),
        Case(
            "order of languages",
            ["Accept-Language"],
            [("Accept-Language", "en, de")],
            [("Accept-Language", "de,en")],
            true
        ),
        Case(
            "full weight",
            ["Accept-Language"],
            [("Accept-Language", "en;q=1.0, de;q=0.5")],
            [("Accept-Language", "de; q=0.5, en")],
            true
        ),
        Case(
            "other weights",
            ["Accept-Language"],
            [("Accept-Language", "en, de;q=0.5")],
            [("Accept-Language", "de, en;q=0.5")],
            false
        ),
        Case(
            "other languages",
            ["Accept-Language"],
            [("Accept-Language", "en")],
            [("Accept-Language", "en, de")],
            false
        ),
        Case(
            "a comma in a user agent",
            ["User-Agent"],
            [("User-Agent", "a (b,c)")],
            [("User-Agent", "a (b, c)")],
            false
        ),
    ]

    @Test("a response is for requests with the same fields", arguments: cases)
    func reuse(_ test: Case) {
        var cache = CacheModel()
        let fields = [("Cache-Control", "max-age=60")] + test.vary.map { ("Vary", $0) }
        cache.send(test.first, response: .make(200, fields))
        #expect(cache.send(test.second, after: 1) == (test.isReused ? .cache : .origin))
    }

    @Test("several variants are kept side by side")
    func variants() {
        var cache = CacheModel()
        for value in ["1", "2"] {
            let fields = [("Cache-Control", "max-age=60"), ("Vary", "Foo"), ("Body", value)]
            #expect(cache.send([("Foo", value)], response: .make(200, fields)) == .origin)
        }
        for value in ["1", "2"] {
            #expect(cache.send([("Foo", value)], after: 1) == .cache)
            let body = cache.answer?.headerFields.first { $0.name.canonicalName == "body" }
            #expect(body?.value == value)
        }
    }

    @Test("of several that fit, one with Vary and then the most recent is taken")
    func choice() {
        let heads: [StoredHead] = [
            .make(id: 1, [("Date", httpDate(10))]),
            .make(id: 2, [("Date", httpDate(-20)), ("Vary", "Foo")]),
            .make(id: 3, [("Date", httpDate(-10)), ("Vary", "Foo")]),
        ]
        let selection = VariantSelection(of: heads, for: HTTPFields())
        #expect(selection.matching.map(\.id) == [3, 2, 1])
    }

    @Test("a variant's tag is sent for other fields, and its response kept for them")
    func otherVariantsTag() {
        var cache = CacheModel()
        let fields = [("Cache-Control", "max-age=60"), ("Vary", "Foo"), ("ETag", "\"a\"")]
        cache.send([("Foo", "1")], response: .make(200, fields))
        let source = cache.send([("Foo", "2")], response: .make(304, [("ETag", "\"a\"")]))
        #expect(source == .validated)
        #expect(cache.sent?.headerFields[.ifNoneMatch] == "\"a\"")
        #expect(cache.answer?.status == .ok)
        #expect(cache.send([("Foo", "2")], after: 1) == .cache)
        #expect(cache.send([("Foo", "1")], after: 1) == .cache)
    }

    @Test("only the fields that Vary names are kept of the request")
    func selecting() {
        var cache = CacheModel()
        let fields = [("Cache-Control", "max-age=60"), ("Vary", "Foo")]
        cache.send([("Foo", "1"), ("Authorization", "Basic x")], response: .make(200, fields))
        #expect(cache.stored.first?.selecting.members.map(\.name) == ["foo"])
    }

    @Test("more than 64 names count as *", arguments: [(64, false), (65, true), (90_000, true)])
    func manyNames(count: Int, isEverything: Bool) {
        let lines = (0..<count).map { "X-\($0)" }
        let vary = Vary(HTTPFields(pairs: [("Vary", lines.joined(separator: ", "))]))
        #expect((vary == .everything) == isEverything)
        // The rest is not even looked at.
        let members = FieldList(lines, limit: 65).members
        #expect(members.count == min(count, 65) && members.first == "X-0")
    }

    @Test("what may be a credential is kept as a digest, another one for each response")
    func digests() {
        let request = HTTPFields(pairs: [("X-Own", "s3cret"), ("Accept-Language", "de, EN;q=1.0")])
        let names = ["X-Own", "Accept-Language", "Cookie"].compactMap { HTTPField.Name($0) }
        let (one, other) = (
            SelectingFields(names, of: request), SelectingFields(names, of: request)
        )
        #expect(one.members.map(\.name) == ["accept-language", "x-own"])
        #expect(one.members.first?.value == "de\nen")
        #expect(one.members.last?.value.hasPrefix("hmac-sha256-") == true)
        #expect(one.members.last != other.members.last)
        for name in names { #expect(one.fits(name, of: request) && other.fits(name, of: request)) }
        let another = HTTPFields(pairs: [("X-Own", "s3cret2"), ("Cookie", "a=1")])
        for name in names { #expect(!one.fits(name, of: another)) }
    }

    @Test("a response that no request can get makes room for the next, and lends its tag")
    func everythingIsSuperseded() {
        var cache = CacheModel()
        let fields = [("Cache-Control", "max-age=60"), ("Vary", "*"), ("ETag", "\"a\"")]
        for _ in 0..<3 { cache.send(response: .make(200, fields)) }
        #expect(cache.stored.count == 1)
        #expect(cache.send(response: .make(304, [("ETag", "\"a\"")])) == .validated)
        #expect(cache.answer?.status == .ok)
    }
}
