import Apus
import Foundation
import Recordings

enum RecordingsArticle {
    static func run() async throws {
        let (path, folder) = (temporaryFolder() + "/history.sqlite", temporaryFolder())
        let transport = Canned()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        //> let history
        //> let found
        check(found.map(\.status) == [200])
        //> let replaying
        check(again.source == .replay && transport.sent.all.count == 1)
        //> try await history.export
        check(imported.name == "checkout" && imported.count == 1)
    }
}
