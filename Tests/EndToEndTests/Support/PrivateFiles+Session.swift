import Apus
import FoundationEssentials
import HTTPTypes
import Recordings
import TestSupport

extension PrivateFiles {
    /// Records requests in the session “day” that were answered 200, half a second after another.
    func record(
        _ paths: [String],
        of server: RawServer,
        authority: String? = nil,
        fields: HTTPFields = [:]
    ) async throws {
        let history = History(path: home + "/data/apus/history.sqlite")
        let session = try await history.session(named: "day")
        for (place, path) in paths.enumerated() {
            let request = PreparedRequest(
                head: HTTPRequest(
                    method: .get,
                    scheme: "http",
                    authority: authority ?? server.authority,
                    path: path,
                    headerFields: fields
                )
            )
            let answer = Response(
                request: request,
                head: HTTPResponse(status: .ok),
                body: .bytes(Array("x".utf8)),
                source: .server,
                received: Date()
            )
            let started = Date(timeIntervalSinceReferenceDate: 8e8 + Double(place) / 2)
            await history.record(
                ExchangeRecord(
                    started: started,
                    request: request,
                    result: .success(answer),
                    duration: .milliseconds(1)
                ),
                in: session
            )
        }
        await history.close()
    }
}
