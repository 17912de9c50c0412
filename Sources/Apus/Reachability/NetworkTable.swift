/// Reads interfaces and routes from the system's files.
struct NetworkTable: Sendable {
    /// The folder that contains `sys` and `proc`.
    let root: String

    var status: ReachabilityStatus {
        guard let routed = routedInterfaces else { return .unknown }
        let interfaces = Folders.names(in: "\(root)/sys/class/net").sorted()
            .filter { routed.contains($0) && isUp($0) }
        return interfaces.isEmpty
            ? .offline
            : .online(interfaces.map { NetworkInterface(name: $0, medium: medium(of: $0)) })
    }

    /// The interfaces with a default route; nil if no route file can be read.
    private var routedInterfaces: Set<String>? {
        let old = text("proc/net/route").map(Self.defaults)
        let new = text("proc/net/ipv6_route").map(Self.defaults6)
        if old == nil, new == nil { return nil }
        return (old ?? []).union(new ?? []).subtracting(["lo"])
    }

    /// Tunnels report "unknown", so that counts as up.
    private func isUp(_ name: String) -> Bool {
        ["up", "unknown"].contains(text("sys/class/net/\(name)/operstate")?.firstWord)
    }

    private func medium(of name: String) -> NetworkInterface.Medium {
        let names = Folders.names(in: "\(root)/sys/class/net/\(name)")
        if names.contains("wireless") || names.contains("phy80211") { return .wireless }
        // ARPHRD_PPP, ARPHRD_TUNNEL and ARPHRD_NONE, the type of `tun` and WireGuard.
        let types = ["512", "768", "65534"]
        let type = text("sys/class/net/\(name)/type")?.firstWord
        return type.map(types.contains) == true ? .tunnel : .wired
    }

    /// Columns: `Iface Destination Gateway Flags …`, in hexadecimal.
    private static func defaults(_ text: String) -> Set<String> {
        names(in: text) { words in
            guard words.count > 7, words[1] == "00000000", words[7] == "00000000" else {
                return nil
            }
            return (words[0], words[3])
        }
    }

    /// Columns: `Destination Length Source Length Gateway Metric References Uses Flags Iface`.
    private static func defaults6(_ text: String) -> Set<String> {
        names(in: text) { words in
            guard words.count > 9, words[1] == "00", words[0].allSatisfy({ $0 == "0" }) else {
                return nil
            }
            return (words[9], words[8])
        }
    }

    private static func names(
        in text: String,
        _ route: ([Substring]) -> (name: Substring, flags: Substring)?
    ) -> Set<String> {
        let isUsed: Int = 0x1
        let isRefused: Int = 0x200
        let names = text.split(whereSeparator: \.isNewline).compactMap { line -> String? in
            guard
                let route = route(
                    line.split(separator: " ", omittingEmptySubsequences: true)
                        .flatMap { $0.split(separator: "\t") }
                ),
                let flags = Int(route.flags, radix: 16), flags & isUsed != 0,
                flags & isRefused == 0
            else { return nil }
            return String(route.name)
        }
        return Set(names)
    }

    private func text(_ path: String) -> String? {
        // An unreadable file counts as missing.
        (try? FileBytes.read("\(root)/\(path)")).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension String {
    fileprivate var firstWord: String? {
        split { $0.isWhitespace }.first.map(String.init)
    }
}

/// A network interface of this machine.
public struct NetworkInterface: Sendable, Hashable {
    /// The kind of network that an interface connects to.
    public enum Medium: String, Sendable, Hashable {
        /// A wired network, or something that behaves like one.
        case wired
        /// A wireless network, such as Wi-Fi.
        case wireless
        /// A tunnel, such as a VPN's.
        case tunnel
    }

    /// Its name, such as `eth0`.
    public let name: String
    /// The kind of network it connects to.
    public let medium: Medium
}
