import Apus
import Foundation
import HTTPTypes
import Synchronization

/// Runs what the articles say, and ends with 1 if something of it is not so.
func runArticles() async {
    let articles: [(String, () async throws -> Void)] = [
        ("README", READMEArticle.run), ("GettingStarted", GettingStartedArticle.run),
        ("Responses", ResponsesArticle.run), ("BatchAndChain", BatchAndChainArticle.run),
        ("Caching", CachingArticle.run), ("Exporting", ExportingArticle.run),
        ("Plugins", PluginsArticle.run),
        ("TargetsAndRequests", TargetsAndRequestsArticle.run),
        ("TestingWithStubs", TestingWithStubsArticle.run),
        ("Authentication", AuthenticationArticle.run), ("Cookies", CookiesArticle.run),
        ("Decoding", DecodingArticle.run), ("Streaming", StreamingArticle.run),
        ("RecordingSessions", RecordingSessionsArticle.run), ("Errors", ErrorsArticle.run),
        ("Documents", DocumentsArticle.run), ("ReadingFormats", ReadingFormatsArticle.run),
        ("Adopting", AdoptingArticle.run), ("ExploringTargets", ExploringTargetsArticle.run),
        ("Recordings", RecordingsArticle.run), ("ApusReactive", ApusReactiveArticle.run),
        ("Explorer", ExplorerArticle.run), ("TreeView", TreeViewArticle.run),
    ]
    for (name, run) in articles {
        do { try await run() } catch { check(false, "\(name): \(error)") }
    }
    exit(faults.withLock { $0 } == 0 ? 0 : 1)
}

private let faults = Mutex(0)

func check(_ isTrue: Bool, _ what: String = "", file: String = #filePath, line: Int = #line) {
    guard !isTrue else { return }
    faults.withLock { $0 += 1 }
    FileHandle.standardError.write(Data("\(file):\(line): error: not so \(what)\n".utf8))
}

/// A file of the repository, in whose folder this runs.
func text(of path: String) throws -> String {
    try String(contentsOf: URL(filePath: path), encoding: .utf8)
}

/// Waits until something is so, on the actor that asks.
func wait(
    isolation: isolated (any Actor)? = #isolation,
    until isSo: () -> Bool
) async {
    while !isSo() { await Task.yield() }
}

/// A network that gives each request the same response: all that a transport has to be is `send`.
struct Canned: Transport {
    let body: [UInt8]
    let status: Int
    let fields: HTTPFields
    let sent = Sent()

    init(
        _ text: String = #"{"login":"ada","id":7}"#,
        bytes: [UInt8]? = nil,
        status: Int = 200,
        fields: HTTPFields = [:]
    ) {
        body = bytes ?? Array(text.utf8)
        self.status = status
        self.fields = fields
    }

    final class Sent: Sendable {
        private let requests = Mutex<[PreparedRequest]>([])
        var all: [PreparedRequest] { requests.withLock { $0 } }
        func add(_ request: PreparedRequest) { requests.withLock { $0.append(request) } }
    }

    func send(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response {
        sent.add(request)
        return Response(
            request: request,
            head: HTTPResponse(status: .init(code: status), headerFields: fields),
            body: .bytes(body),
            source: .server,
            received: Date()
        )
    }
}

/// A network whose responses depend on the request.
struct Scripted: Transport {
    let respond: @Sendable (PreparedRequest) -> (status: Int, text: String)

    func send(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response {
        let (status, text) = respond(request)
        return try await Canned(text, status: status).send(request, progress: progress)
    }
}

/// A server's response.
func answer(_ text: String = "", bytes: [UInt8]? = nil) async throws -> Response {
    try await Provider<GitHub>(transport: Canned(text, bytes: bytes), cache: temporaryCache())
        .response(for: .user("ada"))
}

/// A cache that leaves nothing behind.
func temporaryCache() -> ResponseCache {
    ResponseCache(configuration: .init(directory: temporaryFolder()))
}

func temporaryFolder() -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "apus-\(UUID())")
    folders.withLock { folders in
        if folders.isEmpty { atexit { removeFolders() } }
        folders.append(folder)
    }
    return folder.path
}

private let folders = Mutex<[URL]>([])
private func removeFolders() {
    for folder in folders.withLock({ $0 }) { try? FileManager.default.removeItem(at: folder) }
}

// What the articles presuppose.

let url = "http://127.0.0.1/users/ada"
let provider = Provider<GitHub>(transport: Canned(), cache: temporaryCache())

struct Problem: Decodable, Sendable {
    var message: String
}
