extension Color {
    private static let ansiNames = [
        "black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
    ]

    /// Reads `#rrggbb`, `default`, an ansi name (`red`), or one with `bright` before (`brightRed`).
    init?(text: String) {
        if text == "default" {
            self = .terminal
        } else if text.hasPrefix("#"), text.utf8.count == 7,
            let value = UInt32(text.dropFirst(), radix: 16)
        {
            self = .rgb(UInt8(value >> 16), UInt8(value >> 8 & 255), UInt8(value & 255))
        } else if let number = Self.ansiNames.firstIndex(of: text) {
            self = .ansi(UInt8(number))
        } else if text.hasPrefix("bright"),
            let number = Self.ansiNames.firstIndex(of: text.dropFirst(6).lowercased())
        {
            self = .ansi(UInt8(number + 8))
        } else {
            return nil
        }
    }
}
