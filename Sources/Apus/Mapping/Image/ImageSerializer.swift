internal import CImage
package import Documents

/// Reads an image: its format, its size and its pixels.
///
/// Pixels are decoded for PNG, JPEG, GIF and BMP. For WebP, SVG, AVIF, HEIC and ICO only the format and the
/// size are read. The size in the header is checked before memory for pixels is allocated.
public struct ImageSerializer: ResponseSerializer {
    /// The default limit of 64 mebipixels, which take 256 MiB of memory.
    public static let defaultMaximumPixels = 64 << 20

    let decodesPixels: Bool
    let maximumPixels: Int

    /// Reads the format, the size and, if asked for, the pixels.
    ///
    /// - Throws: ``ApusError`` with the reason `.mapping`, kind `.image` or `.empty`.
    public func serialize(_ response: Response) throws(ApusError) -> ResponseImage {
        guard !response.body.isEmpty else {
            throw response.failure(.init(.empty, detail: MappingMessages.empty))
        }
        let bytes = try response.ownBytes()
        do throws(ImageError) {
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
    /// Reads an image with its pixels.
    public static var image: ImageSerializer { .image() }

    /// Reads an image.
    ///
    /// - Parameters:
    ///   - decodesPixels: whether to decode the pixels.
    ///   - maximumPixels: the most pixels to decode; an image with more is an error.
    /// - Returns: the serializer.
    public static func image(
        decodesPixels: Bool = true,
        maximumPixels: Int = ImageSerializer.defaultMaximumPixels
    ) -> ImageSerializer {
        ImageSerializer(decodesPixels: decodesPixels, maximumPixels: maximumPixels)
    }
}

/// An image from a response: its format, its size, and its pixels if they can be decoded.
public struct ResponseImage: Sendable, Hashable {
    /// The format, detected from the bytes and not from the Content-Type.
    public let format: ImageFormat
    /// The size; nil for an SVG that declares none.
    public let size: ImageSize?
    /// The pixels, row by row from the top, each as red, green, blue and alpha (0 is transparent).
    ///
    /// Nil if they were not asked for, or if Apus cannot decode the format.
    public let pixels: [UInt8]?
    /// The number of bytes of the image file.
    public let byteCount: Int

    /// Creates an image from known parts, for example for a test.
    public init(format: ImageFormat, size: ImageSize?, pixels: [UInt8]?, byteCount: Int) {
        self.format = format
        self.size = size
        self.pixels = pixels
        self.byteCount = byteCount
    }

    /// Reads an image, and its pixels if they are asked for and the format allows it.
    package init(
        reading bytes: DocumentBytes,
        decodesPixels: Bool = true,
        maximumPixels: Int = ImageSerializer.defaultMaximumPixels
    ) throws(ImageError) {
        guard let header = ImageHeader(bytes) else {
            throw ImageError(reason: MappingMessages.unknownImage)
        }
        // An SVG may have no size. Every other format declares it in the header.
        if header.size == nil, header.format != .svg {
            throw ImageError(reason: MappingMessages.cutImage)
        }
        var pixels: [UInt8]?
        if decodesPixels, header.format.hasReadablePixels, let size = header.size {
            guard size.pixelCount <= maximumPixels else {
                throw ImageError(reason: MappingMessages.tooManyPixels(size, maximumPixels))
            }
            do throws(ImageError) {
                pixels = try PixelDecoder.pixels(of: bytes, expecting: size)
            } catch {
                throw ImageError(reason: MappingMessages.noPixels(header.format, error.reason))
            }
        }
        self.init(format: header.format, size: header.size, pixels: pixels, byteCount: bytes.count)
    }

    /// The red, green, blue and alpha of a pixel; nil outside the image or if there are no pixels.
    public func pixel(x: Int, y: Int) -> (red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8)? {
        guard let pixels, let size, (0..<size.width).contains(x), (0..<size.height).contains(y)
        else { return nil }
        let start = (y * size.width + x) * 4
        guard start + 3 < pixels.count else { return nil }
        return (pixels[start], pixels[start + 1], pixels[start + 2], pixels[start + 3])
    }
}

/// Why an image cannot be read.
package struct ImageError: Error {
    /// The reason, in words for people.
    package let reason: String
}

/// Decodes pixels with stb_image.
enum PixelDecoder {
    /// Decodes the pixels of an image of this size, four bytes each.
    ///
    /// Fails if stb_image reads another size, because it allocates memory for the size that it reads.
    static func pixels(
        of bytes: DocumentBytes,
        expecting size: ImageSize
    ) throws(ImageError) -> [UInt8] {
        let decoded: Result<[UInt8], ImageError> = bytes.withUnsafeBytes { buffer in
            guard let base = buffer.bindMemory(to: UInt8.self).baseAddress else {
                return .failure(ImageError(reason: MappingMessages.empty))
            }
            return decode(base, buffer.count, size)
        }
        return try decoded.get()
    }

    private static func decode(
        _ base: UnsafePointer<UInt8>,
        _ count: Int,
        _ size: ImageSize
    ) -> Result<[UInt8], ImageError> {
        var width: Int32 = 0
        var height: Int32 = 0
        var why: UnsafePointer<CChar>?
        guard let pixels = cimage_decode(base, count, &width, &height, &why) else {
            let reason = why.map { String(cString: $0) } ?? MappingMessages.cutImage
            let isCut = reason == "outofdata"
            return .failure(ImageError(reason: isCut ? MappingMessages.cutPixels : reason))
        }
        defer { cimage_free(pixels) }
        guard Int(width) == size.width, Int(height) == size.height else {
            return .failure(ImageError(reason: MappingMessages.cutImage))
        }
        let length = size.pixelCount * 4
        return .success(Array(UnsafeBufferPointer(start: pixels, count: length)))
    }
}
