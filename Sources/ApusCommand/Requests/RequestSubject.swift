import Apus
import ArgumentParser
import Documents
import Explorer
import FoundationEssentials
import HTTPTypes
import Recordings
import Secrets
import Terminal
import Workspaces

/// What a command sends: a URL, or a workspace's target.
enum RequestSubject {
    case url(QuickTarget)
    case target(WorkspaceTarget, ExchangeOrigin)

    /// Recognizes a URL by its scheme or host, or else finds the target of that name.
    ///
    /// A curl command becomes a target that takes nothing from a workspace but the variables that it names.
    init(_ argument: String, in options: WorkspaceOptions) throws {
        let text = URLFault.trimmed(argument)
        if RequestText.isCurlCommand(text) {
            self = try Self.pasted(text, in: options)
            return
        }
        if Self.beginsWithScheme(text) {
            self = .url(QuickTarget(givenURL: text))
            return
        }
        if Self.beginsWithHost(text) {
            let isTarget = try options.knowsTarget(named: text)
            // A target in a cloned folder must not redirect a request that is meant for a host.
            guard !isTarget || options.workspace != nil else {
                throw CommandFailure(
                    "“\(text)” may be a URL or a target of this folder's workspace. Write "
                        + "http://\(text) for the URL, or add `-w .` for the target."
                )
            }
            guard isTarget else {
                self = .url(QuickTarget(givenURL: "http://" + text))
                return
            }
        }
        if let fault = URLFault.words(for: text) { throw CommandFailure(fault) }
        guard options.workspace != nil || NewWorkspaceFile.hasWorkspace(".") else {
            throw CommandFailure(
                "there is no workspace in this folder, so no target "
                    + "“\(CredentialMask().masking(argument: text))”. Name a workspace with -w; a URL "
                    + "begins with http:// or https://."
            )
        }
        let workspace = try options.load().keepingCookies()
        let target = try workspace.target(named: text)
        self = .target(target, workspace.origin(of: target))
    }

    /// The request of a curl command; `{{ name }}` in it needs a named workspace.
    private static func pasted(_ text: String, in options: WorkspaceOptions) throws -> Self {
        if options.workspace == nil, options.environment != nil || !options.values.isEmpty {
            throw ValidationError("With a curl command, --environment and --set need --workspace.")
        }
        let named = try options.workspace.map { _ in try options.load() }
        do throws(CatalogProblem) {
            return try pasted(text, in: named)
        } catch {
            throw CommandFailure(error.description)
        }
    }

    private static func pasted(
        _ text: String,
        in named: NamedWorkspace?
    ) throws(CatalogProblem) -> Self {
        let workspace = try orProblem { () throws(WorkspaceError) in
            if let named { return named.workspace }
            return try Workspace.new(text: NewWorkspaceFile.emptyText, file: "new.apus.yaml")
        }
        let environment = named?.environment ?? ""
        let known = Set(workspace.variables(in: environment).map(\.name))
        let request: RequestText
        do throws(RequestTextError) {
            request = try RequestText(text, variables: known)
        } catch {
            throw CatalogProblem(error)
        }
        for note in request.notes { StandardError.write("apus: \(note)") }
        return try orProblem(hasPlaces: false) { () throws(WorkspaceError) in
            let name = request.name.split(separator: "/").joined(separator: " ")
            let definition = try workspace.making(request.draft.asItStands, named: name)
            return .target(try workspace.resolve(definition, in: environment), ExchangeOrigin())
        }
    }

    /// Whether the text begins with letters, digits, `+`, `-` or `.`, and then `://` (RFC 3986, 3.1).
    private static func beginsWithScheme(_ text: String) -> Bool {
        let scheme = text.prefix {
            $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0))
        }
        return !scheme.isEmpty && text[scheme.endIndex...].hasPrefix("://")
    }

    /// Whether a text begins like a URL without its `http://`: with `localhost`, with a name or an address that
    /// has a dot, or with a host and a port.
    private static func beginsWithHost(_ text: String) -> Bool {
        let authority = text.prefix { !"/?#".contains($0) }
        guard !authority.isEmpty, !text.contains(where: \.isWhitespace) else { return false }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        if authority.first == "[" { return authority.contains("]") }
        if parts.count == 2, !parts[0].isEmpty, UInt16(parts[1]) != nil { return true }
        return parts.count == 1
            && (authority == "localhost" || authority.contains(where: HostName.dots.contains))
    }
}

extension QuickTarget {
    /// A request to an absolute URL as it was given.
    init(givenURL url: String) { self.init(.get, Self.withLowercaseScheme(url)) }

    /// Schemes ignore case (RFC 3986, 3.1), but an uppercase one would be mistaken for a path.
    static func withLowercaseScheme(_ url: String) -> String {
        guard let mark = url.firstRange(of: "://") else { return url }
        let scheme = url[..<mark.lowerBound]
        return scheme.contains { $0.isUppercase }
            ? scheme.asciiLowercased + url[mark.lowerBound...] : url
    }
}

/// A target with some properties overridden for one call.
struct OverridingTarget: TargetWrapper {
    let wrapped: any TargetType
    var method: HTTPRequest.Method
    var task: RequestTask
    var headerFields: HTTPFields
    var cachePolicy: CachePolicy
    var options: TransportOptions
    /// What is added to the query, encoded.
    var addedQuery: String?
    /// The base URL to use instead; nil for the target's own.
    var movedBase: URL?

    /// Makes a copy of the target, with nothing overridden.
    init(_ target: some TargetType) {
        wrapped = target
        method = target.method
        task = target.task
        headerFields = target.headerFields
        cachePolicy = target.cachePolicy
        options = target.options
    }

    var baseURL: URL { movedBase ?? wrapped.baseURL }
    var cdn: URL? { movedBase == nil ? wrapped.cdn : nil }
    var path: String {
        guard let addedQuery, !addedQuery.isEmpty else { return wrapped.path }
        let path = wrapped.path.prefix { $0 != "#" }
        return "\(path)\(path.contains("?") ? "&" : "?")\(addedQuery)"
    }
}

extension NamedWorkspace {
    /// The origin that the history records for a target.
    func origin(of target: WorkspaceTarget? = nil) -> ExchangeOrigin {
        ExchangeOrigin(
            target: target?.id.rawValue,
            workspace: workspace.name,
            environment: environment,
            variables: target?.variables ?? [:]
        )
    }
}

extension WorkspaceTarget {
    /// The target's name, method and URL, secrets masked, as a JSON object.
    var requestJSON: JSON {
        JSON(members: [
            ("target", JSON(id.rawValue)), ("method", JSON(display.method)),
            ("url", JSON(display.url)),
        ])
    }
}
