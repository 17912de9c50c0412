/// An alert of TLS with which a server ended a connection (RFC 8446, section 6.2), as OpenSSL words it.
///
/// ```
/// OpenSSL/3.0.15: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0
///                                              └─ since ─┘ └──── its name ─────┘
/// ```
struct TLSAlert {
    /// Its name: "certificate required".
    let name: String

    /// Finds the alert in a message of libcurl; nil if it is about something else.
    init?(_ detail: String) {
        // GnuTLS says "fatal alert has been received", with a name in brackets, which is left to its own words.
        guard detail.utf8.firstRange(of: "SSL routines".utf8) != nil,
            let mark = detail.utf8.firstRange(of: " alert ".utf8)
        else { return nil }
        let words = detail[mark.upperBound...].prefix { $0 != "," && $0 != "(" }
        name = String(words.reversed().drop { $0 == " " }.reversed())
        guard !name.isEmpty else { return nil }
    }

    /// What it means for a client that has, or has not, a certificate.
    func failure(hasCertificate: Bool) -> ApusError.TLSFailure {
        switch name {
        case "certificate required": .certificateRequired
        // Servers of TLS 1.2 have no other word for a certificate that is missing.
        case "bad certificate", "no certificate":
            hasCertificate ? .certificateRefused : .certificateRequired
        case "unknown ca", "access denied", "unsupported certificate", "certificate revoked",
            "certificate expired", "certificate unknown", "decrypt error":
            hasCertificate ? .certificateRefused : .handshake
        case "protocol version", "insufficient security", "inappropriate fallback":
            name == "protocol version" ? .protocolVersion : .handshake
        default: .handshake
        }
    }

    /// What the server sent, in words.
    var words: String { "the server sent the TLS alert “\(name)”" }
}
