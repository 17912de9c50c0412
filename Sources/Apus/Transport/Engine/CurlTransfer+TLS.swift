import CCurl
import FoundationEssentials

/// What is known about a transfer's TLS connection.
extension CurlTransfer {
    /// The session of the last hop; nil if it was not over TLS.
    func tls(
        _ handle: CurlHandle,
        _ certificates: [TransferMetrics.Certificate]
    ) -> TransferMetrics.TLS? {
        guard handle.isSecure else { return nil }
        var tls = TransferMetrics.TLS(session, isVerified: request.options.verifiesTLS)
        guard !tls.isVerified else { return tls }
        // Without a check libcurl loads no authorities: every issuer is unknown, which is not a fault.
        let unknownIssuer = [2, 19, 20, 21, 27]
        let result = session?.verifyResult ?? handle.number(CURLINFO_SSL_VERIFYRESULT)
        let own = certificates.first?.summary
        let host = Authority(ofURL: currentURL)?.host
        if own?.isSelfSigned == true {
            tls.fault = .selfSignedCertificate
        } else if result != 0, !unknownIssuer.contains(result) {
            tls.fault = .init(verifyResult: result)
        } else if let end = own?.endDate, end < Date() {
            // libcurl keeps only the first result, and an unknown issuer comes before the dates.
            tls.fault = .expiredCertificate
        } else if let start = own?.startDate, start > Date() {
            tls.fault = .notYetValidCertificate
        } else if let own, let host, own.covers(host) == false {
            tls.fault = .otherHost
        }
        return tls
    }

    /// The connection that TLS refused; nil if that is not why the transfer failed.
    func refusedConnection(
        _ fault: CopyOnWriteBox<ApusError.Reason>?,
        _ handle: CurlHandle,
        _ certificates: [TransferMetrics.Certificate]
    ) -> ApusError.RefusedConnection? {
        guard case .tls(let failure, _, _)? = fault?.value else { return nil }
        let handshake = handle.takeHandshake()
        var tls = TransferMetrics.TLS(handshake ?? session, isVerified: false)
        tls.fault = failure
        // Those of libcurl may be an earlier hop's, since it reports none of a handshake that failed.
        let refused = handshake?.certificates ?? []
        let reported = handshake != nil ? certificates : []
        return .init(
            tls: tls,
            certificates: refused.isEmpty
                ? reported : refused.map(TransferMetrics.Certificate.init(der:))
        )
    }
}

extension TransferMetrics.TLS {
    fileprivate init(_ handshake: TLSHandshake?, isVerified: Bool) {
        self.init(
            version: handshake?.version,
            cipher: handshake?.cipher,
            applicationProtocol: handshake?.alpn,
            isVerified: isVerified
        )
    }

    /// The version for people: "TLS 1.3".
    package var versionText: String? {
        version.map { $0.hasPrefix("TLSv") ? "TLS \($0.dropFirst(4))" : $0 }
    }
}

extension ApusError.TLSFailure {
    /// OpenSSL's number for what is wrong with a certificate (x509_vfy.h); not 0.
    ///
    /// libcurl checks the host's name itself and reports a mismatch only in its message.
    init(verifyResult number: Int) {
        self =
            switch number {
            case 9: .notYetValidCertificate
            case 10: .expiredCertificate
            case 18: .selfSignedCertificate
            case 23: .revokedCertificate
            case 62, 64: .otherHost
            default: .untrustedCertificate
            }
    }
}
