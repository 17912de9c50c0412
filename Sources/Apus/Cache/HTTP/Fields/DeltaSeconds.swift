/// A time in whole seconds, as fields give it (RFC 9111, 1.2.2).
enum DeltaSeconds {
    /// What larger numbers become: 2^31 seconds, 68 years.
    static let largest = Duration.seconds(2_147_483_648)

    /// Nil for anything but digits.
    static func parse(_ text: some StringProtocol) -> Duration? {
        let digits = text.utf8
        guard !digits.isEmpty,
            digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        // Digits that do not fit are a number too large to represent.
        guard let seconds = Int64(text) else { return largest }
        return min(.seconds(seconds), largest)
    }
}
