/// A width and a height in pixels.
public struct ImageSize: Sendable, Hashable {
    /// The width.
    public let width: Int
    /// The height.
    public let height: Int

    /// Makes a size.
    public init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// How many pixels; the largest integer if there are more.
    public var pixelCount: Int {
        let (count, isTooLarge) = width.multipliedReportingOverflow(by: height)
        return isTooLarge ? .max : count
    }
}
