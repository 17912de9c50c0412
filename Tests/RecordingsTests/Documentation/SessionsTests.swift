import Apus
import FoundationEssentials
import Recordings
import Testing

private struct UsersTarget: TargetType {
    var baseURL: URL {
        guard let url = URL(string: "https://api.example.com") else { preconditionFailure() }
        return url
    }
    var path: String { "/users" }
}

@Suite("Documentation: recorded sessions")
struct SessionsTests {
    private let temporary = SessionFolder()

    @Test("a program records an answer and is answered from the session")
    func recordAndReplay() async throws {
        let folder = temporary.path
        let provider = Provider<UsersTarget>(
            stubs: Stubs { _ in .immediate(.json(#"{"login":"ada","note":"s3cret"}"#)) }
        )
        let recorder = SessionRecorder(directory: folder, secrets: ["s3cret"])
        let started = Date()
        let response = try await provider.response(for: UsersTarget())
        try await recorder.record(
            ExchangeRecord(
                started: started,
                request: response.request,
                result: .success(response),
                duration: response.metrics?.phases.total ?? .zero
            )
        )
        let path = try #require(await recorder.path)
        let session = try SessionReader(path: path)
        let replaying = Provider<UsersTarget>(stubs: .replaying(ReplayTransport(session)))
        let again = try await replaying.response(for: UsersTarget())
        #expect(again.source == .replay)
        let text = String(decoding: try again.body.load(), as: UTF8.self)
        #expect(text.contains("ada") && !text.contains("s3cret"))
        #expect(try await session.exchanges().count == 1)
    }
}
