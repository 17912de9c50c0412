extension ApusError.InvalidRequest {
    var message: ErrorMessage {
        let title = "The request cannot be made"
        return switch self {
        case .url(let text):
            ErrorMessage(
                title,
                "“\(CredentialMask().masking(url: text))” is not a URL with a host",
                advice: "Give an absolute URL, or a path and an environment with a base URL."
            )
        case .scheme(let scheme):
            ErrorMessage(
                title,
                "“\(scheme)” is not spoken here",
                advice: "URLs begin with http:// or https://."
            )
        case .encoding(let detail), .combination(let detail), .target(let detail):
            ErrorMessage(title, detail)
        case .unsupported(let feature):
            ErrorMessage(
                title,
                "libcurl on this machine has no \(feature)",
                advice: "Install a libcurl that was built with it, or do without."
            )
        }
    }
}

extension ApusError.TLSFailure {
    func message(host: String, _ detail: String) -> ErrorMessage {
        ErrorMessage(title(host: host), detail, advice: advice)
    }

    private func title(host: String) -> String {
        switch self {
        case .untrustedCertificate: "The certificate of \(host) is from an unknown authority"
        case .selfSignedCertificate: "The certificate of \(host) is signed by itself"
        case .expiredCertificate: "The certificate of \(host) has expired"
        case .notYetValidCertificate: "The certificate of \(host) is not valid yet"
        case .revokedCertificate: "The certificate of \(host) was withdrawn"
        case .otherHost: "The certificate is not for \(host)"
        case .pinMismatch: "The key of \(host) is not the pinned one"
        case .clientCertificate: "The client certificate or its key cannot be used"
        case .certificateAuthority: "The file of trusted certificates cannot be used"
        case .handshake: "No secure connection to \(host)"
        }
    }

    private var advice: String {
        switch self {
        case .untrustedCertificate, .selfSignedCertificate:
            "If it is the right server, name its authority in `certificateAuthorityFile`."
        case .expiredCertificate: "Its owner has to renew it; check this machine's clock too."
        case .notYetValidCertificate: "Check this machine's clock."
        case .revokedCertificate: "Do not trust this server before its owner has a new one."
        case .otherHost: "Check the host's name; an address needs a certificate of its own."
        case .pinMismatch: "Somebody may stand between, or the server has a new key."
        case .clientCertificate: "Check the files, their format and the password."
        case .certificateAuthority: "Check the file's path, and that it holds PEM."
        case .handshake: "Check that this port speaks TLS, and the TLS versions of both sides."
        }
    }
}

extension ApusError.ConnectionLoss {
    func message(_ received: Int, of expected: Int?, _ detail: String) -> ErrorMessage {
        ErrorMessage(title(received, of: expected), detail, advice: advice)
    }

    private func title(_ received: Int, of expected: Int?) -> String {
        switch self {
        case .inBody:
            expected.map { "The connection ended after \(received) of \($0) bytes" }
                ?? "The connection ended in the body, after \(received) bytes"
        case .beforeHeader: "The server closed the connection without a word"
        case .inHeader: "The connection ended in the header"
        case .reset: "The server reset the connection"
        case .sending: "The connection ended while the request was sent"
        case .streamReset: "The server ended the HTTP/2 stream with an error"
        case .http2Connection: "The server ended the HTTP/2 connection"
        }
    }

    private var advice: String? {
        switch self {
        case .inBody, .reset, .inHeader: "What had come is attached; send it again."
        case .beforeHeader, .sending: "Send it again, if that does no harm twice."
        case .streamReset, .http2Connection: "Send it again, or ask for HTTP/1.1."
        }
    }
}

extension ApusError.TimeoutPhase {
    func message(limit: Duration) -> ErrorMessage {
        switch self {
        case .connecting:
            ErrorMessage(
                "No connection within \(limit)",
                advice: "Check the address; `connectTimeout` can be longer."
            )
        case .waiting:
            ErrorMessage(
                "No answer within \(limit)",
                advice: "The server took the request and was silent; `timeout` can be longer."
            )
        case .receiving:
            ErrorMessage(
                "The answer was not whole within \(limit)",
                advice: "What had come is attached; `timeout` can be longer."
            )
        case .step:
            ErrorMessage(
                "The step was not done within \(limit)",
                advice: "The chain's `stepTimeout` can be longer."
            )
        }
    }
}
