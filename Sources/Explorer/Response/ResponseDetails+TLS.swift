import Apus
import Documents
import FoundationEssentials

/// The tab TLS: what was agreed on, and the certificates, also of a handshake that failed.
extension ResponseDetails {
    var tls: [[Line]] {
        let refused = error?.refusedConnection
        guard metrics != nil || refused != nil else { return [remark(unknown)] }
        let certificates = refused?.certificates ?? metrics?.certificates ?? []
        guard let session = refused?.tls ?? metrics?.tls ?? known(certificates) else {
            return [remark(unknown)]
        }
        let chain = certificates.enumerated().map { index, certificate in
            lines(of: certificate, isOwn: index == 0)
        }
        return [sessionLines(session, isRefused: refused != nil)]
            + (chain.isEmpty ? [remark(missing(isRefused: refused != nil))] : chain)
            + [hint(certificates)]
    }

    /// The session of a response that was recorded before sessions were.
    private func known(_ certificates: [TransferMetrics.Certificate]) -> TransferMetrics.TLS? {
        certificates.isEmpty ? nil : TransferMetrics.TLS()
    }

    private var unknown: String {
        if metrics == nil {
            guard case .tls? = error?.reason else {
                return "There is no response, and no TLS handshake failed."
            }
            return "The handshake ended before the server showed a certificate."
        }
        let isPlain = (metrics?.effectiveURL ?? request?.url ?? "").hasPrefix("http:")
        return isPlain
            ? "The connection was not encrypted: the URL begins with http."
            : "The certificates of this connection are not known."
    }

    private func missing(isRefused: Bool) -> String {
        isRefused
            ? "The server showed no certificate, or the TLS library does not show those it refuses."
            : "The certificates of this connection are not known."
    }

    private func sessionLines(_ session: TransferMetrics.TLS, isRefused: Bool) -> [Line] {
        let name = isRefused ? "The handshake failed" : "The connection"
        let trust: String? =
            session.isVerified
            ? nil
            : isRefused
                ? session.fault.map(\.words)
                : ["not verified: verifyTLS is false", session.fault.map(\.words)]
                    .compactMap(\.self).joined(separator: "; ")
        return [title(name)]
            + fact(isRefused ? "why" : "trust", trust ?? "verified")
            + fact("version", session.versionText)
            + fact("cipher", session.cipher)
            + fact("ALPN", session.applicationProtocol)
    }

    private func lines(of certificate: TransferMetrics.Certificate, isOwn: Bool) -> [Line] {
        let heading = [title(isOwn ? "Certificate" : "Issued by")]
        if showsAllFields {
            return heading
                + certificate.fields.flatMap { fact($0.name, $0.value.trimmedOfLineEnds) }
        }
        let summary = certificate.summary
        let until = [summary.end, summary.left(at: now)].compactMap(\.self).joined(separator: ", ")
        return heading
            + fact("subject", summary.subject)
            + fact("names", isOwn ? names(of: summary) : nil)
            + fact("issuer", summary.isSelfSigned ? "itself (self-signed)" : summary.issuer)
            + fact("from", isOwn ? summary.start : nil)
            + fact("until", until.isEmpty ? nil : until)
    }

    private func names(of summary: CertificateSummary) -> String? {
        let names = summary.names.map(\.text)
        return names.isEmpty ? nil : names.joined(separator: ", ")
    }

    private func hint(_ certificates: [TransferMetrics.Certificate]) -> [Line] {
        guard let allFieldsKey, !certificates.isEmpty else { return [] }
        return remark(
            showsAllFields
                ? "\(allFieldsKey) shows the short form again."
                : "\(allFieldsKey) shows every field, and the certificates as PEM."
        )
    }

    /// For the tab Timing: that the server was not verified.
    var unverified: [Line] {
        metrics?.isUnverified == true
            ? remark("TLS: the server's certificate was not verified (verifyTLS: false).") : []
    }
}

extension TransferMetrics {
    /// Whether the response came over TLS from a server whose certificate was not verified.
    var isUnverified: Bool { tls?.isVerified == false }
}

extension ApusError.TLSFailure {
    /// Why a certificate is not trusted, for a list of facts.
    var words: String {
        switch self {
        case .untrustedCertificate: "unknown issuer: no trusted authority has signed it"
        case .selfSignedCertificate: "self-signed, and not among the trusted ones"
        case .expiredCertificate: "expired"
        case .notYetValidCertificate: "not valid yet"
        case .revokedCertificate: "revoked by its issuer"
        case .otherHost: "for another name than the host's"
        case .pinMismatch: "its key is not the pinned one"
        case .clientCertificate: "the client certificate cannot be used"
        case .certificateAuthority: "the file of trusted certificates cannot be used"
        case .handshake: "the handshake failed"
        case .certificateRequired: "the server wants a client certificate"
        case .certificateRefused: "the server does not accept the client certificate"
        case .protocolVersion: "the server does not accept this version of TLS"
        case .endedAfterHandshake: "the server ended the connection right after the handshake"
        }
    }
}

extension String {
    fileprivate var trimmedOfLineEnds: String {
        hasSuffix("\n") ? String(unicodeScalars.dropLast()) : self
    }
}

extension CertificateSummary {
    /// "58 days left" or "expired 3 days ago"; nil if its end is not known.
    func left(at now: Date) -> String? {
        guard let end = endDate else { return nil }
        let days = Int(end.timeIntervalSince(now) / 86_400)
        let count = abs(days)
        let span = count == 1 ? "1 day" : "\(Readable.count(count)) days"
        if end <= now { return "expired \(span) ago" }
        return days == 0 ? "less than a day left" : "\(span) left"
    }
}
