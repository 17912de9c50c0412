import Apus
import FoundationEssentials
import Terminal

/// The words for people: what went wrong, and what to do next.
///
/// Nothing here shows a secret: a reason holds none, and the request's line comes masked.
enum ErrorMessages {
    /// An error in words.
    struct Message: Equatable {
        /// What happened, in one line without a full stop.
        var title: String
        /// What is known of it; empty when the title says all.
        var detail: String
        /// What to do next; nil when nothing helps.
        var advice: String?

        init(_ title: String, _ detail: String = "", advice: String? = nil) {
            self.title = title
            self.detail = detail
            self.advice = advice
        }
    }

    /// An error in words.
    static func message(for error: ApusError) -> Message {
        switch error.reason {
        case .invalidRequest(let problem): message(for: problem)
        case .vetoed(let reason):
            Message("Not sent", reason, advice: "A plugin refused the request.")
        case .hookFailed(let plugin, let detail):
            Message("The plugin \(plugin) failed", detail)
        case .hookTimeout(let plugin, let limit):
            Message(
                "The plugin \(plugin) did not answer",
                "It was ended after \(Readable.duration(limit))."
            )
        case .cancelled:
            Message("Cancelled", advice: "r sends it again.")
        case .timeout(let phase, let limit): message(for: phase, limit: limit)
        case .nameLookup, .connect, .proxy, .tls, .connectionLost, .transport:
            connectionMessage(for: error.reason)
        case .unacceptableStatus(let status):
            Message(
                "Status \(status) is not accepted",
                "The target says which statuses are an answer, and \(status) is not one of them."
            )
        case .cacheMiss(_, let reason):
            Message(
                "Nothing in the cache",
                sentence(for: reason),
                advice: "s chooses a source that asks the server."
            )
        case .file(let path, let code):
            Message("A file could not be used", "\(path): \(FileErrorText.words(for: code))")
        case .protocolViolation, .contentDecoding, .bodyTooLarge, .tooManyRedirects, .mapping,
            .envelope:
            answerMessage(for: error.reason)
        case .secretInRedirect(let origin):
            Message(
                "The redirect to \(origin) was not followed",
                """
                The request's body holds a credential, which is for its own host only, or cannot \
                be searched for one.
                """,
                advice: "`trustRedirects: true` in the workspace lets it go along."
            )
        case .redirectScheme(let scheme):
            Message(
                "The redirect was not followed",
                "It leads to a “\(scheme)” URL; only http and https are followed."
            )
        case .headerTooLarge, .tooManyHeaderLines, .brokenChunk, .bodyNotReplayable, .bodySource,
            .authorization:
            Message(
                error.message.title,
                error.message.detail,
                advice: error.message.advice
            )
        }
    }

    /// How it failed, in a word or two, for a title.
    static func word(for error: ApusError) -> String {
        switch error.reason {
        case .invalidRequest: "invalid request"
        case .vetoed: "not sent"
        case .hookFailed, .hookTimeout: "plugin"
        case .authorization: "authorization"
        case .cancelled: "cancelled"
        case .nameLookup: "no such host"
        case .connect: "no connection"
        case .tls: "TLS"
        case .timeout: "timed out"
        case .proxy: "proxy"
        case .tooManyRedirects: "redirects"
        case .bodyTooLarge: "too large"
        case .connectionLost: "cut off"
        case .protocolViolation, .headerTooLarge, .tooManyHeaderLines, .brokenChunk: "not HTTP"
        case .secretInRedirect, .redirectScheme: "redirect refused"
        case .bodyNotReplayable, .bodySource: "upload"
        case .contentDecoding: "encoding"
        case .file: "file"
        case .transport: "failed"
        case .unacceptableStatus: "status"
        case .cacheMiss: "not cached"
        case .mapping: "unreadable"
        case .envelope: "refused"
        }
    }

    private static func message(for problem: ApusError.InvalidRequest) -> Message {
        let title = "The request cannot be made"
        return switch problem {
        case .url(let url):
            Message(
                title,
                "“\(CredentialMask().masking(url: url))” is not a URL with a host.",
                advice: "Check the environment's base URL and the target's path."
            )
        case .scheme(let scheme):
            Message(
                title,
                "“\(scheme)” is not a scheme that can be spoken.",
                advice: "URLs begin with http:// or https://."
            )
        case .encoding(let detail):
            Message(title, detail, advice: "Check the values in the target's body.")
        case .combination(let detail):
            Message(title, detail, advice: "Check the target in the workspace.")
        case .target(let detail):
            Message(title, detail, advice: "Check what the step takes from those before it.")
        case .unsupported(let feature):
            Message(title, "libcurl on this machine has no \(feature).")
        }
    }

