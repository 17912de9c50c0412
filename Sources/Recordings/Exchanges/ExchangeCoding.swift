import Apus
import FoundationEssentials
import HTTPTypes

/// A request's head as lines: method, scheme, authority, path, then "Name: value" for each field.
enum RequestHeadCoding {
    static func bytes(_ head: HTTPRequest) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        bytes.append(contentsOf: head.method.rawValue.utf8)
        for part in [head.scheme, head.authority, head.path] {
            bytes.append(UInt8(ascii: "\n"))
            bytes.append(contentsOf: (part ?? "").utf8)
        }
        for field in head.headerFields {
            bytes.append(UInt8(ascii: "\n"))
            bytes.append(contentsOf: field.name.rawName.utf8)
            bytes.append(contentsOf: ": ".utf8)
            bytes.append(contentsOf: field.value.utf8)
        }
        return bytes
    }

    /// Parses a head; nil if the bytes are not one.
    static func head(_ bytes: some Collection<UInt8>) -> HTTPRequest? {
        let lines = String(decoding: bytes, as: UTF8.self).unicodeScalars
            .split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 4, let method = HTTPRequest.Method(String(lines[0])) else {
            return nil
        }
        func part(_ line: Substring.UnicodeScalarView) -> String? {
            line.isEmpty ? nil : String(line)
        }
        var fields = HTTPFields()
        for line in lines.dropFirst(4) {
            guard let end = line.firstIndex(of: ":"),
                let name = HTTPField.Name(String(line[..<end]))
            else { return nil }
            let value = line[end...].dropFirst(2)
            guard fields.appendForeign(HTTPField(name: name, value: String(value))) else {
                return nil
            }
        }
        return HTTPRequest(
            method: method,
            scheme: part(lines[1]),
            authority: part(lines[2]),
            path: part(lines[3]),
            headerFields: fields
        )
    }
}

/// The phases of a transfer, each as 32-bit microseconds in little-endian order; then, if the server's
/// certificate was not verified, a byte that is 1.
enum PhaseBytes {
    static func bytes(_ metrics: TransferMetrics) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(29)
        for phase in metrics.phases.times {
            let microseconds = phase / .microseconds(1)
            let number = UInt32(min(max(0, microseconds), 4_294_967_295))
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        if metrics.tls?.isVerified == false { bytes.append(1) }
        return bytes
    }

    /// Whether the server's certificate was not verified.
    static func isUnverified(_ bytes: [UInt8]) -> Bool { bytes.count == 29 && bytes.last == 1 }

    /// Parses phases; nil if there are not exactly 28 bytes, or 29.
    static func phases(_ bytes: [UInt8]) -> TransferMetrics.Phases? {
        guard bytes.count == 28 || bytes.count == 29 else { return nil }
        let times = stride(from: 0, to: 28, by: 4).map { start -> Duration in
            var microseconds = 0
            for byte in bytes[start..<(start + 4)].reversed() {
                microseconds = microseconds << 8 | Int(byte)
            }
            return .microseconds(microseconds)
        }
        return TransferMetrics.Phases(times: times)
    }
}

extension TransferMetrics.Phases {
    /// All seven phases, in the order in which they are stored.
    var times: [Duration] {
        [nameLookup, connect, secureConnect, preTransfer, firstByte, total, redirects]
    }

    /// Nil unless there are exactly seven times.
    init?(times: [Duration]) {
        guard times.count == 7 else { return nil }
        self.init(
            nameLookup: times[0],
            connect: times[1],
            secureConnect: times[2],
            preTransfer: times[3],
            firstByte: times[4],
            total: times[5],
            redirects: times[6]
        )
    }
}

extension ResponseSource {
    /// The names of all sources.
    static let names = [
        "server", "memory", "disk", "shared", "gateway", "stub", "replay", "synthetic",
    ]

    /// The name under which it is recorded.
    var name: String {
        switch self {
        case .server: "server"
        case .memory: "memory"
        case .disk: "disk"
        case .shared: "shared"
        case .gateway: "gateway"
        case .stub: "stub"
        case .replay: "replay"
        case .synthetic: "synthetic"
        }
    }
}
