import Apus
import Foundation
import HTTPTypes
import Recordings
import Testing

/// What a stranger's tests do with recordings: a folder of text files stands in for the server.
@Suite struct CassetteTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID())")

    private func cassette(
        _ name: String,
        matching: ReplayTransport.Matching = .request,
        unmatched: ReplayTransport.Unmatched = .fail
    ) async throws -> ReplayTransport {
        let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/\(name)")
        let history = History(path: folder.appending(path: "\(name).sqlite").path)
        let session = try await history.importSession(from: fixtures.path)
        return .replaying(history, session: session.id, matching: matching, unmatched: unmatched)
    }

    @Test("the fixture responses, equal requests in their order and then the last again")
    func answers() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let shop = Provider<Shop>(transport: try await cassette("checkout"))
        #expect(
            try await shop.value(for: .books, using: .decodable([Book].self)).map(\.title) == [
                "Dune"
            ]
        )
        for number in [1, 2, 2] {
            let order = try await shop.value(for: .order("Dune"), using: .decodable(Order.self))
            #expect(order.number == number)
        }
        let response = try await shop.response(for: .books)
        #expect(response.source == .replay && response.status == 200)
    }

    @Test("secrets of the tests do not count, in the URL and the body neither")
    func secrets() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let shop = Provider<Shop>(transport: try await cassette("checkout"))
        let login = Shop.login(user: "ada", password: "of the tests")
        #expect(try await shop.value(for: login, using: .decodable(Order.self)).number == 4)
        await #expect(throws: ApusError.self) {
            try await shop.response(for: .login(user: "eve", password: "of the tests"))
        }
    }

    @Test("a body with a time and a random number is answered if these are ignored")
    func randomBody() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let order = Shop.timedOrder("Dune", at: Date(), nonce: .random(in: 0 ... .max))
        let strict = Provider<Shop>(transport: try await cassette("checkout"))
        let error = await #expect(throws: ApusError.self) { try await strict.response(for: order) }
        // What differs from the nearest recorded request is in the words.
        #expect(error?.localizedDescription.contains("nonce") == true)
        let lenient = try await cassette(
            "checkout",
            matching: .request.ignoring(members: ["at", "nonce"])
        )
        let shop = Provider<Shop>(transport: lenient)
        #expect(try await shop.value(for: order, using: .decodable(Order.self)).number == 1)
        var lines = shop.lines(for: order).makeAsyncIterator()
        #expect(try await lines.next()?.contains("2") == true)
    }

    @Test("what the fixture does not have fails, or goes on to somebody else")
    func unmatched() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let shop = Provider<Shop>(transport: try await cassette("checkout"))
        await #expect(throws: ApusError.self) { try await shop.response(for: .order("Emma")) }
        let other = try await cassette("checkout", unmatched: .send(through: Nobody()))
        let error = await #expect(throws: ApusError.self) {
            try await Provider<Shop>(transport: other).response(for: .order("Emma"))
        }
        #expect(error?.reason == .cancelled)
    }
}

private struct Book: Decodable, Sendable {
    var title: String
}

private struct Order: Decodable, Sendable {
    var number: Int
}

private enum Shop: TargetType {
    case books
    case order(String)
    case timedOrder(String, at: Date, nonce: UInt64)
    case login(user: String, password: String)

    // swift-format-ignore: NeverForceUnwrap
    var baseURL: URL { URL(string: "https://shop.example")! }
    var path: String {
        switch self {
        case .books: "books"
        case .order, .timedOrder: "orders"
        case .login: "login"
        }
    }
    var method: HTTPRequest.Method { if case .books = self { .get } else { .post } }
    var task: RequestTask {
        switch self {
        case .books: .plain
        case .order(let item): .json(["item": item])
        case .timedOrder(let item, let date, let nonce):
            .json(["item": item, "at": date.ISO8601Format(), "nonce": "\(nonce)"])
        case .login(let user, let password):
            .composite(
                body: .json(["user": user, "password": password]),
                query: [Parameter("api_key", "key of the tests")]
            )
        }
    }
    var headerFields: HTTPFields { [.authorization: "Bearer of the tests"] }
}

/// A network that nobody answers in.
private struct Nobody: Transport {
    func send(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response { throw ApusError(.cancelled) }
}
