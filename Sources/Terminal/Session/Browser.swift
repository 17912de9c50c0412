internal import CShell
import Dispatch
import Glibc

/// Opens pages in the user's browser: that of `BROWSER`, or else the one that `xdg-open` knows.
package enum Browser {
    /// Opens a page, and does not wait for it; nothing happens if there is no browser.
    ///
    /// The browser gets no terminal, so that it cannot write on the screen, and outlives the program.
    package static func open(_ url: String) {
        let environment = { (name: String) in getenv(name).map { String(cString: $0) } }
        guard let command = command(for: url, environment) else { return }
        let nowhere = Glibc.open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nowhere >= 0 else { return }
        defer { close(nowhere) }
        var process: pid_t = 0
        guard cshell_start(command, nil, nowhere, nowhere, nowhere, &process) == 0 else { return }
        DispatchQueue(label: "apus.browser").async { [process] in
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
        }
    }

    /// The command for `sh -c`; nil for anything but a page of the web.
    ///
    /// `BROWSER` may list several, and have the page's place as `%s`; the first one is taken.
    static func command(for url: String, _ environment: (String) -> String?) -> String? {
        guard url.hasPrefix("https://") || url.hasPrefix("http://"), !url.utf8.contains(0) else {
            return nil
        }
        let quoted = "'" + url.replacing("'", with: "'\\''") + "'"
        let chosen = environment("BROWSER")?.split(separator: ":").first.map(String.init)
        guard let chosen else { return "exec xdg-open \(quoted)" }
        return chosen.contains("%s")
            ? "exec \(chosen.replacing("%s", with: quoted))" : "exec \(chosen) \(quoted)"
    }
}
