import Glibc

/// The standard folders of the XDG Base Directory Specification.
package enum StandardFolders {
    /// `$XDG_CACHE_HOME/apus`, else `~/.cache/apus`.
    package static var cache: String { folder("XDG_CACHE_HOME", ".cache") }
    /// `$XDG_DATA_HOME/apus`, else `~/.local/share/apus`.
    package static var data: String { folder("XDG_DATA_HOME", ".local/share") }

    /// `$XDG_STATE_HOME/apus`, else `~/.local/state/apus`.
    package static var state: String { folder("XDG_STATE_HOME", ".local/state") }

    /// `$XDG_CONFIG_HOME/apus`, else `~/.config/apus`.
    package static var configuration: String { folder("XDG_CONFIG_HOME", ".config") }

    private static func folder(_ variable: String, _ standard: String) -> String {
        if let base = path(in: variable) { return "\(base)/apus" }
        return "\(home)/\(standard)/apus"
    }

    private static var home: String {
        if let home = path(in: "HOME") { return home }
        // Without a home folder, nothing is stored or found: anyone could create a folder in /tmp first.
        guard let entry = getpwuid(getuid()) else { return "/dev/null" }
        return String(cString: entry.pointee.pw_dir)
    }

    /// The path in a variable of the environment; nil for a relative one, which the specification says must
    /// be ignored.
    static func path(in variable: String) -> String? {
        guard let value = getenv(variable), value.pointee == UInt8(ascii: "/") else { return nil }
        return String(cString: value)
    }
}
