import Apus
import HTTPTypes
import TestSupport

/// One of the requests that use a handle of libcurl's one after the other.
struct HandleUse: Sendable {
    /// All that a use shows, but for what is its own each time.
    struct Outcome: Equatable {
        var received: [String]
        var status: Int?
        var body: String?
        var redirects: [Int]?
        var version: String?
        var isTraced: Bool?
        var code: Int?
        var isProgressTold: Bool
    }

    let name: String
    let request: PreparedRequest
    var reportsProgress = false

    /// Sends it, and says what came of it and what the server saw.
    func outcome(on transport: CurlTransport, at server: RawServer) async -> Outcome {
        let before = server.received.count
        let told = Told()
        let progress: @Sendable (TransferProgress) -> Void = { told.add($0) }
        var response: Response?
        var code: Int?
        do throws(ApusError) {
            response = try await transport.send(
                request,
                progress: reportsProgress ? progress : nil
            )
        } catch {
            response = error.response
            // What it waited for when time ran out is a matter of luck.
            code = (2001...2003).contains(error.code) ? 2003 : error.code
        }
        return Outcome(
            // One that nobody waits for may still come in during the next.
            received: server.received.dropFirst(before).filter { $0.path != "/silent" }
                .map(Self.text),
            status: response?.status,
            body: response?.bodyText,
            redirects: response?.redirects.map(\.status),
            version: response?.metrics?.negotiatedVersion,
            isTraced: response?.metrics.map { !$0.trace.isEmpty },
            code: code,
            isProgressTold: !told.all.isEmpty
        )
    }

    /// A request as it came in; the response to a challenge has a number of its own each time.
    private static func text(_ received: RawServer.Received) -> String {
        let fields = received.fields.map { field in
            field.hasPrefix("Authorization: Digest") ? "Authorization: Digest" : field
        }
        let body = String(decoding: received.body, as: UTF8.self)
        return ([received.line] + fields + [body]).joined(separator: "\n")
    }
}
