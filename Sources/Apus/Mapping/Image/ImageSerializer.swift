import Documents

/// Reads an image: what it is and how large, and its pixels.
///
/// Pixels are read of PNG, JPEG, GIF and BMP; of WebP, SVG, AVIF, HEIC and ICO the format and the
/// size. The header's size is checked before memory is taken for pixels.
public struct ImageSerializer: ResponseSerializer {
    /// 64 mebipixels: 256 MiB of memory.
    public static let defaultMaximumPixels = 64 << 20

    /// Whether pixels are read.
    public var decodesPixels: Bool
    /// How many pixels an image may have whose pixels are to be read.
    public var maximumPixels: Int

    /// Makes a serializer.
    public init(
        decodesPixels: Bool = true,
        maximumPixels: Int = ImageSerializer.defaultMaximumPixels
    ) {
        self.decodesPixels = decodesPixels
        self.maximumPixels = maximumPixels
    }

    /// The image.
    ///
    /// - Throws: `ApusError` with the reason `.mapping`, kind `.image` or `.empty`.
    public func serialize(_ response: Response) throws(ApusError) -> ResponseImage {
        guard !response.body.isEmpty else {
            throw response.failure(.init(.empty, detail: MappingMessages.empty))
        }
        let bytes = try response.ownBytes()
        guard let header = ImageHeader(bytes) else {
            throw response.failure(.init(.image, detail: MappingMessages.unknownImage))
        }
        return ResponseImage(
            format: header.format,
            size: try size(of: header, response),
            pixels: try pixels(of: header, bytes, response),
            byteCount: bytes.count
        )
    }

    private func size(of header: ImageHeader, _ response: Response) throws(ApusError) -> ImageSize?
    {
        // A vector image needs no size; every other one has it in its header.
        if header.size == nil, header.format != .svg {
            throw response.failure(.init(.image, detail: MappingMessages.cutImage))
        }
        return header.size
    }

    private func pixels(
        of header: ImageHeader,
        _ bytes: DocumentBytes,
        _ response: Response
    ) throws(ApusError) -> [UInt8]? {
        guard decodesPixels, header.format.hasReadablePixels, let size = header.size else {
            return nil
        }
        guard size.pixelCount <= maximumPixels else {
            let detail = MappingMessages.tooManyPixels(size, maximumPixels)
            throw response.failure(.init(.image, detail: detail))
        }
        do throws(PixelFailure) {
            return try PixelDecoder.pixels(of: bytes, expecting: size)
        } catch {
            let detail = MappingMessages.noPixels(header.format, error.reason)
            throw response.failure(.init(.image, detail: detail))
        }
    }
}

extension ResponseSerializer where Self == ImageSerializer {
    /// An image with its pixels.
    public static var image: ImageSerializer { ImageSerializer() }

    /// An image, with its pixels if they are asked for.
    public static func image(
        decodesPixels: Bool,
        maximumPixels: Int = ImageSerializer.defaultMaximumPixels
    ) -> ImageSerializer {
        ImageSerializer(decodesPixels: decodesPixels, maximumPixels: maximumPixels)
    }
}
