import Testing

@testable import Explorer

@Suite("Rates")
struct RateMeterTests {
    @Test("a steady flow has a steady rate, and what was long ago does not count")
    func steady() {
        var meter = RateMeter()
        #expect(meter.bytesPerSecond == nil)
        for step in 0...20 { meter.record(step * 100, at: .milliseconds(step * 100)) }
        #expect(meter.bytesPerSecond.map { ($0 * 1000).rounded() } == 1_000_000)
        for step in 21...40 { meter.record(2000, at: .milliseconds(step * 100)) }
        #expect(meter.bytesPerSecond == 0)
    }
}
