import Apus
import ApusReactive
import Documents
import OpenCombine
import Testing

@Suite("Operators on publishers of responses", .timeLimit(.minutes(5)))
struct OperatorTests {
    struct User: Decodable, Equatable, Sendable { var name: String }

    private func publisher(_ text: String) -> ResponsePublisher {
        Provider<FakeTarget>.make(FakeTransport(.text(text))).responsePublisher(for: FakeTarget())
    }

    /// The one value or the failure of a publisher.
    private func outcome<P: Publisher>(
        _ publisher: P
    ) async -> Result<P.Output, ApusError> where P.Failure == ApusError, P.Output: Sendable {
        let collector = Collector<P.Output, ApusError>()
        publisher.subscribe(collector)
        collector.request(.unlimited)
        await collector.wait { $0.completion != nil }
        if case .failure(let error) = collector.completion { return .failure(error) }
        guard let value = collector.values.first else { return .failure(ApusError(.cancelled)) }
        return .success(value)
    }

    private func code<T>(_ outcome: Result<T, ApusError>) -> Int? {
        if case .failure(let error) = outcome { error.code } else { nil }
    }

    @Test("filters let responses through, or fail with the response attached")
    func filters() async throws {
        _ = try await outcome(publisher("a").filterSuccessfulStatuses()).get()
        _ = try await outcome(publisher("a").filterSuccessfulAndRedirectStatuses()).get()
        _ = try await outcome(publisher("a").filter(statuses: [200, 304])).get()
        #expect(code(await outcome(publisher("a").filter(status: 201))) == 3001)
        let rule = Validation.custom(ValidationRule("has a type") { $0.mediaType != nil })
        #expect(code(await outcome(publisher("a").filter(accepting: rule))) == 3001)
    }

    @Test("responses are read as text, JSON, types, lists, documents")
    func values() async throws {
        let user = #"{"name":"Ada","age":"36"}"#
        #expect(try await outcome(publisher("a").value(using: .string)).get() == "a")
        #expect(try await outcome(publisher(user).value(using: .string(at: "name"))).get() == "Ada")
        #expect(
            try await outcome(publisher(user).value(using: .json)).get()["name"].string == "Ada"
        )
        #expect(
            try await outcome(publisher(user).value(using: .decodable(User.self))).get().name
                == "Ada"
        )
        #expect(
            try await outcome(publisher("[1,2]").value(using: .decodable([Int].self))).get() == [
                1, 2,
            ]
        )
        #expect(
            try await outcome(publisher("[1,2]").value(using: .mappable([Int].self))).get() == [
                1, 2,
            ]
        )
        let age = try await outcome(publisher(user).value(using: .lenient(Int.self, at: "age")))
            .get()
        #expect(age.value == 36)
        let tree = try await outcome(publisher("<a>x</a>").value(using: .xml)).get()
        #expect(JSON(document: tree.document)["a"].string == "x")
        #expect(code(await outcome(publisher("a").value(using: .json))) == 5003)
        #expect(code(await outcome(publisher("a").value(using: .image))) == 5005)
    }

    @Test("enveloped data is read, and a refusal is a failure or a value")
    func envelopes() async throws {
        let envelope = ResponseEnvelope(code: "code", message: "msg", data: "data", success: "0")
        let fine = #"{"code":0,"data":[{"name":"Ada"}]}"#
        let refused = #"{"code":7,"msg":"no"}"#
        let result = try await outcome(publisher(refused).value(using: .envelope(envelope))).get()
        #expect(result.message == "no")
        let users = try await outcome(
            publisher(fine).value(using: .enveloped(.decodable([User].self), in: envelope))
        ).get()
        #expect(users == [User(name: "Ada")])
        let json = try await outcome(
            publisher(fine).value(using: .enveloped(.json(at: "[0]"), in: envelope))
        ).get()
        #expect(json["name"].string == "Ada")
        #expect(
            code(
                await outcome(
                    publisher(refused).value(
                        using: .enveloped(.decodable([User].self), in: envelope)
                    )
                )
            ) == 5101
        )
        #expect(
            code(
                await outcome(
                    publisher(refused).value(using: .enveloped(.decodable(User.self), in: envelope))
                )
            ) == 5101
        )
        let list = try await outcome(
            publisher(fine).value(using: .envelopedResult(.decodable([User].self), in: envelope))
        ).get()
        #expect(list.value?.count == 1)
        let none = try await outcome(
            publisher(refused).value(using: .envelopedResult(.decodable(User.self), in: envelope))
        )
        .get()
        #expect(none.code == "7")
        #expect(none.value == nil)
    }

    @Test("demand goes through operators, and both responses too")
    func demand() async throws {
        let provider = Provider<FakeTarget>.make(FakeTransport(.text("1"), .text("2")))
        _ = try await provider.response(for: FakeTarget())
        let collector = Collector<Int, ApusError>()
        provider.responsePublisher(for: FakeTarget(), from: .cacheAndServer)
            .filterSuccessfulStatuses().value(using: .decodable(Int.self)).subscribe(collector)
        collector.request(.max(1))
        await collector.wait { !$0.values.isEmpty }
        #expect(collector.values == [1])
        #expect(collector.completion == nil)
        collector.request(.max(1))
        await collector.wait { $0.completion != nil }
        #expect(collector.values == [1, 2])
    }

    @Test("cancelling behind operators reaches the transfer")
    func cancel() async {
        let transport = FakeTransport(.never)
        let collector = Collector<JSON, ApusError>()
        Provider<FakeTarget>.make(transport).responsePublisher(for: FakeTarget()).value(
            using: .json
        )
        .subscribe(collector)
        collector.request(.unlimited)
        for await _ in transport.arrivals { break }
        collector.cancel()
        for await _ in transport.cancellations { break }
        #expect(collector.completion == nil)
    }
}
