import Apus
import ArgumentParser
import Workspaces

/// What a command is to send: a URL of the user's own, or a workspace's target.
enum RequestSubject {
    case url(URLTarget)
    case target(WorkspaceTarget)

    /// Tells a URL from a target's name by its scheme or its host, and finds the target.
    init(_ text: String, in options: WorkspaceOptions) throws {
        if Self.beginsWithScheme(text) {
            self = .url(URLTarget(text))
            return
        }
        if Self.beginsWithHost(text), try !options.knowsTarget(named: text) {
            self = .url(URLTarget("http://" + text))
            return
        }
        let workspace = try options.load()
        do throws(WorkspaceFault) {
            self = .target(try workspace.target(named: text))
        } catch {
            throw CommandFailure("\(error.description)\nA URL begins with http:// or https://.")
        }
    }

    /// Whether `://` follows on the text's first letters, digits, `+`, `-` and `.` (RFC 3986, 3.1).
    private static func beginsWithScheme(_ text: String) -> Bool {
        let scheme = text.prefix {
            $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0))
        }
        return !scheme.isEmpty && text[scheme.endIndex...].hasPrefix("://")
    }

    /// Whether a text begins as a URL does whose `http://` was left out: with `localhost`, with a
    /// name or an address that has a dot, or with a host and a port.
    private static func beginsWithHost(_ text: String) -> Bool {
        let authority = text.prefix { !"/?#".contains($0) }
        guard !authority.isEmpty, !text.contains(where: \.isWhitespace) else { return false }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        if authority.first == "[" { return authority.contains("]") }
        if parts.count == 2, !parts[0].isEmpty, UInt16(parts[1]) != nil { return true }
        return parts.count == 1 && (authority == "localhost" || authority.contains("."))
    }
}
