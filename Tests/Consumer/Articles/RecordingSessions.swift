import Apus
import Documents
import Foundation
import HTTPTypes
import Recordings
import Synchronization

enum RecordingSessionsArticle {
    private enum Shop: TargetType {
        case books
        case order(String)

        // swift-format-ignore: NeverForceUnwrap
        var baseURL: URL { URL(string: "https://shop.example")! }
        var path: String { if case .books = self { "books" } else { "orders" } }
        var method: HTTPRequest.Method { if case .books = self { .get } else { .post } }
        var task: RequestTask {
            if case .order(let item) = self { .json(["item": item]) } else { .plain }
        }
        var headerFields: HTTPFields { [.authorization: "Bearer s3cret"] }
    }

    private struct Order: Decodable, Sendable {
        var number: Int
    }

    private static let fixtures = temporaryFolder()
    private static let server = Counting()

    static func run() async throws {
        let path = temporaryFolder() + "/history.sqlite"
        //> let history
        check(server.count == 2)
        //> let replaying
        check(books.source == .replay && server.count == 2)
        do {
            _ = try await replaying.response(for: .order("pen"))
            check(false, "what was not recorded fails")
        } catch {
            check("\(error)".contains("has no such request"))
        }
        //> let growing
        check(first.source == .server && second.source == .replay && server.count == 3)
        //> let timed
        let stamped = try await timed.response(for: .order("book"))
        check(stamped.source == .replay)
        //> let versioned
        check(!versioned.comparesHost && versioned.ignoredPaths.count == 1)
        try FileManager.default.createDirectory(atPath: fixtures, withIntermediateDirectories: true)
        //> try await history.export
        //> func cassette
        //> let shop
        check(order.number == 2 && server.count == 3)
        let names = try FileManager.default.contentsOfDirectory(atPath: fixtures + "/checkout")
        check(names.sorted().prefix(2) == [".gitattributes", "001-get-books.txt"])
        let file = try text(of: fixtures + "/checkout/002-post-orders.txt")
        check(file.hasPrefix("POST https://shop.example/orders\n> "))
        check(file.contains("> Authorization: Bearer ••1\n") && !file.contains("s3cret"))
    }
}

/// A server that numbers the orders.
private final class Counting: Transport {
    private let requests = Mutex(0)

    var count: Int { requests.withLock { $0 } }

    func send(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response {
        let number = requests.withLock { count in
            count += 1
            return count
        }
        return Response(
            request: request,
            head: HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]),
            body: .bytes(Array(#"{"number":\#(number)}"#.utf8)),
            source: .server,
            received: Date()
        )
    }
}
