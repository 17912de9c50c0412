/// How much there may be on disk, and how much is left when it was too much.
struct DiskLimits: Sendable, Hashable {
    let bytes: Int
    let count: Int
    /// The part of a limit that is left.
    let fraction: Double

    func areExceeded(by size: (count: Int, bytes: Int)) -> Bool {
        size.bytes > bytes || size.count > count
    }

    /// What must go; not positive where nothing must.
    func excess(of size: (count: Int, bytes: Int)) -> (count: Int, bytes: Int) {
        (
            size.count > count ? size.count - Int(Double(count) * fraction) : 0,
            size.bytes > bytes ? size.bytes - Int(Double(bytes) * fraction) : 0
        )
    }
}
