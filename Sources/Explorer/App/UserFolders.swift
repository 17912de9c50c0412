import Glibc

/// Where a user's files are (XDG Base Directory Specification 0.8).
package enum UserFolders {
    /// `$XDG_CONFIG_HOME/apus`, else `~/.config/apus`; nil without a home.
    package static var configuration: String? {
        folder("XDG_CONFIG_HOME", orInHome: ".config")
    }

    private static func folder(_ variable: String, orInHome name: String) -> String? {
        // Relative paths are to be ignored, says the specification.
        if let path = value(of: variable), path.hasPrefix("/") { return "\(path)/apus" }
        return value(of: "HOME").map { "\($0)/\(name)/apus" }
    }

    private static func value(of variable: String) -> String? {
        guard let text = getenv(variable) else { return nil }
        let value = String(cString: text)
        return value.isEmpty ? nil : value
    }
}
