import FoundationEssentials
import Testing

@testable import Documents

@Suite("Dynamic values in other coders")
struct JSONCodableTests {
    private struct Envelope: Codable, Equatable {
        let code: Int
        let data: JSON
    }

    @Test("a member of any form is decoded and encoded")
    func roundsTrip() throws {
        let text = #"{"code":1,"data":{"a":[1,-2.5,true,null,"x"],"b":18446744073709551615}}"#
        let value = try JSONDecoder().decode(Envelope.self, from: Data(text.utf8))
        #expect(
            value.data["a"].elements.map(\.kind) == [.integer, .decimal, .true, .null, .string]
        )
        #expect(value.data["b"].integer() == UInt64.max)
        let again = try JSONEncoder().encode(value)
        #expect(try JSONDecoder().decode(Envelope.self, from: again) == value)
    }

    @Test("what no double holds is an error, and so is what is too deep")
    func refuses() throws {
        #expect(throws: EncodingError.self) {
            try JSONEncoder().encode(JSON(parsing: "[1e400]"))
        }
        let deep = String(repeating: "[", count: 5000) + String(repeating: "]", count: 5000)
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(JSON(parsing: deep)) }
    }
}
