import Glibc

/// The connections of this machine, as the kernel lists them.
enum OpenSockets {
    /// How many sockets are connected to a port of this machine, closing ones
    /// that nobody holds any more left out.
    static func count(to port: UInt16) -> Int {
        let hex = String(port, radix: 16, uppercase: true)
        let remote = ":" + String(repeating: "0", count: 4 - hex.count) + hex
        let lines = (Temporary.text("/proc/self/net/tcp") ?? "").split(separator: "\n")
        return lines.count { line in
            let columns = line.split(separator: " ")
            // 01 is "established", 08 "closed by the peer, and still held by us".
            return columns.count > 3 && columns[2].hasSuffix(remote)
                && ["01", "08"].contains(columns[3])
        }
    }

    /// How many sockets of this process that are connected to a port a program begun now would
    /// inherit.
    static func inheritable(to port: UInt16) -> Int {
        Temporary.names(in: "/proc/self/fd").compactMap { Int32($0) }.count { descriptor in
            var address = sockaddr_in()
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getpeername(descriptor, $0, &size) == 0
                }
            }
            return isConnected && UInt16(bigEndian: address.sin_port) == port
                && fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0
        }
    }

    /// How many descriptors of this process refer to a file.
    static func descriptors(of path: String) -> Int {
        Temporary.names(in: "/proc/self/fd").count { name in
            var target = [CChar](repeating: 0, count: 4096)
            let count = readlink("/proc/self/fd/\(name)", &target, target.count)
            guard count > 0 else { return false }
            let bytes = target[..<count].map { UInt8(bitPattern: $0) }
            return String(decoding: bytes, as: UTF8.self) == path
        }
    }
}
