import HTTPTypes
import Testing

@testable import Apus

struct CacheControlTests {
    @Test(
        "max-age is read, or taken for 0",
        arguments: [
            ("max-age=3600", 3600), ("MaX-aGe=3600", 3600), ("max-age=\"3600\"", 3600),
            ("max-age=003600", 3600), ("max-age='3600'", 0), ("max-age=-3600", 0),
            ("max-age=3600.0", 0), ("max-age=3600a", 0), ("max-age=a3600", 0), ("max-age", 0),
            ("max-age=", 0), ("max-age =3600", 0), ("max-age= 3600", 0), ("max-age:3600", 0),
            ("max-age 3600", 0), ("max-age=3600;x", 0), ("max-age=2147483648", 2_147_483_648),
            ("max-age=99999999999999999999999", 2_147_483_648), ("max-age=1800, max-age=1", 1),
            ("max-age=1, max-age=1800", 1), ("max-age=1800, max-age=a", 0),
            ("a=\"max-age=3600\", max-age=1", 1), ("max-age=1, a=\"max-age=3600\"", 1),
            ("a=\"b\\\", max-age=7\", max-age=1", 1), (",, max-age=5 ,,", 5),
            ("\tmax-age=5\t", 5), ("a=\", max-age=5", 5), ("foo, max-age=5, bar=1", 5),
        ]
    )
    func maxAge(_ value: String, _ seconds: Int) {
        let control = CacheControl(HTTPFields(pairs: [("Cache-Control", value)]))
        #expect(control.maxAge == .seconds(seconds))
    }

    @Test(
        "a name that is only like max-age is another directive",
        arguments: ["max-agex=1", "x-max-age=1", "a=\"max-age=3600\"", "smax-age=3", "=max-age=1"]
    )
    func otherNames(_ value: String) {
        #expect(CacheControl(HTTPFields(pairs: [("Cache-Control", value)])).maxAge == nil)
    }

    @Test(
        "no-store counts however it is written",
        arguments: [
            "no-store", "NO-STORE", "a,no-store", "no-store=x", "no-store=\"x\"", "no-store;a",
        ]
    )
    func noStore(_ value: String) {
        #expect(CacheControl(HTTPFields(pairs: [("Cache-Control", value)])).isNoStore)
    }

    @Test(
        "no-cache is about all or about fields",
        arguments: [
            ("no-cache", true, []), ("no-cache=\"a, B\"", false, ["a", "b"]),
            ("no-cache=a", false, ["a"]), ("no-cache=\"\"", true, []),
            ("no-cache, no-cache=\"a\"", true, ["a"]), ("No-Cache=\" a ,b\"", false, ["a", "b"]),
            ("a=\"no-cache\"", false, []),
        ]
    )
    func noCache(_ value: String, _ isForAll: Bool, _ names: [String]) {
        let control = CacheControl(HTTPFields(pairs: [("Cache-Control", value)]))
        #expect(control.isNoCache == isForAll)
        #expect(control.noCacheFields.map(\.canonicalName) == names)
    }

    @Test("unknown directives are kept with their arguments")
    func unknown() {
        let control = CacheControl(HTTPFields(pairs: [("Cache-Control", "Foo=\"a,b\", bar")]))
        #expect(control.directives.map(\.text) == ["foo=a,b", "bar"])
    }
}
