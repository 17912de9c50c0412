import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

@Suite("From a target to a value", .timeLimit(.minutes(5)))
struct ProviderValuesTests {
    struct User: Codable, Equatable, Sendable { var name: String }

    private func provider(
        _ text: String,
        envelope: ResponseEnvelope? = nil,
        decoder: DocumentDecoder? = nil
    ) -> Provider<TestTarget> {
        Provider(
            transport: ScriptedTransport.answering(text),
            envelope: envelope,
            decoder: decoder
        )
    }

    private let target = TestTarget(cachePolicy: .none)

    @Test("every form of value is one call away, over a socket")
    func forms() async throws {
        let server = try RawServer { request in
            switch request.path {
            case "/user": [RawServer.ok(#"{"data":{"name":"Ada","age":"36"}}"#)]
            case "/xml": [RawServer.ok("<a>x</a>", fields: "Content-Type: text/xml\r\n")]
            default:
                [
                    .send(
                        "HTTP/1.1 200 OK\r\nContent-Length: \(ImageFixtures.bytes(ImageFixtures.png).count)\r\n\r\n"
                    ),
                    .bytes(ImageFixtures.bytes(ImageFixtures.png)),
                ]
            }
        }
        func target(_ path: String) -> TestTarget {
            TestTarget(base: "http://\(server.authority)", path: path, cachePolicy: .none)
        }
        let provider = Provider<TestTarget>()
        #expect(
            try await provider.value(for: target("/user"), using: .string(at: "data>name")) == "Ada"
        )
        #expect(
            try await provider.value(for: target("/user"), using: .json)["data"]["name"].string
                == "Ada"
        )
        let user = try await provider.value(
            for: target("/user"),
            using: .decodable(User.self, at: "data")
        )
        #expect(user == User(name: "Ada"))
        let age = try await provider.value(
            for: target("/user"),
            using: .lenient(Int.self, at: "data>age")
        )
        #expect(age.value == 36)
        #expect(age.coercions.count == 1)
        let name = try await provider.value(
            for: target("/user"),
            using: .mappable(String.self, at: "data>name")
        )
        #expect(name == "Ada")
        #expect(try await provider.value(for: target("/image"), using: .image).format == .png)
        let xml = try await provider.value(for: target("/xml"), using: .xml)
        #expect(JSON(document: xml.document)["a"].string == "x")
        #expect(try await provider.value(for: target("/xml"), using: .document).format == .xml)
        #expect(try await provider.value(for: target("/xml"), using: .bytes).count == 8)
    }

    private struct Account: Codable, Equatable, Sendable {
        var loginName: String
        var createdAt: Date
    }

    private struct ShowAccount: TypedTarget {
        typealias Value = Account
        typealias Failure = Account
        var baseURL: URL { TestTarget().baseURL }
        var path: String { "account" }
    }

