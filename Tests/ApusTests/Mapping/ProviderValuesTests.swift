import Apus
import Documents
import FoundationEssentials
import Testing

@Suite("From a target to a value", .timeLimit(.minutes(1)))
struct ProviderValuesTests {
    struct User: Codable, Equatable, Sendable { var name: String }

    private func provider(
        _ text: String,
        envelope: ResponseEnvelope? = nil
    ) -> Provider<TestTarget> {
        Provider(transport: ScriptedTransport.answering(text), envelope: envelope)
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
        #expect(try await provider.string(for: target("/user"), at: "data>name") == "Ada")
        #expect(try await provider.json(for: target("/user"))["data"]["name"].string == "Ada")
        let user = try await provider.decoded(User.self, for: target("/user"), at: "data")
        #expect(user == User(name: "Ada"))
        let age = try await provider.decodedLeniently(
            Int.self,
            for: target("/user"),
            at: "data>age"
        )
        #expect(age.value == 36)
        #expect(age.coercions.count == 1)
        let name = try await provider.mapped(String.self, for: target("/user"), at: "data>name")
        #expect(name == "Ada")
        #expect(try await provider.image(for: target("/image")).format == .png)
        let xml = try await provider.xml(for: target("/xml"))
        #expect(JSON(document: xml.document)["a"].string == "x")
        #expect(try await provider.document(for: target("/xml")).format == .xml)
        #expect(try await provider.value(using: .bytes, for: target("/xml")).count == 8)
    }

    @Test("what fails in the exchange is thrown as it is")
    func failure() async {
        let provider = Provider<TestTarget>(transport: ScriptedTransport.down)
        await #expect(throws: ApusError.self) { try await provider.json(for: target) }
        let mapped = await provider.mappedResponse(using: .json, for: target)
        #expect(mapped.error?.code == 2201)
        #expect(mapped.response == nil)
    }

    @Test("with the answer beside it nothing is thrown, and a failed mapping keeps the answer")
    func mappedResponse() async {
        let mapped = await provider("[1,").mappedResponse(using: .json, for: target)
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
        #expect(try await provider.mapResult(for: target).code == "1")
        let enveloped = MultiTarget(EnvelopedTarget(inner: target, envelope: envelope("b")))
        let many = Provider<MultiTarget>(
            transport: ScriptedTransport.answering(text),
            envelope: envelope("a")
        )
        #expect(try await many.mapResult(for: enveloped).code == "2")
        #expect(try await many.mapResult(for: enveloped, in: envelope("c")).code == "3")
        let user = try await many.mapObject(User.self, for: enveloped, in: envelope("c", "3"))
        #expect(user == User(name: "Ada"))
    }

    @Test("every form of enveloped value is one call away")
    func envelopedForms() async throws {
        let envelope = ResponseEnvelope(code: "code", message: "msg", data: "data", success: "0")
        let object = provider(#"{"code":0,"data":{"name":"Ada"}}"#, envelope: envelope)
        #expect(try await object.mapJSON(for: target)["name"].string == "Ada")
        #expect(try await object.mapString(for: target, at: "name") == "Ada")
        #expect(try await object.mapObject(User.self, for: target).name == "Ada")
        #expect(try await object.mapObjectResult(User.self, for: target).value?.name == "Ada")
        #expect(try await object.mapObjectLeniently(User.self, for: target).value.name == "Ada")
        #expect(try await object.mapMapped([String: String].self, for: target)["name"] == "Ada")
        let array = provider(#"{"code":0,"data":[{"name":"Ada"}]}"#, envelope: envelope)
        #expect(try await array.mapArray(User.self, for: target).count == 1)
        #expect(try await array.mapArrayResult(User.self, for: target).isSuccess)
        #expect(try await array.mapArrayLeniently(User.self, for: target).coercions.isEmpty)
        #expect(try await array.mapValue(using: .json(at: "[0]"), for: target)["name"].exists)
    }

    @Test("without any envelope nothing is sent")
    func noEnvelope() async {
        let transport = ScriptedTransport.answering("{}")
        let provider = Provider<TestTarget>(transport: transport)
        do throws(ApusError) {
            _ = try await provider.mapResult(for: target)
            Issue.record("no error")
        } catch {
            #expect(error.code == 5010)
        }
        #expect(transport.received.isEmpty)
    }
}

/// A target with an envelope of its own.
struct EnvelopedTarget: TargetType {
    var inner: TestTarget
    var envelope: ResponseEnvelope?

    var baseURL: URL { inner.baseURL }
    var path: String { inner.path }
}
