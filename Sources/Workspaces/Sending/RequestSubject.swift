package import Apus
import Documents
import HTTPTypes
import Secrets

/// What a user asks to be sent: a URL, a workspace's target, or the request of a curl command.
package enum RequestSubject: Sendable {
    /// A request to an absolute URL.
    case url(QuickTarget)
    /// A target of a workspace; the workspace is nil for a curl command.
    case target(WorkspaceTarget, of: NamedWorkspace?)

    /// Recognizes a URL by its scheme or host, or else finds the target of that name.
    ///
    /// A curl command becomes a target that takes nothing from a workspace but the variables that it names.
    ///
    /// - Parameters:
    ///   - argument: What the user typed.
    ///   - choice: The workspace that has the targets.
    ///   - note: Called with what of a curl command is sent in another way than curl would send it.
    /// - Throws: `WorkspaceError` if the text is no request, or the workspace has no such target.
    package init(
        _ argument: String,
        in choice: WorkspaceChoice,
        note: (String) -> Void = { _ in }
    ) throws(WorkspaceError) {
        let text = URLFault.trimmed(argument)
        if RequestText.isCurlCommand(text) {
            self = try Self.pasted(text, in: choice.path == nil ? nil : choice.load(), note)
            return
        }
        if Self.beginsWithScheme(text) {
            self = .url(QuickTarget(givenURL: URLFault.joined(text)))
            return
        }
        if Self.beginsWithHost(text) {
            let isTarget = try choice.knowsTarget(named: text)
            // A target in a cloned folder must not redirect a request that is meant for a host.
            guard !isTarget || choice.path != nil else {
                throw WorkspaceError(
                    "“\(text)” may be a URL or a target of this folder's workspace. Write "
                        + "http://\(text) for the URL, or add `-w .` for the target."
                )
            }
            guard isTarget else {
                self = .url(QuickTarget(givenURL: "http://" + text))
                return
            }
        }
        if let fault = URLFault.words(for: text) { throw WorkspaceError(fault) }
        guard choice.path != nil || NewWorkspaceFile.hasWorkspace(".") else {
            throw WorkspaceError(
                "there is no workspace in this folder, so no target "
                    + "“\(CredentialMask().masking(argument: text))”. Name a workspace with -w; a URL "
                    + "begins with http:// or https://."
            )
        }
        let workspace = try choice.load().keepingCookies()
        self = .target(try workspace.target(named: text), of: workspace)
    }

    /// The request of a curl command; `{{ name }}` in it needs a named workspace.
    private static func pasted(
        _ text: String,
        in named: NamedWorkspace?,
        _ note: (String) -> Void
    ) throws(WorkspaceError) -> Self {
        let workspace: Workspace
        if let named {
            workspace = named.workspace
        } else {
            workspace = try Workspace.new(text: NewWorkspaceFile.emptyText, file: "new.apus.yaml")
        }
        let environment = named?.environment ?? ""
        let known = Set(workspace.variables(in: environment).map(\.name))
        let request: RequestText
        do throws(RequestTextError) {
            request = try RequestText(text, variables: known)
        } catch {
            throw WorkspaceError(error.description)
        }
        for line in request.notes { note(line) }
        do throws(WorkspaceError) {
            let name = request.name.split(separator: "/").joined(separator: " ")
            let definition = try workspace.making(request.draft.asItStands, named: name)
            return .target(try workspace.resolve(definition, in: environment), of: nil)
        } catch {
            // No file has the lines of a pasted command.
            throw WorkspaceError(error.problems.map(\.words).joined(separator: "; "))
        }
    }

    /// The target that is sent, with nothing overridden.
    package var overriding: OverridingTarget {
        switch self {
        case .url(let target): OverridingTarget(target)
        case .target(let target, _): OverridingTarget(target)
        }
    }

    /// Whether the target is described as a whole, so that a body does not change its method.
    package var isDescribed: Bool {
        switch self {
        case .url: false
        case .target: true
        }
    }

    /// The values that are asked, run or sent for; nil if there are none.
    package var supply: TargetSupply? {
        if case .target(let target, _) = self { target.supply } else { nil }
    }

    /// Where the response comes from, unless the user names a source.
    package func source(with cache: SendCacheMode?) -> DataSource {
        switch self {
        case .url: (cache ?? .none).source
        case .target(let target, _): cache?.source ?? target.source ?? .server
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
