/// An image out of an answer: its format, its size, and its pixels if they can be read.
public struct ResponseImage: Sendable, Hashable {
    /// The format, told by the bytes and not by the Content-Type.
    public let format: ImageFormat
    /// The size; nil for an SVG that names none.
    public let size: ImageSize?
    /// The pixels, row by row from the top, each red, green, blue and alpha (0 is transparent).
    ///
    /// Nil if they were not asked for, or if the format's pixels cannot be read.
    public let pixels: [UInt8]?
    /// How many bytes the image has as it came.
    public let byteCount: Int

    /// Makes an image.
    public init(format: ImageFormat, size: ImageSize?, pixels: [UInt8]?, byteCount: Int) {
        self.format = format
        self.size = size
        self.pixels = pixels
        self.byteCount = byteCount
    }

    /// Red, green, blue and alpha of a pixel; nil outside of the image or without pixels.
    public func pixel(x: Int, y: Int) -> (red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8)? {
        guard let pixels, let size, (0..<size.width).contains(x), (0..<size.height).contains(y)
        else { return nil }
        let start = (y * size.width + x) * 4
        guard start + 3 < pixels.count else { return nil }
        return (pixels[start], pixels[start + 1], pixels[start + 2], pixels[start + 3])
    }
}
