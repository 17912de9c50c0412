import Apus
import Documents
import Testing

@Suite("Envelopes around data")
struct EnvelopeTests {
    struct User: Decodable, Equatable, Sendable { var name: String }

    static let plain = ResponseEnvelope(code: "code", message: "msg", data: "data", success: "0")
    static let nested = ResponseEnvelope(
        code: "status>code",
        message: "status.text[0]",
        data: "result>list",
        success: "OK",
        "CREATED"
    )

    @Test(
        "a code means success by its text, be it a number or a string",
        arguments: [
            (#"{"code":0,"msg":"fine","data":1}"#, true),
            (#"{"code":"0","msg":"fine","data":1}"#, true),
            (#"{"code":1,"msg":"no"}"#, false),
            (#"{"code":"","msg":""}"#, false),
            (#"{"code":null}"#, false),
            (#"{"code":{"code":0}}"#, false),
            (#"{"code":[]}"#, false),
            ("{}", false),
            ("[]", false),
            ("0", false),
        ]
    )
    func success(text: String, isSuccess: Bool) throws {
        #expect(try Response.make(text).value(using: .envelope(Self.plain)).isSuccess == isSuccess)
    }

    @Test("an envelope without a code and a success value never succeeds")
    func neverByTwoEmptyTexts() throws {
        let empty = ResponseEnvelope(code: "", message: "", success: "")
        for text in ["{}", #"{"code":""}"#, "\"\"", "null"] {
            #expect(try !Response.make(text).value(using: .envelope(empty)).isSuccess)
        }
        #expect(throws: ApusError.self) {
            try Response.make(#"{"name":"Ada"}"#).value(
                using: .enveloped(.decodable(User.self), in: empty)
            )
        }
    }

    @Test("paths of either form lead to code, message and data")
    func paths() throws {
        let response = Response.make(
            #"{"status":{"code":"CREATED","text":["made"]},"result":{"list":[{"name":"Ada"}]}}"#
        )
        let result = try response.value(using: .envelope(Self.nested))
        #expect(result.isSuccess)
        #expect(result.code == "CREATED")
        #expect(result.message == "made")
        #expect(
            try response.value(using: .enveloped(.decodable([User].self), in: Self.nested)) == [
                User(name: "Ada")
            ]
        )
        #expect(
            try response.value(using: .enveloped(.string(at: "[0].name"), in: Self.nested)) == "Ada"
        )
        #expect(
            try response.value(using: .enveloped(.json(at: "$[0]"), in: Self.nested))["name"].string
                == "Ada"
        )
    }

    @Test("a refusal is an error with code and message, the response attached")
    func refusal() {
        let response = Response.make(#"{"code":4001,"msg":"no such user","data":null}"#)
        for error in [
            mappingError { () throws(ApusError) in
                try response.value(using: .enveloped(.decodable(User.self), in: Self.plain))
            },
            mappingError { () throws(ApusError) in
                try response.value(using: .enveloped(.json, in: Self.plain))
            },
            mappingError { () throws(ApusError) in
                try response.value(using: .enveloped(.lenient([User].self), in: Self.plain))
            },
        ] {
            #expect(error?.reason == .envelope(code: "4001", message: "no such user"))
            #expect(error?.code == 5101)
            #expect(error?.response == response)
        }
    }

    @Test("with the result a refusal is a value, and a success carries its data")
    func results() throws {
        let refused = try Response.make(#"{"code":1,"msg":"no"}"#)
            .value(using: .envelopedResult(.decodable(User.self), in: Self.plain))
        #expect(!refused.isSuccess)
        #expect(refused.message == "no")
        #expect(refused.value == nil)
        let fine = try Response.make(#"{"code":0,"data":[{"name":"Ada"}]}"#)
            .value(using: .envelopedResult(.decodable([User].self), in: Self.plain))
        #expect(fine.isSuccess)
        #expect(fine.message == nil)
        #expect(fine.value == [User(name: "Ada")])
    }

    @Test("data of another form is an error with its path, not an empty model")
    func strict() {
        let response = Response.make(#"{"code":0,"data":{"name":7}}"#)
        let error = mappingError { () throws(ApusError) in
            try response.value(using: .enveloped(.decodable(User.self), in: Self.plain))
        }
        #expect(error?.code == 5004)
        #expect(error?.fault?.path == "$.data.name")
        let noArray = mappingError { () throws(ApusError) in
            try response.value(using: .enveloped(.decodable([User].self), in: Self.plain))
        }
        #expect(noArray?.fault?.path == "$.data")
        let missing = mappingError { () throws(ApusError) in
            try Response.make(#"{"code":0}"#).value(
                using: .enveloped(.decodable(User.self), in: Self.plain)
            )
        }
        #expect(missing?.fault?.path == "$['data']")
    }

    @Test("leniently the same is forgiven, with a list of notes")
    func lenient() throws {
        let response = Response.make(#"{"code":0,"data":[{"name":7},{},9]}"#)
        let result = try response.value(using: .enveloped(.lenient([User].self), in: Self.plain))
        #expect(result.value == [User(name: "7"), User(name: "")])
        #expect(result.coercions.map(\.kind) == [.converted, .defaulted, .skipped])
        let object = try Response.make(#"{"code":0,"data":{"name":7}}"#)
            .value(using: .enveloped(.lenient(User.self), in: Self.plain))
        #expect(object.value.name == "7")
    }

    @Test("Mappable data")
    func mapped() throws {
        let response = Response.make(#"{"code":0,"data":[{"name":"Ada","age":1}]}"#)
        let users = try response.value(
            using: .enveloped(.mappable([MappedSerializerTests.User].self), in: Self.plain)
        )
        #expect(users.map(\.name) == ["Ada"])
    }

    @Test("a wrapper of code, msg and data wants both the code and the data")
    func wrapper() throws {
        let wrapper = ResponseEnvelope(
            code: "code",
            message: "msg",
            data: "data",
            success: "200",
            requiresData: true
        )
        let fine = Response.make(#"{"code":200,"msg":"ok","data":{"name":"Ada"}}"#)
        #expect(
            try fine.value(using: .enveloped(.decodable(User.self), in: wrapper))
                == User(name: "Ada")
        )
        for text in [#"{"code":200,"msg":"ok"}"#, #"{"code":200,"msg":"ok","data":null}"#] {
            let error = mappingError { () throws(ApusError) in
                try Response.make(text).value(using: .enveloped(.decodable(User.self), in: wrapper))
            }
            #expect(error?.reason == .envelope(code: "200", message: "ok"))
        }
    }

    @Test("a response that is no JSON is no envelope, and an empty one is empty")
    func noEnvelope() {
        let html = mappingError { () throws(ApusError) in
            try Response.make("<html>", status: 500).value(using: .envelope(Self.plain))
        }
        #expect(html?.code == 5010)
        #expect(html?.response?.status == 500)
        let empty = mappingError { () throws(ApusError) in
            try Response.make("").value(using: .envelope(Self.plain))
        }
        #expect(empty?.code == 5008)
        let broken = ResponseEnvelope(code: "a[", message: "m", success: "0")
        let path = mappingError { () throws(ApusError) in
            try Response.make("{}").value(using: .envelope(broken))
        }
        #expect(path?.code == 5009)
    }

    @Test("a body that is made for an envelope is nested as its own paths read it")
    func body() throws {
        let body = Self.nested.body(code: 700, message: "cannot connect", data: [["name": "x"]])
        let response = try Response(
            body,
            to: .make("api.test", "/"),
            received: Response.make("").received
        )
        let result = try response.value(using: .envelope(Self.nested))
        #expect(result.code == "700")
        #expect(result.message == "cannot connect")
        #expect(!result.isSuccess)
        #expect(result.data[0]["name"].string == "x")
    }
}
