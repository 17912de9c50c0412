import Apus

extension ApusError {
    /// The message with advice for who typed the request: it names options, not a workspace's keys.
    var commandMessage: ErrorMessage {
        var message = workspaceMessage
        if let advice = commandAdvice { message.advice = advice }
        return message
    }

    /// What to do about it on a command line; nil if the message's own advice says that.
    private var commandAdvice: String? {
        switch reason {
        case .tls(.untrustedCertificate, _, _), .tls(.selfSignedCertificate, _, _):
            "If it is the right server, trust its authority with --cacert FILE, or skip the check with -k."
        case .tls(.expiredCertificate, _, _):
            "Its owner has to renew it; check this machine's clock too. -k skips the check."
        case .tls(.notYetValidCertificate, _, _):
            "Check this machine's clock. -k skips the check."
        case .tls(.certificateRequired, _, _): "Give one with --cert FILE and --key FILE."
        case .tls(.endedAfterHandshake, _, _):
            "So do servers that want a client certificate, or another one than they got (--cert, --key)."
        case .tls(.otherHost, _, _):
            "Check the host's name; an address needs a certificate of its own. -k skips the check."
        case .tls(.clientCertificate, _, _):
            "Check the files of --cert and --key, their format and the password."
        case .tls(.certificateAuthority, _, _):
            "Check the path after --cacert, and that the file is PEM."
        case .timeout(.connecting, _): "Check the address."
        case .timeout(.waiting, _): "--timeout SECONDS waits longer, 0 for ever."
        case .timeout(.receiving, _):
            "What was received is kept. --timeout SECONDS waits longer, 0 for ever."
        // A variable of the environment is named in the message's own advice.
        case .proxy(_, let proxy) where proxy?.variable == nil:
            "Check the URL and the credentials of the proxy that -x names."
        case .cacheMiss: "--source server asks the server."
        case .bodyInRedirect: "Send the request there yourself if that origin may receive it."
        case .contentDecoding: "--decode none shows the bytes as they were received."
        case .unacceptableStatus: "The target's `validate` lists the accepted statuses."
        default: nil
        }
    }
}
