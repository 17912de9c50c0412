import CTerminalHarness

/// The settings of the terminal line that a full-screen program changes.
struct TerminalModes: Equatable {
    /// Lines are edited before the program reads them.
    var isCanonical: Bool
    var echoes: Bool
    /// ctrl-c and ctrl-z become signals.
    var makesSignals: Bool
    /// A newline also returns to the first column.
    var mapsNewline: Bool

    /// What a shell hands to a program.
    static let cooked = TerminalModes(
        isCanonical: true,
        echoes: true,
        makesSignals: true,
        mapsNewline: true
    )

    init(isCanonical: Bool, echoes: Bool, makesSignals: Bool, mapsNewline: Bool) {
        self.isCanonical = isCanonical
        self.echoes = echoes
        self.makesSignals = makesSignals
        self.mapsNewline = mapsNewline
    }

    init?(_ harness: OpaquePointer) {
        var found = harness_modes()
        guard harness_get_modes(harness, &found) == 0 else { return nil }
        self.init(
            isCanonical: found.is_canonical != 0,
            echoes: found.echoes != 0,
            makesSignals: found.signals != 0,
            mapsNewline: found.maps_newline != 0
        )
    }
}
