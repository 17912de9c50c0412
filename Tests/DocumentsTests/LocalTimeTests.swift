import FoundationEssentials
import Testing

@testable import Documents

struct LocalTimeTests {
    /// Sat 9 May 2026 06:13:20 in UTC.
    private let date = Date(timeIntervalSince1970: 1_778_307_200)

    private func zone(_ hours: Double) throws -> TimeZone {
        try #require(TimeZone(secondsFromGMT: Int(hours * 3600)))
    }

    @Test(
        "a date is another time, and maybe another day, in another zone",
        arguments: [
            (0.0, 9, "06:13:20"), (5.5, 9, "11:43:20"), (-7.0, 8, "23:13:20"),
            (18.0, 10, "00:13:20"),
        ]
    )
    func fields(hours: Double, day: Int, clock: String) throws {
        let time = LocalTime(date, in: try zone(hours))
        #expect((time.year, time.month, time.dayOfMonth) == (2026, 5, day))
        #expect(time.weekday == (day + 4) % 7)
        #expect(time.clock == clock)
    }

    @Test("the weeks go on before 1970, to the second")
    func early() throws {
        let time = LocalTime(Date(timeIntervalSince1970: -0.5), in: .gmt)
        #expect((time.year, time.month, time.dayOfMonth) == (1969, 12, 31))
        #expect(time.weekday == 3 && time.dayNumber == -1 && time.clock == "23:59:59")
    }

    @Test("a time of day is found again, and so is a day's start", arguments: [0.0, 5.5, -7.0])
    func dates(hours: Double) throws {
        let zone = try zone(hours)
        let number = LocalTime.dayNumber(year: 2026, month: 5, dayOfMonth: 9)
        let noon = LocalTime.date(dayNumber: number, hour: 12, minute: 30, in: zone)
        #expect(LocalTime(noon, in: zone).clock == "12:30:00")
        let start = LocalTime.startOfDay(noon, in: zone)
        #expect(noon.timeIntervalSince(start) == 12.5 * 3600)
        #expect(LocalTime(start, in: zone).dayNumber == number)
    }

    @Test(
        "without a zone it is the system's, and a time of day is found again on each day of a year"
    )
    func system() {
        for day in 20_000..<20_366 {
            let date = LocalTime.date(dayNumber: day, hour: 12, in: nil)
            let time = LocalTime(date, in: nil)
            #expect(time.dayNumber == day && time.clock == "12:00:00")
            #expect(
                TimeZone.local(at: date).secondsFromGMT() == LocalTime.offset(at: date, in: nil)
            )
        }
    }

    @Test(
        "dates beyond all calendars trap nowhere",
        arguments: [-Double.infinity, -1e300, 1e300, .infinity]
    )
    func extremes(seconds: Double) {
        #expect(LocalTime(Date(timeIntervalSince1970: seconds), in: nil).clock.count == 8)
    }
}