    private static func message(
        for phase: ApusError.TimeoutPhase,
        limit: Duration
    ) -> Message {
        let time = Readable.duration(limit)
        return switch phase {
        case .connecting:
            Message(
                "No connection within \(time)",
                "The server did not pick up in time.",
                advice: "Is the address right? r tries again."
            )
        case .waiting:
            Message(
                "No answer within \(time)",
                "The connection stood, but the server stayed silent.",
                advice: "r tries again; the target's timeout can be longer."
            )
        case .receiving:
            Message(
                "Not all received within \(time)",
                "The answer came too slowly.",
                advice: "r tries again; the target's timeout can be longer."
            )
        case .step:
            Message(
                "Not done within \(time)",
                "A step of the chain took too long.",
                advice: "r tries again; the step's timeout can be longer."
            )
        }
    }

    private static func connectionMessage(for reason: ApusError.Reason) -> Message {
        switch reason {
        case .nameLookup(let host, let detail):
            Message(
                "Could not find \(host)",
                detail,
                advice: "Check the name, and whether this machine is online. r tries again."
            )
        case .connect(let host, let port, let detail):
            Message(
                "Could not connect to \(host)\(port.map { ":\($0)" } ?? "")",
                detail,
                advice: "Is the server running? r tries again."
            )
        case .proxy(let detail):
            Message(
                "The proxy did not work",
                detail,
                advice: "Check the proxy in the workspace or the environment."
            )
        case .tls(let failure, let host, let detail):
            Message(title(of: failure, host: host), detail, advice: advice(for: failure))
        case .connectionLost(let received, let expected, let detail, _):
            Message(
                "The connection was cut",
                cutText(received, of: expected, detail),
                advice: "What came is kept and shown. r tries again."
            )
        case .transport(let code, let detail):
            Message("The transfer failed", "\(detail) (code \(code))", advice: "r tries again.")
        default: Message("The request failed")
        }
    }

    private static func answerMessage(for reason: ApusError.Reason) -> Message {
        switch reason {
        case .protocolViolation(let detail):
            Message(
                "The answer is not HTTP",
                detail,
                advice: "Is it the right port, and http or https?"
            )
        case .contentDecoding(let detail):
            Message("The body cannot be unpacked", detail)
        case .bodyTooLarge(let limit):
            Message(
                "The body is too large",
                "It is more than the \(Readable.bytes(limit)) that the target allows."
            )
        case .tooManyRedirects(let limit):
            Message(
                "Too many redirects",
                "More than \(limit) in a row.",
                advice: "Does the server send in a circle?"
            )
        case .mapping(let fault):
            Message("The body is not what it was to be read as", fault.detail)
        case .envelope(let code, let message):
            Message(
                "The server refused\(code.map { " with code \($0)" } ?? "")",
                message ?? "",
                advice: "The answer itself is shown."
            )
        default: Message("The answer cannot be used")
        }
    }

    private static func title(of failure: ApusError.TLSFailure, host: String) -> String {
        switch failure {
        case .untrustedCertificate, .selfSignedCertificate, .revokedCertificate:
            "The certificate of \(host) is not trusted"
        case .expiredCertificate: "The certificate of \(host) has expired"
        case .notYetValidCertificate: "The certificate of \(host) is not valid yet"
        case .otherHost: "The certificate is not for \(host)"
        case .pinMismatch: "The key of \(host) is not the pinned one"
        case .clientCertificate: "The client certificate cannot be used"
        case .certificateAuthority: "The file of trusted certificates cannot be used"
        case .handshake: "No secure connection to \(host)"
        }
    }

    private static func advice(for failure: ApusError.TLSFailure) -> String {
        switch failure {
        case .expiredCertificate, .notYetValidCertificate: "Is this machine's clock right?"
        case .untrustedCertificate, .selfSignedCertificate, .revokedCertificate, .otherHost:
            "Is it the right host? A certificate of one's own can be named in the target's options."
        case .pinMismatch: "Somebody may stand between, or the server has a new key."
        case .clientCertificate: "Check the certificate's and the key's files."
        case .certificateAuthority: "Check the file's path and that it holds PEM."
        case .handshake: "Does the server speak TLS on this port?"
        }
    }

    private static func cutText(_ received: Int, of expected: Int?, _ detail: String) -> String {
        let amount =
            expected.map { "\(Readable.bytes(received)) of \(Readable.bytes($0)) had come" }
            ?? "\(Readable.bytes(received)) had come"
        return detail.isEmpty ? "\(amount)." : "\(amount): \(detail)"
    }

    /// The numbers that people meet; others by number, without the C library's languages.
}
