import Testing

@testable import Sharing

struct ServerHealthTests {
    @Test("a failing server is tried after pauses that double up to a minute, by one at a time")
    func pauses() {
        let clock = PauseClock()
        let health = ServerHealth(firstPause: .seconds(1)) { clock.now }
        let fault = RedisFault(.timeout)
        #expect(health.result == nil)
        #expect(health.mayTry() == .success)
        #expect(health.fail(fault) == .failed(fault))
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
            clock.advance(by: .milliseconds(pause * 1000 - 1))
            #expect(health.mayTry() == .failure(fault))
            clock.advance(by: .milliseconds(1))
            #expect(health.mayTry() == .success)
            #expect(health.mayTry() == .failure(fault))
            #expect(health.fail(fault) == nil)
        }
        #expect(health.succeed() == .recovered)
        #expect(health.succeed() == nil)
        #expect(health.mayTry() == .success)
    }
}

extension Result<Void, RedisFault> {
    fileprivate static func == (one: Self, other: Outcome) -> Bool {
        switch (one, other) {
        case (.success, .success): true
        case (.failure(let fault), .failure(let wanted)): fault == wanted
        default: false
        }
    }

    fileprivate enum Outcome {
        case success
        case failure(RedisFault)
    }
}
