import Apus
import ApusReactive
import OpenCombine
import Synchronization
import Testing

private struct User: Decodable, Sendable, Equatable {
    var login: String
}

@Suite("Documentation: publishers", .timeLimit(.minutes(1)))
struct PublishersTests {
    @Test("answers are read by operators")
    func operators() async {
        let provider = Provider<FakeTarget>.make(FakeTransport(.text(#"{"login":"ada"}"#)))
        let target = FakeTarget()
        let (ends, end) = AsyncStream<Void>.makeStream()
        let login = Mutex("")
        let subscription = provider.responsePublisher(for: target, from: .cacheAndServer)
            .filterSuccessfulStatuses()
            .value(using: .decodable(User.self))
            .sink(
                receiveCompletion: { _ in end.yield() },
                receiveValue: { user in login.withLock { $0 = user.login } }
            )
        for await _ in ends { break }
        subscription.cancel()
        #expect(login.withLock { $0 } == "ada")
    }
}
