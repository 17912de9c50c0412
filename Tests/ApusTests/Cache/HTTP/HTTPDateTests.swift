import Documents
import FoundationEssentials
import Testing

@testable import Apus

struct HTTPDateTests {
    static let moment = Date(timeIntervalSince1970: 784_111_777)

    @Test(
        "the three formats are read, in any case",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994", "sun, 06 NOV 1994 08:49:37 gmt", "Sun Nov 06 08:49:37 1994",
        ]
    )
    func formats(_ text: String) {
        #expect(HTTPDate.parse(text, now: CacheModel.start) == Self.moment)
    }

    @Test(
        "what is nearly a date is none",
        arguments: [
            "", "0", "-1", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 UTC",
            "Sun, 06 Nov 1994 08:49:37 AEST", "Sun, 06 Nov 1994 08:49:37 +0000",
            "Sun, 6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
            "Sun 06 Nov 1994 08:49:37 GMT", "Sun,  06 Nov 1994 08:49:37 GMT",
            "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
            "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
            "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:60:37 GMT",
            "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 29 Feb 1900 08:49:37 GMT",
            "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 06 Foo 1994 08:49:37 GMT",
            "Foo, 06 Nov 1994 08:49:37 GMT", "06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 GMT x", "1994-11-06T08:49:37Z", "Sun Nov 6 08:49:37 1994",
            "Sun, 06-Nov-94 08:49:37 GMT", "Sunday, 06 Nov 1994 08:49:37 GMT",
        ]
    )
    func invalid(_ text: String) {
        #expect(HTTPDate.parse(text, now: CacheModel.start) == nil)
    }

    @Test(
        "a year of two digits is at most 50 years ahead",
        arguments: [("94", 1994), ("26", 2026), ("75", 2075), ("77", 1977), ("00", 2000)]
    )
    func century(_ year: String, _ full: Int) {
        let short = HTTPDate.parse("Sunday, 06-Nov-\(year) 08:49:37 GMT", now: CacheModel.start)
        let long = HTTPDate.parse("Sun, 06 Nov \(full) 08:49:37 GMT", now: CacheModel.start)
        #expect(short == long && short != nil)
    }

    @Test("what is written is read again, over all days of 800 years")
    func roundTrip() {
        for day in stride(from: -146_097, to: 146_097, by: 13) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 3_723)
            let text = HTTPDate.format(date)
            #expect(HTTPDate.parse(text, now: CacheModel.start) == date, "\(text)")
        }
        #expect(HTTPDate.format(Self.moment) == "Sun, 06 Nov 1994 08:49:37 GMT")
    }
}
