import Glibc

/// Where files live (XDG Base Directory Specification).
package enum StandardFolders {
    /// `$XDG_CACHE_HOME/apus`, else `~/.cache/apus`.
    package static var cache: String { folder("XDG_CACHE_HOME", ".cache") }
    /// `$XDG_DATA_HOME/apus`, else `~/.local/share/apus`.
    package static var data: String { folder("XDG_DATA_HOME", ".local/share") }

    /// `$XDG_CONFIG_HOME/apus`, else `~/.config/apus`.
    package static var configuration: String { folder("XDG_CONFIG_HOME", ".config") }

    private static func folder(_ variable: String, _ standard: String) -> String {
        // A relative path must be ignored, says the specification.
        if let base = environment(variable), base.hasPrefix("/") { return "\(base)/apus" }
        return "\(home)/\(standard)/apus"
    }

    private static var home: String {
        if let home = environment("HOME"), home.hasPrefix("/") { return home }
        // Without a home nothing is kept and nothing found: anybody may make a folder in /tmp first.
        guard let entry = getpwuid(getuid()) else { return "/dev/null" }
        return String(cString: entry.pointee.pw_dir)
    }

    private static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }
}
