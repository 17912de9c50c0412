import FoundationEssentials
import Glibc
import Testing

@testable import Apus

/// What the other process does in `CacheProcessTests`; nothing in a run of its own.
struct CacheChildTests {
    private static var role: String? { variable(ChildProcess.roleVariable) }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    @Test("plays its role", .enabled(if: role != nil))
    func play() async throws {
        ChildProcess.endWithParent()
        let folder = try #require(Self.variable(ChildProcess.folderVariable))
        switch Self.role {
        case "write": await Self.writeUntilKilled(folder)
        case "store": await Self.store(folder)
        case "exit": await Self.keepAndExit(folder)
        case "readOnly": try await Self.useReadOnly(folder)
        default: Issue.record("no such role")
        }
    }

    /// Stores small and large responses, over and over.
    private static func writeUntilKilled(_ folder: String) async {
        let cache = ResponseCache(configuration: .init(directory: folder, memoryCountLimit: 0))
        for round in 0..<1_000_000 {
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let size = number % 5 == 0 ? 100_000 + round : 1000 + round
                        let response = Response.fromServer(
                            "/\(number)",
                            body: .bytes([UInt8](repeating: UInt8(number), count: size))
                        )
                        let key = cache.key(for: response.request, policy: .keep())
                        _ = await cache.store(response, key: key, policy: .keep())
                    }
                }
            }
        }
    }

    private static func store(_ folder: String) async {
        let cache = ResponseCache(configuration: .init(directory: folder))
        for path in ["/both", "/child"] {
            let response = Response.fromServer(path, body: .bytes(Array("child".utf8)))
            let key = cache.key(for: response.request, policy: .keep())
            _ = await cache.store(response, key: key, policy: .keep())
        }
        await cache.close()
    }

    /// Ends right after the responses, without closing the cache.
    private static func keepAndExit(_ folder: String) async {
        let cache = ResponseCache(configuration: .init(directory: folder))
        for number in 0..<50 {
            let size = number % 10 == 0 ? 100_000 : 1000
            let response = Response.fromServer(
                "/\(number)",
                body: .bytes([UInt8](repeating: UInt8(number), count: size))
            )
            let key = cache.key(for: response.request, policy: .keep())
            _ = await cache.keep(response, key: key, policy: .keep())
        }
        exit(0)
    }

    /// Nobody but root may write everywhere.
    private static func useReadOnly(_ folder: String) async throws {
        if getuid() == 0 { #expect(setuid(65534) == 0) }
        let notices = Notices()
        let cache = ResponseCache(
            configuration: .init(directory: folder),
            notice: { notices.add($0) }
        )
        let response = Response.fromServer("/users")
        let key = cache.key(for: response.request, policy: .keep())
        guard
            case .stored(.memory, _) = await cache.store(response, key: key, policy: .keep())
        else {
            Issue.record("not in memory only")
            return
        }
        let found = await cache.lookup(key, policy: .keep(), for: response.request)
        #expect(found.response?.source.isMemory == true)
        #expect(!notices.all.isEmpty)
    }
}
