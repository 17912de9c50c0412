internal import CImage
package import Documents

/// Reads an image: what it is and how large, and its pixels.
///
/// Pixels are read of PNG, JPEG, GIF and BMP; of WebP, SVG, AVIF, HEIC and ICO the format and the
/// size. The header's size is checked before memory is taken for pixels.
public struct ImageSerializer: ResponseSerializer {
    /// 64 mebipixels: 256 MiB of memory.
    public static let defaultMaximumPixels = 64 << 20

    let decodesPixels: Bool
    let maximumPixels: Int

    /// The format, the size, and the pixels if they are asked for.
    ///
    /// - Throws: ``ApusError`` with the reason `.mapping`, kind `.image` or `.empty`.
    public func serialize(_ response: Response) throws(ApusError) -> ResponseImage {
        guard !response.body.isEmpty else {
            throw response.failure(.init(.empty, detail: MappingMessages.empty))
        }
        let bytes = try response.ownBytes()
        do throws(ImageFailure) {
            return try ResponseImage(
                reading: bytes,
                decodesPixels: decodesPixels,
                maximumPixels: maximumPixels
            )
        } catch {
            throw response.failure(.init(.image, detail: error.reason))
        }
    }
}

extension ResponseSerializer where Self == ImageSerializer {
    /// An image with its pixels.
    public static var image: ImageSerializer { .image() }

    /// An image.
    ///
    /// - Parameters:
    ///   - decodesPixels: whether pixels are read.
    ///   - maximumPixels: how many an image may have; one with more is an error if they are read.
    /// - Returns: the serializer.
    public static func image(
        decodesPixels: Bool = true,
        maximumPixels: Int = ImageSerializer.defaultMaximumPixels
    ) -> ImageSerializer {
        ImageSerializer(decodesPixels: decodesPixels, maximumPixels: maximumPixels)
    }
}

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

    /// An image of known parts, as for a test.
    public init(format: ImageFormat, size: ImageSize?, pixels: [UInt8]?, byteCount: Int) {
        self.format = format
        self.size = size
        self.pixels = pixels
        self.byteCount = byteCount
    }

    /// Reads an image; its pixels too, if they are asked for and its format's can be read.
    package init(
        reading bytes: DocumentBytes,
        decodesPixels: Bool = true,
        maximumPixels: Int = ImageSerializer.defaultMaximumPixels
    ) throws(ImageFailure) {
        guard let header = ImageHeader(bytes) else {
            throw ImageFailure(reason: MappingMessages.unknownImage)
        }
        // A vector image needs no size; every other one has it in its header.
        if header.size == nil, header.format != .svg {
            throw ImageFailure(reason: MappingMessages.cutImage)
        }
        var pixels: [UInt8]?
        if decodesPixels, header.format.hasReadablePixels, let size = header.size {
            guard size.pixelCount <= maximumPixels else {
                throw ImageFailure(reason: MappingMessages.tooManyPixels(size, maximumPixels))
            }
            do throws(ImageFailure) {
                pixels = try PixelDecoder.pixels(of: bytes, expecting: size)
            } catch {
                throw ImageFailure(reason: MappingMessages.noPixels(header.format, error.reason))
            }
        }
        self.init(format: header.format, size: header.size, pixels: pixels, byteCount: bytes.count)
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

/// Why an image cannot be read.
package struct ImageFailure: Error {
    /// In words for people.
    package let reason: String
}

/// Pixels by stb_image.
enum PixelDecoder {
    /// The pixels of an image of this size, four bytes each.
    ///
    /// The library takes memory by the size that it reads itself: it must be `size`.
    static func pixels(
        of bytes: DocumentBytes,
        expecting size: ImageSize
    ) throws(ImageFailure) -> [UInt8] {
        let decoded: Result<[UInt8], ImageFailure> = bytes.withUnsafeBytes { buffer in
            guard let base = buffer.bindMemory(to: UInt8.self).baseAddress else {
                return .failure(ImageFailure(reason: MappingMessages.empty))
            }
            return decode(base, buffer.count, size)
        }
        return try decoded.get()
    }

    private static func decode(
        _ base: UnsafePointer<UInt8>,
        _ count: Int,
        _ size: ImageSize
    ) -> Result<[UInt8], ImageFailure> {
        var width: Int32 = 0
        var height: Int32 = 0
        var why: UnsafePointer<CChar>?
        guard let pixels = cimage_decode(base, count, &width, &height, &why) else {
            let reason = why.map { String(cString: $0) } ?? MappingMessages.cutImage
            let isCut = reason == "outofdata"
            return .failure(ImageFailure(reason: isCut ? MappingMessages.cutPixels : reason))
        }
        defer { cimage_free(pixels) }
        guard Int(width) == size.width, Int(height) == size.height else {
            return .failure(ImageFailure(reason: MappingMessages.cutImage))
        }
        let length = size.pixelCount * 4
        return .success(Array(UnsafeBufferPointer(start: pixels, count: length)))
    }
}
