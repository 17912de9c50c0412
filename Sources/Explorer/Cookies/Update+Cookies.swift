import Apus
import Terminal
import TreeView

/// The cookies of the environment: listed, edited and deleted over the panes.
extension Model {
    mutating func openCookies() -> [Effect] {
        guard let jar = workspace.catalog?.source.cookies(in: workspace.environment) else {
            return say("no cookies: requests of \(workspace.sourceName) have no cookie jar")
        }
        layers.cookies = CookieList(jar, of: workspace.environmentName ?? "")
        fitPanes()
        return [.request(.cookies(jar, nil))]
    }

    /// Reads the cookies again if they, or the cookies that a request would send, are on the screen.
    mutating func refreshCookies() -> [Effect] {
        (layers.cookies.map { [.request(.cookies($0.jar, nil))] } ?? []) + previewRequest()
    }

    /// Handles a key while the cookies are listed.
    mutating func handleInCookies(_ key: Key, _ list: CookieList) -> [Effect] {
        guard let action = keys.action(for: key, in: keyPlaces) else { return [] }
        switch action {
        case .back, .cookies, .quit:
            layers.cookies = nil
            fitPanes()
        case .help: openHelp()
        case .suspend: return [.session(.suspend)]
        case .redraw: return [.session(.redraw)]
        case .up, .down, .pageUp, .pageDown, .first, .last: layers.cookies?.scroll.move(action)
        case .revealValues: layers.cookies?.isRevealed.toggle()
        case .editValue: return editCookie(list)
        case .removeRow:
            guard let cookie = list.selected else { return sayNoCookies() }
            say("deleted \(cookie.name)")
            return [.request(.cookies(list.jar, .remove(cookie.id)))]
        case .removeAllCookies: return removeAllCookies(list)
        case .copyText: return copyCookie(list)
        default: break
        }
        return []
    }

    private static let noCookies = "there is no cookie here; responses set them"

    private mutating func sayNoCookies() -> [Effect] {
        say(Self.noCookies)
    }

    private mutating func editCookie(_ list: CookieList) -> [Effect] {
        guard let cookie = list.selected else { return refuse(Self.noCookies) }
        layers.prompt = LinePrompt(
            purpose: .cookie(cookie),
            field: TextField(cookie.value.value, isMasked: !list.isRevealed)
        )
        return []
    }

    private mutating func removeAllCookies(_ list: CookieList) -> [Effect] {
        guard let count = list.cookies?.count, count > 0 else { return sayNoCookies() }
        say(count == 1 ? "deleted the cookie" : "deleted all \(count) cookies")
        return [.request(.cookies(list.jar, .removeAll))]
    }

    /// Copies a cookie in the form of a `Cookie` field; its value is masked unless the list shows it.
    private mutating func copyCookie(_ list: CookieList) -> [Effect] {
        guard let cookie = list.selected else { return sayNoCookies() }
        let secret = list.isRevealed ? "" : ", its value hidden: v shows it"
        say("copied \(cookie.name)\(secret)")
        return [.session(.copy("\(cookie.name)=\(list.value(of: cookie))"))]
    }

    /// Sets a cookie to the typed value.
    mutating func set(_ cookie: Cookie, to value: String) -> [Effect] {
        guard let jar = layers.cookies?.jar else { return [] }
        var cookie = cookie
        cookie.value = Secret(value)
        return [.request(.cookies(jar, .set(cookie)))]
    }

    /// Shows the cookies that were read from a jar.
    mutating func show(_ cookies: [Cookie], of jar: CookieJar, problem: String?) -> [Effect] {
        if let problem { fail(problem) }
        guard layers.cookies?.jar == jar else { return [] }
        layers.cookies?.show(cookies)
        return previewRequest()
    }
}
