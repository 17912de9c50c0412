import FoundationEssentials
import Synchronization
import TestSupport
import Testing

@testable import Apus

/// A tree of files like the system's, of which a test says what is in it.
private struct Tree {
    let folder: String

    init() throws { folder = Temporary.folder() }

    var reachability: Reachability {
        Reachability(root: folder) { AsyncStream { $0.finish() } }
    }

    func write(_ path: String, _ text: String) {
        let file = "\(folder)/\(path)"
        let parent = file.split(separator: "/").dropLast().joined(separator: "/")
        try? FileManager.default.createDirectory(
            atPath: "/\(parent)",
            withIntermediateDirectories: true
        )
        try? Data(text.utf8).write(to: URL(filePath: file))
    }

    func interface(_ name: String, _ state: String, type: String = "1") {
        write("sys/class/net/\(name)/operstate", "\(state)\n")
        write("sys/class/net/\(name)/type", "\(type)\n")
    }

    func routes(_ lines: String...) {
        let head =
            "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT"
        write("proc/net/route", ([head] + lines).joined(separator: "\n") + "\n")
    }
}

@Suite("Reachability")
struct ReachabilityTests {
    private static let viaEthernet = "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0"
    private static let localNetwork = "eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0"

    @Test("without the system's files nothing is known")
    func unknown() throws {
        #expect(try Tree().reachability.status == .unknown)
    }

    @Test("an interface that is up and has a default route is a way out")
    func online() throws {
        let tree = try Tree()
        tree.interface("lo", "unknown")
        tree.interface("eth0", "up")
        tree.interface("eth1", "up")
        tree.routes(Self.viaEthernet, Self.localNetwork)
        #expect(
            tree.reachability.status == .online([NetworkInterface(name: "eth0", medium: .wired)])
        )
    }

    @Test(
        "an interface that is down, or has no default route, is none",
        arguments: [("down", viaEthernet), ("dormant", viaEthernet), ("up", localNetwork)]
    )
    func offline(state: String, route: String) throws {
        let tree = try Tree()
        tree.interface("lo", "unknown")
        tree.interface("eth0", state)
        tree.routes(route)
        #expect(tree.reachability.status == .offline)
    }

    @Test("a default route of IPv6 is one, and a route that refuses is none")
    func newProtocol() throws {
        let tree = try Tree()
        tree.interface("wlan0", "up")
        tree.write("sys/class/net/wlan0/wireless/x", "")
        let zeros = String(repeating: "0", count: 32)
        let refused =
            "\(zeros) 00 \(zeros) 00 \(zeros) ffffffff 00000001 00000000 00200200       lo\n"
        tree.write("proc/net/ipv6_route", refused)
        #expect(tree.reachability.status == .offline)
        tree.write(
            "proc/net/ipv6_route",
            refused + "\(zeros) 00 \(zeros) 00 fe800000000000000000000000000001 00000400 00000002 "
                + "00000000 00000003    wlan0\n"
        )
        #expect(
            tree.reachability.status
                == .online([NetworkInterface(name: "wlan0", medium: .wireless)])
        )
    }

    @Test("a tunnel that says neither up nor down is a way out")
    func tunnel() throws {
        let tree = try Tree()
        tree.interface("tun0", "unknown", type: "65534")
        tree.routes(Self.viaEthernet.replacing("eth0", with: "tun0"))
        #expect(
            tree.reachability.status == .online([NetworkInterface(name: "tun0", medium: .tunnel)])
        )
    }

    @Test("the status is told first, and then only when it differs")
    func changes() async throws {
        let tree = try Tree()
        tree.interface("eth0", "down")
        tree.routes(Self.viaEthernet)
        let (notices, continuation) = AsyncStream<Void>.makeStream()
        let reachability = Reachability(root: tree.folder) { notices }
        var changes = reachability.changes.makeAsyncIterator()
        #expect(await changes.next() == .offline)
        continuation.yield()
        continuation.yield()
        tree.interface("eth0", "up")
        continuation.yield()
        let up = ReachabilityStatus.online([NetworkInterface(name: "eth0", medium: .wired)])
        #expect(await changes.next() == up)
        continuation.finish()
        #expect(await changes.next() == nil)
    }

    @Test("this machine's own status is told, and cancelling its reader ends the notices")
    func realMachine() async {
        let (first, continuation) = AsyncStream<ReachabilityStatus>.makeStream()
        let reader = Task {
            var count = 0
            for await status in Reachability().changes {
                continuation.yield(status)
                count += 1
            }
            return count
        }
        for await _ in first { break }
        reader.cancel()
        #expect(await reader.value >= 1)
    }

    @Test(
        "offline, a failed name lookup says so; this machine itself is always in reach",
        arguments: [
            ("api.example.com", "offline?"), ("10.0.0.1", "offline?"),
            ("127.0.0.1.evil", "offline?"),
            ("localhost", nil), ("LOCALHOST.", nil), ("api.localhost", nil), ("127.0.0.1", nil),
            ("127.8.9.1", nil), ("::1", nil), ("[::1]", nil),
        ]
    )
    func labels(host: String, label: String?) {
        let error = ApusError(.nameLookup(host: host, detail: ""))
        #expect(ReachabilityStatus.offline.label(for: error) == label)
        #expect(ReachabilityStatus.offline.mayReach(host) == (label == nil))
        #expect(ReachabilityStatus.unknown.label(for: error) == nil)
        #expect(ReachabilityStatus.unknown.mayReach(host))
    }

    @Test("an error that being offline would not explain is left alone")
    func otherErrors() {
        let line = ApusError.RequestLine(method: "GET", url: "http://u:p@h.test:80/x")
        let offline = ReachabilityStatus.offline
        #expect(offline.label(for: ApusError(.cancelled)) == nil)
        #expect(offline.label(for: ApusError(.unacceptableStatus(500))) == nil)
        #expect(
            offline.label(for: ApusError(.timeout(.connecting, limit: .seconds(1)), request: line))
                == "offline?"
        )
        #expect(
            offline.label(for: ApusError(.connect(host: "localhost", port: 1, detail: ""))) == nil
        )
    }

    @Test("a request is sent whatever the status says: it only advises")
    func advisory() async throws {
        // The provider knows nothing of reachability; over loopback all works though a
        // tree says offline.
        let tree = try Tree()
        tree.routes()
        #expect(tree.reachability.status == .offline)
        let server = try RawServer { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"), .close]
        }
        let target = TestTarget(base: "http://\(server.authority)", cachePolicy: .none)
        let provider = Provider<MultiTarget>.sending(over: CurlTransport())
        let response = try await provider.response(for: MultiTarget(target))
        #expect(response.status == 200)
    }
}
