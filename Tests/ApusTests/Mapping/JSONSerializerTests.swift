import Apus
import Documents
import FoundationEssentials
import Glibc
import Testing

@Suite("Responses as JSON")
struct JSONSerializerTests {
    @Test(
        "any value is JSON, fragments too",
        arguments: ["1", "\"a\"", "true", "null", "[1,2]", #"{"a":1}"#]
    )
    func fragments(text: String) throws {
        #expect(try Response.make(text).value(using: .json).text() == text)
    }

    @Test("an empty body is an error of its own, or null when that is asked for")
    func empty() throws {
        let response = Response.make("")
        let error = mappingError { () throws(ApusError) in try response.value(using: .json) }
        #expect(error?.code == 5008)
        #expect(error?.fault?.kind == .empty)
        #expect(try response.value(using: .json(failsOnEmpty: false)).isNull)
    }

    @Test("a broken text is an error with byte, line and column")
    func broken() {
        let response = Response.make("{\n \"a\": 1,\n \"b\": tru\n}")
        let error = mappingError { () throws(ApusError) in try response.value(using: .json) }
        #expect(error?.code == 5003)
        #expect(error?.fault?.line == 3)
        #expect(error?.fault?.offset == 20)
        #expect(error?.response == response)
        #expect(error?.request?.method == "GET")
    }

    @Test("a number that looks like a boolean stays a number, and large ones stay exact")
    func numbers() throws {
        let json = try Response.make(#"{"z":1,"n":9007199254740993,"t":true}"#).value(using: .json)
        #expect(json["z"].bool == nil)
        #expect(json["z"].int == 1)
        #expect(json["t"].bool == true)
        #expect(json["n"].int == 9_007_199_254_740_993)
    }

    @Test("the value at a path is reached by a>b, a.b[0] and JSONPath; a missing one is an error")
    func paths() throws {
        let response = Response.make(#"{"a":{"b":[{"c":7}]}}"#)
        for path in ["a>b>0>c", "a.b[0].c", "$.a.b[0].c", "$..c"] {
            #expect(try response.value(using: .json(at: path)).int == 7)
        }
        #expect(try response.value(using: .json(at: ""))["a"].exists)
        let error = mappingError { () throws(ApusError) in
            try response.value(using: .json(at: "a>x"))
        }
        #expect(error?.fault?.path == "$['a']['x']")
    }

    @Test("a text in another encoding is read by its Content-Type")
    func charset() throws {
        let bytes: [UInt8] = [0x22, 0xE9, 0x22]
        let response = Response.make(bytes, type: "application/json; charset=iso-8859-1")
        #expect(try response.value(using: .json).string == "é")
    }

    @Test("a body in a file is read from it, and a file that is gone is an error with the response")
    func file() throws {
        let path = Temporary.folder() + "/body"
        try Temporary.write(#"{"a":1}"#, to: path)
        var response = Response.make("")
        response.body = .file(BodyFile(path: path, count: 7, ownership: .borrowed))
        #expect(try response.value(using: .json)["a"].int == 1)
        response.body = .file(BodyFile(path: path + "-gone", count: 7, ownership: .borrowed))
        let error = mappingError { () throws(ApusError) in try response.value(using: .json) }
        #expect(error?.code == 2501)
        #expect(error?.response == response)
    }

    @Test("a file that is cut while its values are read gives what it had")
    func cutFile() throws {
        let path = Temporary.folder() + "/body"
        try Temporary.write("[\"" + String(repeating: "x", count: 9 << 20) + "\"]", to: path)
        let file = BodyFile(path: path, count: 9 << 20 + 4, ownership: .temporary)
        let bytes = try ResponseBody.file(file).documentBytes()
        // Of a mapped file, the bytes behind the end would be a SIGBUS.
        try #require(truncate(path, 0) == 0)
        #expect(bytes.array(in: (9 << 20)..<bytes.count) == Array("xxx\"]".utf8).suffix(4))
    }
}
