import Documents

/// Why a recorded request, or a session, cannot be sent again.
package enum ReplayError: Error, Sendable, Hashable {
    /// Why a masked secret cannot be restored.
    package enum SecretSource: Sendable, Hashable {
        /// The target with this name goes to another server.
        case otherServer(target: String)
        /// No workspace here has a target with this name that has the secret.
        case noTarget(String)
        /// The request was sent without a target, and no target has the secret in the same place.
        case noMatch
    }

    /// A request that cannot be sent, by its number in the history.
    package struct Unsendable: Sendable, Hashable, CustomStringConvertible {
        let exchange: RecordedExchange.ID
        /// The method and URL as they were recorded.
        let request: String
        /// Why it cannot be sent.
        let reason: String

        package var description: String { "exchange \(exchange), \(request): \(reason)" }
    }

    /// Its body was too large to keep.
    case unkeptBody(size: Int)
    /// Its form had files, of which only the names were recorded.
    case namesOfFiles
    /// Its URL is invalid or ambiguous.
    case noURL
    /// The history keeps no secrets, and the target has none for these fields, parameters or parts of the body.
    case missingSecrets([String])
    /// Nothing known here has the secrets for these fields, parameters or parts of the body.
    case noSecret(places: [String], SecretSource)
    /// It was sent to a URL, which no environment changes.
    case environmentOfURL
    /// There is no such target in the environment, or it has no value for a variable.
    case noTarget(String)
    /// Its target has no value for a variable that is asked, run or sent for, for a reason in words.
    case incompleteTarget(String)
    /// Its URL does not begin with the base URL that its target has in the environment of the recording.
    case otherBase(target: String, environment: String)
    /// The host of the server to send to cannot be used.
    case host(url: String, detail: String)
    /// The server to send to is no server's URL.
    case notServer
    /// Some requests of the session cannot be sent.
    case unsendable([Unsendable])
    /// No exchange matches.
    case nothingToSend
    /// Requests that change something would go to servers that nobody has named.
    case unsafe(methods: [String: Int], hosts: Set<String>)
}

extension ReplayError: CustomStringConvertible {
    /// The reason: "its body of 40 MB was too large to be kept".
    package var description: String {
        switch self {
        case .unkeptBody(let size): "its body of \(Readable.bytes(size)) was too large to be kept"
        case .namesOfFiles: "only the names of its form's files were recorded"
        case .noURL: "no request can be sent to its URL"
        case .missingSecrets(let places):
            "the history does not keep secrets, and its target has none for "
                + places.joined(separator: ", ")
        case .noSecret(let places, let source): Self.text(of: places, source)
        case .environmentOfURL:
            "it was sent to a URL, which --environment cannot change; use --base-url"
        case .noTarget(let name): "there is no target “\(name)”, or it has no value for a variable"
        case .incompleteTarget(let reason): reason
        case .otherBase(let target, let environment):
            "its URL does not belong to the target “\(target)” in the environment “\(environment)”"
        case .host(let url, let detail): "the host of “\(url)” cannot be used: \(detail)"
        case .notServer:
            "--base-url takes a server, such as http://localhost:8080 or https://host/api"
        case .unsendable(let requests): Self.text(of: requests)
        case .nothingToSend: "there is nothing to send"
        case .unsafe(let methods, let hosts): Self.text(of: methods, hosts)
        }
    }

    private static func text(of places: [String], _ source: SecretSource) -> String {
        let why =
            switch source {
            case .otherServer(let name):
                """
                the target “\(name)” goes to another server; use --base-url to say where its \
                secrets may go
                """
            case .noTarget(let name):
                "no workspace here has a target “\(name)” with it (use -w FILE)"
            case .noMatch:
                """
                it was sent without a target, and no target of the workspace has it in the same place
                """
            }
        let hasField = places.contains { $0.hasPrefix("the field ") }
        let advice = hasField ? "; or set the field with -H" : ""
        return "no secret for \(places.joined(separator: ", ")): \(why)\(advice)"
    }

    private static func text(of requests: [Unsendable]) -> String {
        let rest = requests.count > 10 ? ["and \(requests.count - 10) more"] : []
        return (["nothing is sent:"] + requests.prefix(10).map { "  \($0)" } + rest)
            .joined(separator: "\n")
    }

    private static func text(of methods: [String: Int], _ hosts: Set<String>) -> String {
        let what = methods.sorted { $0.key < $1.key }.map { "\($1) \($0)" }
        let who = hosts.sorted().prefix(3).joined(separator: ", ") + (hosts.count > 3 ? " …" : "")
        return """
            nothing is sent: \(what.joined(separator: ", ")) would go to \(who) again. Name a server \
            with --environment or --base-url, exclude them with --only (a chain is sent whole or not \
            at all), or send them with --unsafe.
            """
    }
}
