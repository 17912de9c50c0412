import Documents
import Testing

@Suite("Numbers as people say them")
struct ReadableTests {
    @Test(
        "bytes",
        arguments: [
            (0, "0 B"), (812, "812 B"), (999, "999 B"), (1000, "1.0 kB"), (1234, "1.2 kB"),
            (99_949, "99.9 kB"), (124_000_000, "124 MB"), (999_950, "1.0 MB"),
            (3_200_000_000, "3.2 GB"),
        ]
    )
    func bytes(count: Int, shown: String) {
        #expect(Readable.bytes(count) == shown)
    }

    @Test(
        "durations",
        arguments: [
            (Duration.microseconds(300), "0.3 ms"), (.milliseconds(48), "48 ms"),
            (.milliseconds(1400), "1.4 s"), (.seconds(12), "12 s"), (.seconds(250), "4 min"),
            (.seconds(7300), "2 h"), (.seconds(200_000), "2 d"), (.milliseconds(999.9), "1.0 s"),
            (.seconds(59.7), "1 min"), (.seconds(-3), "0.0 ms"),
        ]
    )
    func durations(duration: Duration, shown: String) {
        #expect(Readable.duration(duration) == shown)
    }

    @Test("ages, rests, counts, parts and rates")
    func others() {
        #expect(Readable.age(.milliseconds(200)) == "just now")
        #expect(Readable.age(.seconds(250)) == "4 min old")
        #expect(Readable.age(.seconds(90_000)) == "1 day old")
        #expect(Readable.remaining(.seconds(58)) == "58 s left")
        #expect(Readable.count(1_234_567) == "1,234,567")
        #expect(Readable.count(-1000) == "-1,000" && Readable.count(999) == "999")
        #expect(Readable.percent(0.64) == "64 %" && Readable.percent(0.999) == "99 %")
        #expect(Readable.bytes(124_000_000, of: 200_000_000) == "124.0 / 200.0 MB")
        #expect(Readable.rate(310_000_000) == "310 MB/s" && Readable.rate(.nan) == "0 B/s")
    }

    @Test("a length of time that was set is told exactly")
    func span() {
        #expect(Readable.span(.seconds(30)) == "30 s" && Readable.span(.seconds(300)) == "5 min")
        #expect(Readable.span(.milliseconds(1500)) == "1.5 s")
        #expect(Readable.span(.milliseconds(500)) == "500 ms")
        #expect(Readable.span(.seconds(172_800)) == "2 days")
    }

    @Test("a text becomes a sentence")
    func sentence() {
        #expect("connection refused".asSentence == "Connection refused.")
        #expect("Is it?".asSentence == "Is it?" && "Done.".asSentence == "Done.")
    }
}
