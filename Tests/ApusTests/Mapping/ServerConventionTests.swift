import Apus
import Testing

@Suite("Conventions with a server")
struct ServerConventionTests {
    struct User: Decodable, Equatable, Sendable { var name: String }
    struct Problem: Decodable, Equatable, Sendable { var title: String }

    private let convention = ServerConvention(
        success: .decodable(User.self),
        failure: .decodable(Problem.self)
    )

    private func failure(
        _ text: String,
        status: Int,
        validation: Validation = .none
    ) async -> ServerFailure<Problem>? {
        let transport = ScriptedTransport.answering(text, status: status)
        let provider = Provider<TestTarget>(transport: transport)
        do throws(ServerFailure<Problem>) {
            let target = TestTarget(validation: validation, cachePolicy: .none)
            _ = try await provider.value(for: target, by: convention)
            return nil
        } catch {
            return error
        }
    }

    @Test("a response that means success is its value")
    func success() async throws {
        let transport = ScriptedTransport.answering(#"{"name":"Ada"}"#)
        let provider = Provider<TestTarget>(transport: transport)
        let user = try await provider.value(for: TestTarget(cachePolicy: .none), by: convention)
        #expect(user == User(name: "Ada"))
    }

    @Test(
        "a response that does not is thrown as what the server says, whoever refused its status",
        arguments: [Validation.none, .successCodes]
    )
    func refused(validation: Validation) async {
        let failure = await failure(#"{"title":"no"}"#, status: 422, validation: validation)
        #expect(failure?.body == Problem(title: "no"))
        #expect(failure?.response?.status == 422)
    }

    @Test("an error body of another form leaves the status, never a value")
    func otherForm() async {
        let failure = await failure("<html>", status: 502)
        guard case .failed(let error) = failure else {
            Issue.record("not failed: \(String(describing: failure))")
            return
        }
        #expect(error.reason == .unacceptableStatus(502))
        #expect(error.response?.status == 502)
    }

    @Test("a successful response that cannot be read failed, though it has the form of an error")
    func unreadable() async {
        let failure = await failure(#"{"title":"no"}"#, status: 200)
        guard case .failed(let error) = failure else {
            Issue.record("not failed: \(String(describing: failure))")
            return
        }
        #expect(error.code == 5004)
    }

    @Test("without a response there is no body to read")
    func down() async {
        let provider = Provider<TestTarget>(transport: ScriptedTransport.down)
        let convention = ServerConvention(
            success: .nothing,
            failure: .decodable(Problem.self)
        )
        do throws(ServerFailure<Problem>) {
            try await provider.value(for: TestTarget(cachePolicy: .none), by: convention)
            Issue.record("a value without a response")
        } catch {
            #expect(error.body == nil)
            #expect(error.response == nil)
        }
    }

    @Test("a side that must not happen always fails")
    func never() {
        let convention = ServerConvention(
            accepting: .codes([201]),
            success: .never,
            failure: .string
        )
        #expect(throws: ServerFailure<String>.self) {
            _ = try convention.value(of: .make("x", status: 201))
        }
        do throws(ServerFailure<String>) {
            _ = try convention.value(of: .make("why", status: 200))
        } catch {
            #expect(error.body == "why")
        }
    }
}
