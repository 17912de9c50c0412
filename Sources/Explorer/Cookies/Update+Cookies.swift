import Apus
import Terminal
import TreeView

/// The cookies of the environment: listed, edited and deleted over the panes.
extension Model {
    private var environmentName: String {
        guard let names = catalog?.environments, names.indices.contains(environment) else {
            return ""
        }
        return names[environment]
    }

    mutating func openCookies() -> [Effect] {
        guard let jar = catalog?.source.cookies(in: environment) else {
            notice = Notice(
                kind: .information,
                text: "no cookies: requests of \(sourceName) have no cookie jar"
            )
            return []
        }
        cookies = CookieList(jar, of: environmentName)
        fitPanes()
        return [.request(.cookies(jar, nil))]
    }

    /// Reads the cookies again if they, or the cookies that a request would send, are on the screen.
    mutating func refreshCookies() -> [Effect] {
        (cookies.map { [.request(.cookies($0.jar, nil))] } ?? []) + previewRequest()
    }

    /// Handles a key while the cookies are listed; nil if they are not.
    mutating func handleInCookies(_ key: Key) -> [Effect]? {
        guard let list = cookies else { return nil }
        guard let action = keys.action(for: key, in: keyPlaces) else { return [] }
        switch action {
        case .back, .cookies, .quit:
            cookies = nil
            fitPanes()
        case .help: help = PageScroll()
        case .suspend: return [.session(.suspend)]
        case .redraw: return [.session(.redraw)]
        case .up, .down, .pageUp, .pageDown, .first, .last: cookies?.scroll.move(action)
        case .revealValues: cookies?.isRevealed.toggle()
        case .editValue: return editCookie(list)
        case .removeRow:
            guard let cookie = list.selected else { return sayNoCookies() }
            notice = Notice(kind: .information, text: "deleted \(cookie.name)")
            return [.request(.cookies(list.jar, .remove(cookie.id)))]
        case .removeAllCookies: return removeAllCookies(list)
        case .copyText: return copyCookie(list)
        default: break
        }
        return []
    }

    private static let noCookies = "there is no cookie here; answers set them"

    private mutating func sayNoCookies() -> [Effect] {
        say(Self.noCookies)
        return []
    }

    private mutating func editCookie(_ list: CookieList) -> [Effect] {
        guard let cookie = list.selected else { return refuse(Self.noCookies) }
        prompt = LinePrompt(
            purpose: .cookie(cookie),
            field: TextField(cookie.value.value, isMasked: !list.isRevealed)
        )
        return []
    }

    private mutating func removeAllCookies(_ list: CookieList) -> [Effect] {
        guard let count = list.cookies?.count, count > 0 else { return sayNoCookies() }
        notice = Notice(
            kind: .information,
            text: count == 1 ? "deleted the cookie" : "deleted all \(count) cookies"
        )
        return [.request(.cookies(list.jar, .removeAll))]
    }

    /// Copies a cookie in the form of a `Cookie` field; its value is masked unless the list shows it.
    private mutating func copyCookie(_ list: CookieList) -> [Effect] {
        guard let cookie = list.selected else { return sayNoCookies() }
        let secret = list.isRevealed ? "" : ", its value hidden: v shows it"
        notice = Notice(kind: .information, text: "copied \(cookie.name)\(secret)")
        return [.session(.copy("\(cookie.name)=\(list.value(of: cookie))"))]
    }

    /// Sets a cookie to the typed value.
    mutating func set(_ cookie: Cookie, to value: String) -> [Effect] {
        guard let jar = cookies?.jar else { return [] }
        var cookie = cookie
        cookie.value = Secret(value)
        return [.request(.cookies(jar, .set(cookie)))]
    }

    /// Shows the cookies that were read from a jar.
    mutating func take(_ cookies: [Cookie], of jar: CookieJar, _ problem: String?) -> [Effect] {
        if let problem { notice = Notice(kind: .failure, text: problem) }
        guard self.cookies?.jar == jar else { return [] }
        self.cookies?.take(cookies)
        return previewRequest()
    }
}
