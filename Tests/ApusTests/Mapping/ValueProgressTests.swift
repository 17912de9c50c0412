import Apus
import FoundationEssentials
import Synchronization
import Testing

@Suite("Progress of calls that return a value")
struct ValueProgressTests {
    struct User: Decodable, Equatable, Sendable { var id: Int }
    struct Problem: Decodable, Sendable { var title: String }

    struct ShowUser: TypedTarget {
        typealias Value = User
        var baseURL: URL { TestTarget().baseURL }
        var path: String { "users/7" }
    }

    private let steps = Steps()
    private let provider = Provider<TestTarget>(
        transport: ScriptedTransport.answering(#"{"id":7}"#),
        cache: .inMemory
    )

    @Test("each of them reports it", arguments: [DataSource.server, .cacheThenRefresh])
    func all(source: DataSource) async throws {
        let (note, user) = (steps.note, User(id: 7))
        #expect(
            try await provider.value(
                for: TestTarget(),
                using: .decodable(User.self),
                from: source,
                caching: CachePolicy.none,
                progress: note
            ) == user
        )
        #expect(steps.count == 1)
        let mapped = await provider.mappedResponse(
            for: TestTarget(),
            using: .decodable(User.self),
            from: source,
            caching: CachePolicy.none,
            progress: note
        )
        #expect(mapped.value == user && steps.count == 2)
        let convention = ServerConvention(
            success: .decodable(User.self),
            failure: .decodable(Problem.self)
        )
        #expect(
            try await provider.value(
                for: TestTarget(),
                by: convention,
                from: source,
                caching: CachePolicy.none,
                progress: note
            ) == user
        )
        #expect(steps.count == 3)
        #expect(try await provider.value(for: ShowUser(), from: source, progress: note) == user)
        #expect(steps.count == 4)
        _ = try await provider.response(
            for: TestTarget(),
            from: source,
            caching: CachePolicy.none,
            progress: note
        )
        #expect(steps.count == 5)
        #expect(steps.all.allSatisfy { $0.bytesReceived == 1 })
    }

    private final class Steps: Sendable {
        private let noted = Mutex<[TransferProgress]>([])
        var all: [TransferProgress] { noted.withLock { $0 } }
        var count: Int { all.count }
        var note: @Sendable (TransferProgress) -> Void {
            { [self] step in noted.withLock { $0.append(step) } }
        }
    }
}
