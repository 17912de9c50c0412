import Apus
import Testing

/// A type that reads itself.
private struct Pair: ResponseReadable, Equatable {
    let left: String
    let right: String

    struct NoPair: Error {}

    static func read(from response: Response) throws -> Pair {
        let parts = try response.value(using: .string).split(separator: "=")
        guard parts.count == 2 else { throw NoPair() }
        return Pair(left: String(parts[0]), right: String(parts[1]))
    }
}

/// A serializer of one's own.
private struct RowCount: ResponseSerializer {
    func serialize(_ response: Response) throws(ApusError) -> Int {
        try response.value(using: .string).split(separator: "\n").count
    }
}

@Suite("Serializers of one's own")
struct CustomSerializerTests {
    @Test("a type that conforms is used as the built-in ones are")
    func own() throws {
        #expect(try Response.make("a\nb\nc", type: "text/plain").value(using: RowCount()) == 3)
    }

    @Test("a closure's value is returned, and any error of it is an error of mapping")
    func closure() throws {
        struct Odd: Error {}
        let response = Response.make("abc", type: "text/plain")
        #expect(
            try response.value(
                using: CustomSerializer("length") { try $0.value(using: .string).count }
            ) == 3
        )
        let error = mappingError { () throws(ApusError) in
            try response.value(using: CustomSerializer("odd") { _ -> Int in throw Odd() })
        }
        #expect(error?.code == 5001)
        #expect(error?.fault?.detail.hasPrefix("odd: ") == true)
        #expect(error?.response == response)
        let own = mappingError { () throws(ApusError) in
            try response.value(
                using: CustomSerializer("mine") { _ -> Int in throw ApusError(.cancelled) }
            )
        }
        #expect(own?.reason == .cancelled)
    }

    @Test("a type that reads itself")
    func readable() throws {
        let serializer = CustomSerializer<Pair>.readable(Pair.self)
        #expect(
            try Response.make("a=b", type: "text/plain").value(using: serializer)
                == Pair(left: "a", right: "b")
        )
        let error = mappingError { () throws(ApusError) in
            try Response.make("ab", type: "text/plain").value(using: .readable(Pair.self))
        }
        #expect(error?.code == 5001)
    }

    @Test("bytes are the body as it is, nothing is never an error, never always is one")
    func plain() throws {
        let response = Response.make([0, 0xFF])
        let bytes = try response.value(using: .bytes)
        #expect(bytes == [0, 0xFF])
        try response.value(using: .nothing)
        let error = mappingError { () throws(ApusError) -> Void in
            _ = try response.value(using: .never)
        }
        #expect(error?.code == 5001)
    }

    @Test("each kind of fault has a number of its own")
    func numbers() {
        let codes = ApusError.MappingFault.Kind.allCases.map {
            ApusError(.mapping(.init($0, detail: ""))).code
        }
        #expect(codes == Array(5001...5010))
        #expect(ApusError(.envelope(code: "1", message: nil)).code == 5101)
    }
}
