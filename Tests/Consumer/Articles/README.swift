import Apus
import Documents
import Foundation

enum READMEArticle {
    struct User: Decodable, Sendable {
        var name: String
        var age: Int
    }

    static func run() async throws {
        try documents(
            Array(#"{"users":[{"name":"Ada","age":36,"address":{"city":"Turku"}}]}"#.utf8)
        )
    }

    private static func documents(_ text: [UInt8]) throws {
        let body = text
        //> let json
        check(city == "Turku")
        check(users.map(\.name) == ["Ada"] && lenient.value.map(\.age) == [36])
        check(names.count == 1)
    }

    /// Not called: it asks the network.
    private static func events() async {
        //> enum GitHub
    }

    /// Not called: it takes the terminal.
    @MainActor
    private static func explorer() async throws {
        //> try await Explorer
    }
}
