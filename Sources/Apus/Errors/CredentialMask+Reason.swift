import Documents
import Secrets

extension CredentialMask {
    /// libcurl's error buffer holds 255 bytes (curl.h, CURL_ERROR_SIZE) and drops the rest silently.
    ///
    /// A text of about that length may be cut, even within a character or an escape.
    static let possibleCut = 250

    /// The reason without secrets, which a host name, a file name, a library's message or a URL may contain.
    ///
    /// There is no `default`, so that the author of a new reason has to decide here what its texts may
    /// contain.
    func masking(_ reason: ApusError.Reason) -> ApusError.Reason {
        guard isOn else { return reason }
        switch reason {
        case .invalidRequest(let fault): return .invalidRequest(masking(fault))
        case .bodyNotReplayable(let detail): return .bodyNotReplayable(detail: shown(detail))
        case .bodySource(let detail): return .bodySource(detail: shown(detail))
        case .vetoed(let why): return .vetoed(reason: shown(why))
        case .hookFailed(let plugin, let detail):
            return .hookFailed(plugin: shown(plugin), detail: shown(detail))
        case .hookTimeout(let plugin, let limit):
            return .hookTimeout(plugin: shown(plugin), limit: limit)
        case .authorization(let fault): return .authorization(masking(fault))
        case .nameLookup(let host, let detail):
            return .nameLookup(host: shown(host), detail: shown(detail))
        case .connect(let host, let port, let detail):
            return .connect(host: shown(host), port: port, detail: shown(detail))
        case .tls(let failure, let host, let detail):
            return .tls(failure, host: shown(host), detail: shown(detail))
        case .connectionLost(let received, let expected, let detail, let phase):
            return .connectionLost(
                received: received,
                expected: expected,
                detail: shown(detail),
                phase: phase
            )
        case .mapping(let fault): return .mapping(masking(fault))
        case .envelope(let code, let message):
            return .envelope(code: code.map { shown($0) }, message: message.map { shown($0) })
        case .file(let path, let number): return .file(path: masking(url: path), errno: number)
        case .proxy(let detail, let proxy):
            return .proxy(detail: shown(detail), at: proxy.map(masking))
        case .brokenChunk(let detail): return .brokenChunk(detail: shown(detail))
        case .protocolViolation(let detail): return .protocolViolation(detail: shown(detail))
        case .contentDecoding(let detail): return .contentDecoding(detail: shown(detail))
        case .recorded(let code, let detail):
            return .recorded(code: code, detail: shown(detail))
        case .transport(let code, let detail):
            return .transport(code: code, detail: shown(detail))
        case .bodyInRedirect(let place): return .bodyInRedirect(to: shown(place))
        case .redirectLocation(let place): return .redirectLocation(masking(url: place))
        case .redirectScheme(let scheme): return .redirectScheme(masking(text: scheme))
        // The recipe of a key contains no secrets.
        case .cacheMiss: return reason
        case .cancelled, .timeout, .tooManyRedirects, .bodyTooLarge, .headerTooLarge,
            .tooManyHeaderLines, .unacceptableStatus:
            return reason
        }
    }

    /// Masks a message of a library or a plugin, or a name.
    private func shown(_ words: String) -> String {
        masking(line: words, isCut: words.utf8.count >= Self.possibleCut)
    }

    private func masking(_ fault: ApusError.InvalidRequest) -> ApusError.InvalidRequest {
        switch fault {
        case .url(let url): .url(masking(url: url))
        case .host(let url, let detail): .host(masking(url: url), detail: shown(detail))
        case .scheme(let scheme): .scheme(masking(text: scheme))
        case .encoding(let detail): .encoding(detail: shown(detail))
        case .combination(let detail): .combination(detail: shown(detail))
        case .target(let detail): .target(detail: shown(detail))
        case .unsupported(let detail): .unsupported(shown(detail))
        case .fields(let detail): .fields(detail: shown(detail))
        }
    }

    private func masking(_ proxy: ApusError.Proxy) -> ApusError.Proxy {
        .init(name: shown(proxy.name), variable: proxy.variable, failure: proxy.failure)
    }

    private func masking(_ fault: AuthorizationError) -> AuthorizationError {
        switch fault {
        case .unusable(let what): .unusable(what: shown(what))
        case .refused(let refusal):
            .refused(
                OAuth2Refusal(
                    code: shown(refusal.code),
                    text: refusal.text.map { shown($0) },
                    page: refusal.page.map { masking(url: $0) }
                )
            )
        case .unexpectedResponse(let status, let detail):
            .unexpectedResponse(status: status, detail: shown(detail))
        case .unsignable(let detail): .unsignable(detail: shown(detail))
        case .unreadableStore(let detail): .unreadableStore(detail: shown(detail))
        case .noToken, .stateMismatch, .timedOut: fault
        }
    }

    private func masking(_ fault: ApusError.MappingFault) -> ApusError.MappingFault {
        ApusError.MappingFault(
            fault.kind,
            path: fault.path.map { masking(text: $0) },
            offset: fault.offset,
            line: fault.line,
            column: fault.column,
            detail: masking(line: fault.detail)
        )
    }
}
