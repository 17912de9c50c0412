import FoundationEssentials

/// A value as it is kept.
struct KeptValue: Sendable, Hashable {
    let json: [UInt8]
    /// When its time is over; nil for never.
    let expires: Date?

    func isOver(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }
}
