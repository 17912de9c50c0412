import Apus
import Documents

/// A TLS session as a JSON object.
///
/// Version 1: `version`, `cipher`, `alpn` as far as they are known; `verified`; `fault`, the reason why the
/// certificate is not trusted, if there is one; and `certificates`, the server's own first, each with `subject`,
/// `issuer`, `names`, `from`, `until` and `pem`.
enum TLSJSON {
    static func value(
        of tls: TransferMetrics.TLS,
        _ certificates: [TransferMetrics.Certificate]
    ) -> JSON {
        var members: [(String, JSON)] = []
        func add(_ name: String, _ text: String?) {
            if let text { members.append((name, JSON(text))) }
        }
        add("version", tls.version)
        add("cipher", tls.cipher)
        add("alpn", tls.applicationProtocol)
        members.append(("verified", JSON(tls.isVerified)))
        add("fault", tls.fault?.rawValue)
        members.append(("certificates", JSON(certificates.map(value))))
        return JSON(members: members)
    }

    private static func value(of certificate: TransferMetrics.Certificate) -> JSON {
        let summary = certificate.summary
        var members: [(String, JSON)] = []
        func add(_ name: String, _ text: String?) {
            if let text { members.append((name, JSON(text))) }
        }
        add("subject", summary.subject)
        add("issuer", summary.issuer)
        members.append(("names", JSON(summary.names.map { JSON($0.text) })))
        add("from", summary.start)
        add("until", summary.end)
        add("pem", certificate.fields.last { $0.name == "Cert" }?.value)
        return JSON(members: members)
    }

    /// The connection and its certificates in lines for `-v`.
    static func lines(
        of tls: TransferMetrics.TLS,
        _ certificates: [TransferMetrics.Certificate]
    ) -> [String] {
        let alpn = tls.applicationProtocol.map { "ALPN \($0)" }
        let agreed = [tls.versionText, tls.cipher, alpn].compactMap(\.self).joined(separator: ", ")
        let trust = tls.isVerified ? "verified" : "NOT VERIFIED"
        let fault = tls.fault.map { " (\($0.rawValue))" } ?? ""
        return ["TLS: \(agreed.isEmpty ? "" : agreed + "; ")certificate \(trust)\(fault)"]
            + certificates.map { certificate in
                let summary = certificate.summary
                let names = summary.names.map(\.text).joined(separator: ", ")
                return "certificate: \(summary.subject ?? "?")"
                    + (names.isEmpty ? "" : "; names \(names)")
                    + "; issuer \(summary.issuer ?? "?"); until \(summary.end ?? "?")"
            }
    }
}
