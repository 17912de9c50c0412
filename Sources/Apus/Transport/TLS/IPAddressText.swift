import Glibc

/// Addresses in one form each, so that they can be compared as text.
enum IPAddressText {
    /// An address in its usual form, without brackets; nil for a host's name.
    static func normalized(_ host: String) -> String? {
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        let bare = isBracketed ? String(host.dropFirst().dropLast()) : host
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, bare, &bytes) == 1 { return text(of: Array(bytes.prefix(4))) }
        return inet_pton(AF_INET6, bare, &bytes) == 1 ? text(of: bytes) : nil
    }

    /// The text of an address of 4 or 16 bytes; nil for any other number.
    static func text(of bytes: [UInt8]) -> String? {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        // More than the longest address has.
        var text = [CChar](repeating: 0, count: 64)
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
