import FoundationEssentials
import Testing

@testable import Documents

@Suite("Transforms")
struct MappingTransformTests {
    @Test("dates go by seconds, milliseconds and ISO 8601, both ways")
    func transformsDates() {
        let date = Date(timeIntervalSince1970: 981_173_106.5)
        #expect(SecondsDateTransform().value(from: 981_173_106.5) == date)
        #expect(SecondsDateTransform().value(from: "981173106.5") == date)
        #expect(SecondsDateTransform().json(from: date) == 981_173_106.5)
        #expect(MillisecondsDateTransform().value(from: 981_173_106_500) == date)
        #expect(MillisecondsDateTransform().json(from: date)?.text() == "981173106500")
        let iso = ISO8601DateTransform(writesFraction: true)
        #expect(iso.value(from: "2001-02-03T04:05:06.500Z") == date)
        #expect(iso.json(from: date) == "2001-02-03T04:05:06.500Z")
        #expect(iso.value(from: "yesterday") == nil)
    }

    @Test(
        "dates go by a format",
        arguments: [
            ("yyyy-MM-dd HH:mm:ss", "2001-02-03 04:05:06", 981_173_106),
            ("dd.MM.yyyy", "29.02.2000", 951_782_400),
            ("yyyy-MM-dd'T'HH:mm:ss.SSSZ", "1969-12-31T23:59:59.500Z", -0.5),
            ("yyyyMMdd", "16000229", -11_670_998_400),
            ("HH 'o''clock'", "07 o'clock", 25_200),
        ] as [(String, String, Double)]
    )
    func transformsFormats(format: String, text: String, seconds: Double) {
        let transform = FormattedDateTransform(format)
        let date = Date(timeIntervalSince1970: seconds)
        #expect(transform.value(from: JSON(text)) == date)
        #expect(transform.json(from: date) == JSON(text))
    }

    @Test("an offset moves a date")
    func readsOffsets() {
        let transform = FormattedDateTransform("yyyy-MM-dd HH:mmZ", offsetFromUTC: .seconds(7200))
        let date = Date(timeIntervalSince1970: 0)
        #expect(transform.value(from: "1970-01-01 01:30+01:30") == date)
        #expect(transform.value(from: "1969-12-31 19:00-0500") == date)
        #expect(transform.json(from: date) == "1970-01-01 02:00+02:00")
    }

    @Test(
        "offsets that no clock has are refused",
        arguments: ["+99:99", "+24:00", "-0060", "+1:00", "00:00"]
    )
    func refusesOffsets(offset: String) {
        let transform = FormattedDateTransform("yyyy-MM-dd HH:mm Z")
        #expect(transform.value(from: JSON("2026-01-01 00:00 \(offset)")) == nil)
        #expect(transform.value(from: "2026-01-01 00:00 +23:59") != nil)
    }

    @Test(
        "days that do not exist are refused",
        arguments: [
            "2001-02-29", "2001-13-01", "2001-00-10", "2001-04-31", "2001-4-30", "2001-04-30 ",
        ]
    )
    func refusesDays(text: String) {
        #expect(FormattedDateTransform("yyyy-MM-dd").value(from: JSON(text)) == nil)
    }

    @Test("every day of 800 years is found again")
    func findsDays() {
        let transform = FormattedDateTransform("yyyy-MM-dd")
        for day in stride(from: -150_000, to: 150_000, by: 13) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            #expect(transform.json(from: date).flatMap { transform.value(from: $0) } == date)
        }
    }

    @Test("functions, numbers in strings and wrapped strings")
    func transformsOthers() {
        let upper = ClosureTransform<String>(
            fromJSON: { $0.string?.uppercased() },
            toJSON: { JSON($0.lowercased()) }
        )
        #expect(upper.value(from: "a") == "A")
        #expect(upper.json(from: "B") == "b")
        #expect(NumberStringTransform<Double>().value(from: 1.5) == 1.5)
        #expect(NumberStringTransform<Int>().value(from: "x") == nil)
        #expect(StringWrapperTransform<Bool>().value(from: "ab") == nil)
    }
}
