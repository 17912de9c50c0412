import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// What tests start ends with them, also when they are killed.
struct ChildEndTests {
    private static let role = getenv(ChildProcess.roleVariable).map { String(cString: $0) }
    private static let folder = getenv(ChildProcess.folderVariable).map { String(cString: $0) }

    @Test("in the other process: starts the servers", .enabled(if: role == "servers"))
    func start() async throws {
        ChildProcess.endWithParent()
        let servers = [try Nginx.shared().plain, try TLSNginx.shared().authority(.good)]
        let file = try #require(Self.folder) + "/servers"
        try Temporary.write(servers.joined(separator: " "), to: file + ".new")
        #expect(rename(file + ".new", file) == 0)
        for await _ in AsyncStream<Void>.makeStream().stream {}
    }

    @Test("both nginx end with a test process that is killed", .enabled(if: role == nil))
    func killed() async throws {
        let folder = Temporary.folder()
        let child = try ChildProcess(role: "servers", folder: folder, suite: "ChildEndTests")
        #expect(await comesTrue { Temporary.exists(folder + "/servers") })
        let text = try #require(Temporary.text(folder + "/servers"))
        let ports = text.split(separator: " ").compactMap { $0.split(separator: ":").last }
            .compactMap { UInt16($0) }
        #expect(ports.count == 2)
        #expect(ports.allSatisfy(Self.isListenedTo))
        child.kill()
        #expect(await comesTrue { !ports.contains(where: Self.isListenedTo) })
    }

    private static func isListenedTo(_ port: UInt16) -> Bool {
        // An error is that nobody listens.
        (try? RawConnection(port: port)) != nil
    }
}
