import FoundationEssentials
import HTTPTypes

extension HTTPCacheRules {
    /// Whether an answer to an unsafe request invalidates the request's own URL, and which others
    /// (RFC 9111, 4.4).
    ///
    /// Those are what `Location` and `Content-Location` name if it is of the same origin. A method
    /// that is not known to be safe is not.
    func invalidation(by response: HTTPResponse, to request: HTTPRequest) -> InvalidationPlan {
        var log = DecisionLog(mask)
        log.note(.method(request.method.rawValue))
        log.note(.status(response.status.code))
        let isUnsafe = ![.get, .head, .options, .trace].contains(request.method)
        let isSuccess = (200..<400).contains(response.status.code)
        guard log.consider(.unsafeMethod, isUnsafe && isSuccess) else {
            let decision = log.decide(.notInvalidated, .nothingChanged)
            return InvalidationPlan(decision: decision, others: [])
        }
        var targets = TargetURI(request).map { [$0] } ?? []
        if let target = targets.first {
            for name in [HTTPField.Name.location, .contentLocation] {
                for reference in response.headerFields[values: name] {
                    guard let other = target.resolve(reference), other.origin == target.origin,
                        !targets.contains(other)
                    else { continue }
                    targets.append(other)
                }
            }
        }
        for target in targets { log.note(.invalidated(target.text)) }
        return InvalidationPlan(
            decision: log.decide(.invalidated, .unsafeMethod),
            others: Array(targets.dropFirst())
        )
    }
}

/// Which stored responses an answer makes unusable.
struct InvalidationPlan: Sendable, Equatable {
    let decision: CacheDecision
    /// All that is stored for these goes, beside what is stored for the request's own URL.
    let others: [TargetURI]

    /// Whether anything goes.
    var isInvalidating: Bool { decision.outcome == .invalidated }
}

extension HTTPCacheRules {
    /// What a 200 to HEAD does to the stored answers to GET (RFC 9111, 4.3.5).
    ///
    /// Those that the request could have got and whose validators and length are the same are
    /// updated; the others are validated before their next use.
    func headUpdate(
        of stored: [StoredHead],
        by response: HTTPResponse,
        to request: HTTPRequest,
        requestTime: Date,
        responseTime: Date
    ) -> HeadUpdatePlan {
        var log = DecisionLog(mask)
        log.note(.method(request.method.rawValue))
        log.note(.status(response.status.code))
        let matching = VariantSelection(of: stored, for: request.headerFields).matching
            .filter { $0.response.status == .ok }
        guard request.method == .head, response.status == .ok, !matching.isEmpty else {
            return HeadUpdatePlan(
                decision: log.decide(.notInvalidated, .nothingChanged),
                updates: []
            )
        }
        let isNoStore =
            control(response.headerFields).forbidsStoring(status: response.status.code)
            || CacheControl(request.headerFields).isNoStore
        var hasDifferent = false
        let updates = matching.map { stored in
            if !isNoStore, Self.isSame(stored, response.headerFields),
                let updated = stored.updated(
                    with: response.headerFields,
                    in: request,
                    requestTime: requestTime,
                    responseTime: responseTime
                )
            {
                return updated
            }
            hasDifferent = true
            var outdated = stored
            outdated.isInvalidated = true
            return outdated
        }
        _ = log.consider(.headDiffers, hasDifferent)
        let decision =
            hasDifferent
            ? log.decide(.invalidated, .headDiffers) : log.decide(.updated, .headUpdates)
        return HeadUpdatePlan(decision: decision, updates: updates)
    }

    private static func isSame(_ stored: StoredHead, _ received: HTTPFields) -> Bool {
        if let tag = received.entityTag, stored.fields.entityTag != tag { return false }
        if let modified = received[.lastModified], stored.fields[.lastModified] != modified {
            return false
        }
        guard let length = received[.contentLength],
            let storedLength = stored.fields[.contentLength]
        else { return true }
        return length == storedLength
    }
}

/// What an answer to HEAD does to the stored answers to GET.
struct HeadUpdatePlan: Sendable, Equatable {
    let decision: CacheDecision
    /// Stored responses as they are from now on, by their ids.
    let updates: [StoredHead]
}

/// An absolute URI in the form in which two are compared (RFC 9110, 4.2.3).
struct TargetURI: Sendable, Hashable {
    /// Scheme, host and port.
    let origin: String
    /// The whole, without a fragment.
    let text: String

    init?(_ request: HTTPRequest) {
        guard let scheme = request.scheme, let authority = request.authority else { return nil }
        self.init(text: "\(scheme)://\(authority)\(request.path ?? "/")")
    }

    /// An absolute URI with a host.
    init?(text: String) {
        guard let url = URL(string: text) else { return nil }
        self.init(url)
    }

    private init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), let host = url.host()?.lowercased() else {
            return nil
        }
        let port = url.port ?? (scheme == "https" ? 443 : 80)
        origin = "\(scheme)://\(Self.bracketed(host)):\(port)"
        let path = url.path(percentEncoded: true)
        text = origin + (path.isEmpty ? "/" : path) + (url.query().map { "?\($0)" } ?? "")
    }

    /// A host as an authority has it: Foundation gives an IPv6 address without its brackets.
    static func bracketed(_ host: String) -> String {
        host.utf8.contains(UInt8(ascii: ":")) && !host.hasPrefix("[") ? "[\(host)]" : host
    }

    /// Requests for it, for their keys: as it stands and with the user of another request; with
    /// brackets, which Foundation escapes, as they are sent and escaped.
    func requests(like other: HTTPRequest) -> [HTTPRequest] {
        let scheme = origin.prefix { $0 != ":" }
        let host = origin.dropFirst(scheme.count + 3)
        let path = String(text.dropFirst(origin.count))
        let plain = path.replacing("%5B", with: "[").replacing("%5D", with: "]")
        let user = other.userInfo
        return (user.isEmpty ? [""] : ["", user]).flatMap { user in
            (plain == path ? [path] : [path, plain]).map { path in
                HTTPRequest(
                    method: .get,
                    scheme: String(scheme),
                    authority: "\(user)\(host)",
                    path: path
                )
            }
        }
    }

    /// What a reference found in an answer from here points at.
    func resolve(_ reference: String) -> TargetURI? {
        guard let base = URL(string: text), let url = URL(string: reference, relativeTo: base)
        else { return nil }
        return TargetURI(url.absoluteURL)
    }
}

extension HTTPRequest {
    /// User and password of its URL with the sign behind them; empty if it has none.
    var userInfo: Substring {
        guard let authority, let sign = authority.unicodeScalars.lastIndex(of: "@") else {
            return ""
        }
        return Substring(authority.unicodeScalars[...sign])
    }
}
