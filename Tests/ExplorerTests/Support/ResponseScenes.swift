import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Terminal
import TreeView

@testable import Explorer

extension Model {
    /// A response with all that can be known of one, in one of its tabs.
    mutating func showTab(_ scene: Scene) {
        panes.focus = .server
        updateView { view in
            view.cache = .make(.make(Scene.cachedBody, source: .makeDisk()))
            view.server = .make(.makeRich())
            view.attempts = 2
        }
        let actions: [Scene: Action] = [
            .headers: .showHeaders, .cookies: .showCookies, .timing: .showTiming,
            .tls: .showCertificate, .request: .showRequest, .raw: .showRaw,
        ]
        guard let action = actions[scene] else { return }
        _ = showTab(.details)
        // The headers are what the first key shows, with the letters of the others.
        guard scene != .headers else { return }
        _ = showTab(action)
        if size.columns < 60 { layers.close(.tabLetter) }
    }

    /// The server has said that what is stored is still right.
    mutating func showNotModified() {
        panes.focus = .server
        updateView { view in
            var response = Response.make(Scene.cachedBody, source: .makeDisk(expiresIn: -200))
            response.decision = CacheDecision(
                outcome: .updated,
                rule: .notModified,
                findings: [.status(304)]
            )
            view.cache = .make(response)
            view.server.content = .notModified
        }
    }
}

extension Response {
    /// A response with redirects, cookies and a certificate.
    static func makeRich() -> Response {
        var response = Response.make(Scene.freshBody, status: 404)
        var request = PreparedRequest(
            head: HTTPRequest(
                method: .post,
                scheme: "https",
                authority: "api.example.com",
                path: "/users?page=2"
            )
        )
        request.head.headerFields[.authorization] = "Bearer abcdefghijklmnop"
        request.head.headerFields[.contentType] = "application/json"
        request.head.headerFields[.cookie] = "theme=dark"
        request.body = .bytes(Array(#"{"name": "Ada"}"#.utf8))
        response.request = request
        response.head.headerFields.append(
            HTTPField(name: .setCookie, value: "session=abc123; Path=/; HttpOnly; Max-Age=3600")
        )
        response.head.headerFields[.server] = "nginx"
        response.head.headerFields.append(
            HTTPField(
                name: .vary,
                value: "Accept, Accept-Encoding, Accept-Language, Authorization, Cookie, Origin"
            )
        )
        var metrics = TransferMetrics.make(total: .milliseconds(48))
        metrics.phases.redirects = .milliseconds(12)
        metrics.phases.secureConnect = .milliseconds(9)
        metrics.negotiatedVersion = "2"
        metrics.remoteAddress = "203.0.113.7:443"
        metrics.bytesReceived = 416
        metrics.effectiveURL = "https://api.example.com/users?page=2"
        metrics.redirects = [
            .init(
                status: 301,
                location: "https://api.example.com/users?page=2",
                url: "http://example.com/users?page=2",
                fields: [.location: "https://api.example.com/users?page=2"]
            )
        ]
        metrics.certificates = [
            .init(fields: [
                .init(name: "Subject", value: "CN = api.example.com"),
                .init(name: "Issuer", value: "C = US, O = Let's Encrypt, CN = R11"),
                .init(name: "Start date", value: "Apr  9 02:22:00 2026 GMT"),
                .init(name: "Expire date", value: "Jul  8 02:22:00 2026 GMT"),
            ]),
            .init(fields: [
                .init(name: "Subject", value: "C = US, O = Let's Encrypt, CN = R11"),
                .init(name: "Expire date", value: "2027-03-12 23:59:59 GMT"),
            ]),
        ]
        response.metrics = metrics
        return response
    }
}
