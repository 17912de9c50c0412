/// A format of images that is told by its first bytes.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
    /// Portable Network Graphics.
    case png
    /// JPEG.
    case jpeg
    /// Graphics Interchange Format; of an animation the first picture is read.
    case gif
    /// Windows bitmap.
    case bmp
    /// WebP.
    case webp
    /// Scalable Vector Graphics.
    case svg
    /// AV1 in the High Efficiency Image File Format.
    case avif
    /// HEVC in the High Efficiency Image File Format.
    case heic
    /// Windows icon; its size is that of the largest picture.
    case ico

    /// The name that people know it by.
    public var name: String {
        switch self {
        case .png: "PNG"
        case .jpeg: "JPEG"
        case .gif: "GIF"
        case .bmp: "BMP"
        case .webp: "WebP"
        case .svg: "SVG"
        case .avif: "AVIF"
        case .heic: "HEIC"
        case .ico: "ICO"
        }
    }

    /// Whether pixels can be read, not only the size.
    public var hasReadablePixels: Bool {
        switch self {
        case .png, .jpeg, .gif, .bmp: true
        case .webp, .svg, .avif, .heic, .ico: false
        }
    }
}
