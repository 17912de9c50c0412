import Synchronization

/// An authorization server and an API behind it (RFC 6749, RFC 8628), for tests.
///
///     POST /token      all grants; POST /device gives out codes; GET /authorize redirects at once
///     GET  /denied     redirects with access_denied
///     everything else  200 with the token's number for a good token, else 401
package final class AuthorizationServer: Sendable {
    /// What it does differently than a good server.
    package struct Behavior: Sendable {
        /// The lifetime that it says a token has; nil for none.
        package var lifetime: Int? = 3600
        /// Whether it gives out refresh tokens.
        package var refreshes = true
        /// The client's secret that it accepts.
        package var secret = "cl1ent-s3cret"
        /// How often a device's code is still pending.
        package var pending = 1
        /// Whether the user denies a device.
        package var denies = false
        /// Whether the API refuses every token.
        package var refusesAll = false
        /// An identity token that it gives out.
        package var identity: String?

        package init() {}
    }

    private struct State {
        var behavior: Behavior
        var count = 0
        var good: Set<String> = []
        var codes: [String: String] = [:]
        var forms: [[String: String]] = []
        var requests: [(path: String, token: String?)] = []
    }

    private final class Box: Sendable {
        let state: Mutex<State>
        init(_ behavior: Behavior) { state = Mutex(State(behavior: behavior)) }
    }

    private let box: Box
    private let server: RawServer

    /// Starts a server.
    package init(_ change: (inout Behavior) -> Void = { _ in }) throws {
        var behavior = Behavior()
        change(&behavior)
        let box = Box(behavior)
        self.box = box
        server = try RawServer { request in [.send(Self.response(to: request, box))] }
    }

    package var url: String { "http://\(server.authority)" }
    /// The forms that came to `/token` and `/device`.
    package var forms: [[String: String]] { box.state.withLock(\.forms) }
    /// The grants that were asked for, in order.
    package var grants: [String] { forms.compactMap { $0["grant_type"] } }
    /// The requests to the API, with their tokens.
    package var requests: [(path: String, token: String?)] { box.state.withLock(\.requests) }
    /// The raw requests.
    package var received: [RawServer.Received] { server.received }

    /// Changes what it does from now on.
    package func change(_ change: (inout Behavior) -> Void) {
        box.state.withLock { change(&$0.behavior) }
    }

    /// Makes all tokens that it gave out invalid.
    package func revokeAll() { box.state.withLock { $0.good = [] } }

    // MARK: responses

    private static func response(to request: RawServer.Received, _ box: Box) -> String {
        let parts = request.path.split(separator: "?", maxSplits: 1).map(String.init)
        let path = parts.first ?? "/"
        let query = form(parts.count > 1 ? parts[1] : "")
        switch path {
        case "/authorize", "/denied":
            let state = "state=\(query["state"] ?? "")"
            let result: String
            if path == "/denied" {
                result = "error=access_denied&error_description=no&\(state)"
            } else {
                let code = box.state.withLock { state in
                    state.count += 1
                    state.codes["c0de-\(state.count)"] = query["code_challenge"] ?? ""
                    return "c0de-\(state.count)"
                }
                result = "code=\(code)&\(state)"
            }
            let target = "\(query["redirect_uri"] ?? "")?\(result)"
            return "HTTP/1.1 302 Found\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n"
        case "/token", "/device":
            let fields = form(String(decoding: request.body, as: UTF8.self))
            let basic = request.value(of: "Authorization")
            return box.state.withLock { state in
                state.forms.append(fields)
                return path == "/token"
                    ? token(for: fields, basic, &state) : device(request, state)
            }
        default:
            let token = request.value(of: "Authorization").map { String($0.dropFirst(7)) }
            return box.state.withLock { state in
                state.requests.append((request.path, token))
                guard let token, state.good.contains(token), !state.behavior.refusesAll else {
                    return answer(401, #"{"error":"invalid_token"}"#)
                }
                return answer(200, #"{"token":"\#(token)"}"#)
            }
        }
    }

    private static func token(
        for fields: [String: String],
        _ basic: String?,
        _ state: inout State
    ) -> String {
        func refuse(_ code: String, _ status: Int = 400) -> String {
            answer(status, #"{"error":"\#(code)","error_description":"because"}"#)
        }
        switch fields["grant_type"] {
        case "client_credentials":
            // "me:" and the secret in base64, which tests compute.
            guard basic == state.behavior.basic || fields["client_secret"] == state.behavior.secret
            else { return refuse("invalid_client", 401) }
        case "password":
            guard fields["username"] == "ada", fields["password"] == "l0velace" else {
                return refuse("invalid_grant")
            }
        case "authorization_code":
            guard let code = fields["code"], state.codes.removeValue(forKey: code) != nil,
                fields["code_verifier"]?.isEmpty == false
            else { return refuse("invalid_grant") }
        case "refresh_token":
            guard fields["refresh_token"]?.hasPrefix("r3fresh-") == true, state.behavior.refreshes
            else { return refuse("invalid_grant") }
        case "urn:ietf:params:oauth:grant-type:device_code":
            if state.behavior.denies { return refuse("access_denied") }
            if state.behavior.pending > 0 {
                state.behavior.pending -= 1
                return refuse("authorization_pending")
            }
        default: return refuse("unsupported_grant_type")
        }
        state.count += 1
        let token = "t0ken-number-\(state.count)"
        state.good.insert(token)
        var members = [#""access_token":"\#(token)""#, #""token_type":"Bearer""#]
        if let lifetime = state.behavior.lifetime { members.append(#""expires_in":\#(lifetime)"#) }
        if state.behavior.refreshes {
            members.append(#""refresh_token":"r3fresh-\#(state.count)""#)
        }
        if let identity = state.behavior.identity { members.append(#""id_token":"\#(identity)""#) }
        return answer(200, "{\(members.joined(separator: ","))}")
    }

    private static func device(_ request: RawServer.Received, _ state: State) -> String {
        let host = request.value(of: "Host") ?? ""
        return answer(
            200,
            #"{"device_code":"d3vice-code","user_code":"WDJB-MJHT","verification_uri":"http://\#(host)/verify","expires_in":600,"interval":1}"#
        )
    }

    private static func answer(_ status: Int, _ body: String) -> String {
        "HTTP/1.1 \(status) X\r\nContent-Type: application/json\r\n"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static func form(_ text: String) -> [String: String] {
        let pairs = text.split(separator: "&").map { pair -> (String, String) in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
        }
        return Dictionary(pairs) { first, _ in first }
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest.removeFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension AuthorizationServer.Behavior {
    /// The field with which the client `me` shows its secret.
    fileprivate var basic: String {
        let text = Array("me:\(secret)".utf8)
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        var result = "Basic "
        for start in stride(from: 0, to: text.count, by: 3) {
            let group = text[start..<min(start + 3, text.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0..<4 {
                result.append(index <= group.count ? letters[bits >> (18 - 6 * index) & 63] : "=")
            }
        }
        return result
    }
}
