import Apus
import Documents
import Foundation
import HTTPTypes
import Synchronization

struct StreamingArticle {
    enum Feed: TargetType {
        case log
        case changes

        // swift-format-ignore: NeverForceUnwrap
        var baseURL: URL { URL(string: "https://feed.example")! }
        var path: String { self == .log ? "log" : "changes" }
    }

    private struct LogLine: Decodable {
        var level: String
        var text: String
    }

    private static let stubs = Stubs { target in
        guard target as? Feed == .changes else {
            return .immediate(
                .text(
                    #"{"level":"info","text":"begun"}"# + "\n" + #"{"level":"info","text":"done"}"#
                )
            )
        }
        return .immediate(
            StubResponse(
                headerFields: [.contentType: "text/event-stream"],
                body: .bytes(
                    Array("id: 7\nevent: added\ndata: Ada\n\nretry: 0\ndata: Bea\n\n".utf8)
                )
            )
        )
    }

    //> func follow

    static func run() async throws {
        let provider = Provider<Feed>(stubs: stubs)
        //> for try await line
        //> for try await event
        let seen = Mutex<[ServerSentEvent]>([])
        let following = Task {
            try await StreamingArticle().follow(provider) { event in
                seen.withLock { $0.append(event) }
            }
        }
        await wait { seen.withLock(\.count) >= 4 }
        following.cancel()
        check(seen.withLock { $0.map(\.data).prefix(3) } == ["Ada", "Bea", "Ada"])
        //> let stream
        check(stream.status == 200 && size == 62)
    }
}
