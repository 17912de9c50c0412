/// What is held down beside a key.
package struct KeyModifiers: OptionSet, Hashable, Sendable {
    /// The bits, in the order of xterm's parameter.
    package let rawValue: UInt8

    /// Makes a set from its bits.
    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Shift; letters carry it in themselves.
    package static let shift = KeyModifiers(rawValue: 1)
    /// Alt.
    package static let alt = KeyModifiers(rawValue: 2)
    /// Control.
    package static let control = KeyModifiers(rawValue: 4)
}