    @Test("a provider's decoder reads what no call names a decoder for")
    func decoder() async throws {
        var decoder = DocumentDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .secondsSince1970
        let account = #"{"login_name":"ada","created_at":60}"#
        let expected = Account(loginName: "ada", createdAt: Date(timeIntervalSince1970: 60))
        let provider = Provider<TestTarget>(
            transport: ScriptedTransport.answering(account),
            decoder: decoder
        )
        #expect(try await provider.value(for: target, using: .decodable(Account.self)) == expected)
        #expect(try await provider.value(for: ShowAccount()) == expected)
        let changed = provider.modifying { $0.head.headerFields[.accept] = "text/html" }
        #expect(try await changed.value(for: target, using: .decodable(Account.self)) == expected)
        for try await value in provider.values(for: target, using: .decodable(Account.self)) {
            #expect(value == expected)
        }
        let called: Result<Account, ApusError> = await withCheckedContinuation { continuation in
            provider.request(target, using: .decodable(Account.self)) {
                continuation.resume(returning: $0.result)
            }
        }
        #expect(try called.get() == expected)
        // Leniently, with the strategies of the provider: a missing member is forgiven.
        let lenient = try await self.provider("{}", decoder: decoder)
            .value(for: target, using: .lenient([String: Account].self))
        #expect(lenient.value.isEmpty)
        let partial = try await self.provider(#"{"login_name":"ada"}"#, decoder: decoder)
            .value(for: target, using: .lenient(Account.self))
        #expect(partial.value.loginName == "ada")
    }

    @Test("a provider's decoder reads the data of an envelope and what a refusal says")
    func decoderInside() async throws {
        var decoder = DocumentDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        struct Problem: Decodable, Equatable, Sendable { var errorText: String }
        struct Login: Decodable, Equatable, Sendable { var loginName: String }
        let enveloped = provider(
            #"{"code":0,"data":{"login_name":"ada"}}"#,
            envelope: ResponseEnvelope(code: "code", message: "msg", data: "data", success: "0"),
            decoder: decoder
        )
        let login = Login(loginName: "ada")
        #expect(
            try await enveloped.value(for: target, using: .enveloped(.decodable(Login.self)))
                == login
        )
        #expect(
            try await enveloped.value(for: target, using: .envelopedResult(.decodable(Login.self)))
                .value == login
        )
        let refusing = provider(#"{"error_text":"no"}"#, decoder: decoder)
        let convention = ServerConvention(
            accepting: .codes([500]),
            success: .decodable(Login.self),
            failure: .decodable(Problem.self)
        )
        do {
            _ = try await refusing.value(for: target, by: convention)
            Issue.record("a status that is not accepted is refused")
        } catch {
            #expect(error.body == Problem(errorText: "no"))
        }
    }

