import Glibc
import Synchronization

extension CookieJar {
    /// `# apus SameSite ⇥ domain ⇥ path ⇥ name ⇥ Lax`, a comment to other programs.
    private static let mark = "# apus SameSite\t"
    /// `# apus account ⇥ account`, where caches know the jar's user by the account.
    private static let accountMark = "# apus account\t"
    private static let head = "# Netscape HTTP Cookie File\n# Written by Apus.\n\n"

    /// Whether there are changes that `save` has not written yet.
    public var hasChanges: Bool { state.withLock { $0.changes != $0.savedChanges } }

    /// Writes the cookies to the jar's file, replacing its contents; does nothing for a jar in memory.
    ///
    /// - Throws: `.file`, and the errors of `check`.
    @concurrent
    public func save() async throws(ApusError) {
        guard let file else { return }
        let changes = state.withLock { $0.changes }
        let kept = cookies.filter { savesSessionCookies || !$0.isSessionCookie }
        // A file that could not be read is not overwritten.
        try check()
        do throws(PrivateFileError) {
            try PrivateFiles.replace(file, with: Array(text(of: kept).utf8))
        } catch {
            throw ApusError(.file(path: error.path, errno: error.errno))
        }
        state.withLock { $0.savedChanges = changes }
    }

    private func text(of cookies: [Cookie]) -> String {
        let account = state.withLock { $0.account }.map { "\(Self.accountMark)\($0)\n" }
        return cookies.reduce(into: Self.head + (account ?? "")) { text, cookie in
            guard let line = CookieLine(cookie) else { return }
            text += "\(line.text)\n"
            guard let sameSite = cookie.sameSite else { return }
            text +=
                "\(Self.mark)\(cookie.domain)\t\(cookie.path)\t\(cookie.name)\t\(sameSite.rawValue)\n"
        }
    }

    func load(
        _ file: String,
        into share: CurlCookies,
        _ state: inout State
    ) throws(ApusError) {
        guard access(file, F_OK) == 0 else { return }
        // By bytes, because Unicode line separators such as U+2028 may be part of a value.
        for bytes in try PrivateFiles.read(file).split(separator: UInt8(ascii: "\n")) {
            let isWindows = bytes.last == UInt8(ascii: "\r")
            let line = String(decoding: isWindows ? bytes.dropLast() : bytes, as: UTF8.self)
            if line.hasPrefix(Self.mark) {
                let parts = line.unicodeScalars.dropFirst(Self.mark.utf8.count)
                    .split(separator: "\t")
                guard parts.count == 4 else { continue }
                let id = Cookie.ID(
                    name: String(parts[2]),
                    domain: String(parts[0]),
                    path: String(parts[1])
                )
                state.sameSites[id] = Cookie.SameSite(rawValue: String(parts[3]))
            } else if line.hasPrefix(Self.accountMark) {
                state.account = String(line.dropFirst(Self.accountMark.count))
            } else if CookieLine(text: line).cookie != nil {
                share.edit(line)
            }
        }
    }
}
