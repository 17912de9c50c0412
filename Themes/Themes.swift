/// The themes that are compiled into the program, one YAML file each in `builtin/`.
///
/// To add one, put its file there and name it here; a test compares the two. File names have no '-' or '.',
/// because SwiftPM turns both into '_'.
package enum Themes {
    /// A theme's name and the bytes of its file.
    package typealias BuiltIn = (name: String, yaml: [UInt8])

    /// All built-in themes; the first is the default.
    package static var builtIn: [BuiltIn] {
        [
            ("dusk", PackageResources.dusk_yaml),
            ("slate", PackageResources.slate_yaml),
            ("harbour", PackageResources.harbour_yaml),
            ("pine", PackageResources.pine_yaml),
            ("heather", PackageResources.heather_yaml),
            ("ember", PackageResources.ember_yaml),
            ("orchard", PackageResources.orchard_yaml),
            ("dawn", PackageResources.dawn_yaml),
            ("paper", PackageResources.paper_yaml),
            ("linen", PackageResources.linen_yaml),
            ("frost", PackageResources.frost_yaml),
            ("blush", PackageResources.blush_yaml),
            ("contrast", PackageResources.contrast_yaml),
            ("terminal", PackageResources.terminal_yaml),
            ("mono", PackageResources.mono_yaml),
        ]
    }
}