    @Test("a decoder that a call names wins over the provider's")
    func ownDecoder() async throws {
        var decoder = DocumentDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        var milliseconds = DocumentDecoder()
        milliseconds.dateDecodingStrategy = .millisecondsSince1970
        let seconds = provider("[60000]", decoder: decoder)
        #expect(
            try await seconds.value(
                for: target,
                using: .decodable([Date].self, decoder: milliseconds)
            )
                == [Date(timeIntervalSince1970: 60)]
        )
        #expect(
            try await seconds.value(
                for: target,
                using: .lenient([Date].self, decoder: milliseconds)
            ).value == [Date(timeIntervalSince1970: 60)]
        )
        let plain = try await seconds.response(for: target)
        #expect(
            try plain.value(using: .decodable([Date].self))
                == [Date(timeIntervalSinceReferenceDate: 60000)]
        )
    }

    @Test("what fails in the exchange is thrown as it is")
    func failure() async {
        let provider = Provider<TestTarget>(transport: ScriptedTransport.down)
        await #expect(throws: ApusError.self) {
            try await provider.value(for: target, using: .json)
        }
        let mapped = await provider.mappedResponse(for: target, using: .json)
        #expect(mapped.error?.code == 2201)
        #expect(mapped.response == nil)
    }

    @Test("with the response beside it nothing is thrown, and a failed mapping keeps the response")
    func mappedResponse() async {
        let mapped = await provider("[1,").mappedResponse(for: target, using: .json)
        #expect(mapped.error?.code == 5003)
        #expect(mapped.response?.text == "[1,")
        #expect(mapped.source == .server)
    }

    @Test("the envelope is the call's, else the target's, else the provider's")
    func envelopes() async throws {
        let text = #"{"a":1,"b":2,"c":3,"data":{"name":"Ada"}}"#
        func envelope(_ code: String, _ success: String = "9") -> ResponseEnvelope {
            ResponseEnvelope(code: code, message: "m", data: "data", success: success)
        }
        let provider = provider(text, envelope: envelope("a"))
        #expect(try await provider.value(for: target, using: .envelope).code == "1")
        let enveloped = MultiTarget(EnvelopedTarget(inner: target, envelope: envelope("b")))
        let many = Provider<MultiTarget>(
            transport: ScriptedTransport.answering(text),
            envelope: envelope("a")
        )
        #expect(try await many.value(for: enveloped, using: .envelope).code == "2")
        #expect(try await many.value(for: enveloped, using: .envelope(envelope("c"))).code == "3")
        let user = try await many.value(
            for: enveloped,
            using: .enveloped(.decodable(User.self), in: envelope("c", "3"))
        )
        #expect(user == User(name: "Ada"))
    }

    @Test("an environment's envelope counts for targets that have none, from the next request on")
    func environmentEnvelope() async throws {
        let transport = ScriptedTransport.answering(#"{"a":1,"b":2}"#)
        let provider = Provider<EnvironmentTarget<TestTarget>>(transport: transport)
        let envelope = ResponseEnvelope(code: "a", message: "m", success: "1")
        let store = EnvironmentStore(TargetEnvironment("test", envelope: envelope))
        #expect(
            try await provider.value(for: target.bound(to: store), using: .envelope).code == "1"
        )
        store.update { $0.envelope?.codePath = "b" }
        #expect(
            try await provider.value(for: target.bound(to: store), using: .envelope).code == "2"
        )
    }

    @Test("every form of enveloped value is one call away")
    func envelopedForms() async throws {
        let envelope = ResponseEnvelope(code: "code", message: "msg", data: "data", success: "0")
        let object = provider(#"{"code":0,"data":{"name":"Ada"}}"#, envelope: envelope)
        #expect(
            try await object.value(for: target, using: .enveloped(.json))["name"].string == "Ada"
        )
        #expect(
            try await object.value(for: target, using: .enveloped(.string(at: "name"))) == "Ada"
        )
        #expect(
            try await object.value(for: target, using: .enveloped(.decodable(User.self))).name
                == "Ada"
        )
        #expect(
            try await object.value(for: target, using: .envelopedResult(.decodable(User.self)))
                .value?.name == "Ada"
        )
        #expect(
            try await object.value(for: target, using: .enveloped(.lenient(User.self))).value.name
                == "Ada"
        )
        #expect(
            try await object.value(
                for: target,
                using: .enveloped(.mappable([String: String].self))
            )["name"] == "Ada"
        )
        let array = provider(#"{"code":0,"data":[{"name":"Ada"}]}"#, envelope: envelope)
        #expect(
            try await array.value(for: target, using: .enveloped(.decodable([User].self))).count
                == 1
        )
        #expect(
            try await array.value(for: target, using: .envelopedResult(.decodable([User].self)))
                .isSuccess
        )
        #expect(
            try await array.value(for: target, using: .enveloped(.lenient([User].self))).coercions
                .isEmpty
        )
        #expect(
            try await array.value(for: target, using: .enveloped(.json(at: "[0]")))["name"].exists
        )
    }

    @Test("sequences, callbacks and conventions read the provider's envelope, too")
    func envelopeEverywhere() async throws {
        let envelope = ResponseEnvelope(code: "code", message: "msg", data: "data", success: "0")
        let provider = provider(#"{"code":0,"data":{"name":"Ada"}}"#, envelope: envelope)
        for try await user in provider.values(
            for: target,
            using: .enveloped(.decodable(User.self))
        ) {
            #expect(user.name == "Ada")
        }
        for await mapped in provider.mappedResponses(for: target, using: .enveloped(.json)) {
            #expect(mapped.value?["name"].string == "Ada")
        }
        #expect(await provider.mappedResponse(for: target, using: .envelope).value?.code == "0")
        let convention = ServerConvention(success: .enveloped(.json), failure: .envelope)
        #expect(try await provider.value(for: target, by: convention)["name"].string == "Ada")
        let called = await withCheckedContinuation { continuation in
            provider.request(target, using: .enveloped(.string(at: "name"))) { mapped in
                continuation.resume(returning: mapped.value)
            }
        }
        #expect(called == "Ada")
    }

    @Test("without any envelope nothing is sent")
    func noEnvelope() async {
        let transport = ScriptedTransport.answering("{}")
        let provider = Provider<TestTarget>(transport: transport)
        do throws(ApusError) {
            _ = try await provider.value(for: target, using: .envelope)
            Issue.record("no error")
        } catch {
            #expect(error.code == 5010)
        }
        #expect(transport.received.isEmpty)
        for await mapped in provider.mappedResponses(for: target, using: .envelope) {
            #expect(mapped.error?.code == 5010)
        }
    }
}

/// A target with an envelope of its own.
struct EnvelopedTarget: TargetWrapper {
    var inner: TestTarget
    var envelope: ResponseEnvelope?

    var wrapped: any TargetType { inner }
}
