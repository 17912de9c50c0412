import Dispatch
import FoundationEssentials
import HTTPTypes

@testable import Apus
@testable import ApusCommand
@testable import Documents
@testable import Workspaces

/// An image's header, and its pixels where they can be read.
func fuzzImages(_ input: [UInt8]) {
    _ = ImageHeader(DocumentBytes(input))
    let serializer = ImageSerializer.image(maximumPixels: 1 << 20)
    guard let image = try? serializer.serialize(response(head([:]), input)) else { return }
    guard let pixels = image.pixels, let size = image.size else { return }
    expect(pixels.count == size.pixelCount * 4, "an image has all of its pixels")
}

/// What an authorization server says; and answers with errors or an envelope of their own.
func fuzzTokens(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    _ = (QueryEditing.value(of: "state", in: text), QueryEditing.value(of: "error", in: text))
    let answer = response(head([.contentType: "application/json"]), input)
    _ = try? answer.graphQLErrors()
    let envelope = ResponseEnvelope(code: "a>b", message: "$.c", data: "d[0]", success: "0")
    _ = try? envelope.read(answer)
    guard let json = try? JSON(parsing: input) else { return }
    if let token = OAuth2Token(response: json, received: now) { check(token) }
    if let token = try? DocumentDecoder().decode(OAuth2Token.self, from: input) { check(token) }
    let configuration = OAuth2Configuration(
        tokenEndpoint: "http://a.example/token",
        deviceEndpoint: "http://a.example/device",
        clientID: "a"
    )
    let client = OAuth2Client(configuration, transport: OneResponse(answer: answer), now: { now })
    guard let device = result(of: { try await client.deviceAuthorization() }) else { return }
    expect(device.interval >= .seconds(1), "a server is not asked without a pause")
    expect(device.interval * 2 > device.interval, "a pause can grow")
}

private func check(_ token: OAuth2Token) {
    let secret = token.accessToken.value
    expect(secret.count < 8 || !"\(token)".contains(secret), "a token is not printed")
    guard let bytes = try? JSONEncoder().encode(token) else {
        return expect(false, "a token that was read can be kept")
    }
    let again = try? DocumentDecoder().decode(OAuth2Token.self, from: Array(bytes))
    expect(again?.accessToken == token.accessToken, "a token that is kept comes back")
    let ends = [token.expires, again?.expires].map { $0?.timeIntervalSince(now) ?? 0 }
    // It is kept in seconds since 1970, which are less exact.
    expect(abs(ends[0] - ends[1]) <= 1e-6 * max(1, abs(ends[0])), "so does its end")
}

/// A transport that has one response to everything.
private struct OneResponse: Transport {
    let answer: Response

    func send(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response { answer }
}

/// What some work gives, waited for; nil if it throws.
func result<T: Sendable>(of work: @escaping @Sendable () async throws -> T) -> T? {
    let found = Found<T>()
    let isDone = DispatchSemaphore(value: 0)
    Task {
        found.value = try? await work()
        isDone.signal()
    }
    isDone.wait()
    return found.value
}

// @unchecked because it is read after the semaphore only.
private final class Found<T>: @unchecked Sendable {
    var value: T?
}

/// The lines of `apus pipe`.
func fuzzPipe(_ input: [UInt8]) {
    let whole = lines(in: [input])
    let half = input.count / 2
    expect(whole == lines(in: [Array(input[..<half]), Array(input[half...])]), "a line is one")
    let short = lines(in: [input], limit: 100)
    expect(short == whole.map { ($0?.count ?? 0) > 100 ? nil : $0 }, "a long line is none")
    for case let line? in whole {
        let document = Document.parse(DocumentBytes(line))
        if let fault = document.fault { _ = document.position(of: fault.offset) }
        guard document.fault == nil else { continue }
        do throws(PipeError) {
            check(try PipeRequest(JSON(document: document)))
        } catch {
            expect(!error.message.isEmpty, "what is wrong is said")
            let count = String(decoding: line, as: UTF8.self).unicodeScalars.count
            expect(error.column.map { 1...count ~= $0 } ?? true, "a fault is in its line")
        }
    }
}

private func lines(in pieces: [[UInt8]], limit: Int = .max) -> [[UInt8]?] {
    var splitter = LineSplitter(limit: limit)
    var lines: [[UInt8]?] = []
    for piece in pieces {
        piece.withUnsafeBytes { bytes in splitter.append(bytes) { lines.append($0) } }
    }
    splitter.finish { lines.append($0) }
    return lines
}

private func check(_ request: PipeRequest) {
    expect(request.timeout.map { $0 >= 0 } ?? true, "a time limit is not negative")
    guard case .url(let url, _, let fields, let body) = request.subject else { return }
    expect(url.lowercased().hasPrefix("http"), "a URL is of HTTP")
    for field in fields {
        expect(!bytes(of: field).contains { [0, 0x0A, 0x0D].contains($0) }, "a field is a line")
    }
    let length = fields[values: .contentLength]
    expect(length.allSatisfy { $0 == "\(body?.count ?? 0)" }, "a length is that of the body")
}
