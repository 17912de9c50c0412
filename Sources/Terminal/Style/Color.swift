/// A colour as a theme names it.
package enum Color: Hashable, Sendable {
    /// What the terminal has by itself.
    case terminal
    /// One of the 16 that people choose in their terminal: 0-7, and 8-15 bright.
    case ansi(UInt8)
    /// Red, green, blue.
    case rgb(UInt8, UInt8, UInt8)
}
