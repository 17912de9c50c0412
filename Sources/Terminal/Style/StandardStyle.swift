/// A style of the default theme, as the generated table has it.
struct StandardStyle: Sendable {
    let scope: String
    /// 0xRRGGBB, or -1 for the terminal's own.
    let foreground: Int32
    let background: Int32
    let attributes: UInt8

    init(_ scope: String, _ foreground: Int32, _ background: Int32, _ attributes: UInt8) {
        self.scope = scope
        self.foreground = foreground
        self.background = background
        self.attributes = attributes
    }
}
