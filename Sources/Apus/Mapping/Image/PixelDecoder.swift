internal import CImage
import Documents

/// Why an image's pixels cannot be read, in the library's words.
struct PixelFailure: Error {
    let reason: String
}

/// Pixels by stb_image.
enum PixelDecoder {
    /// The pixels of an image of this size, four bytes each.
    ///
    /// The library takes memory by the size that it reads itself: it must be `size`.
    static func pixels(
        of bytes: DocumentBytes,
        expecting size: ImageSize
    ) throws(PixelFailure) -> [UInt8] {
        let decoded: Result<[UInt8], PixelFailure> = bytes.withUnsafeBytes { buffer in
            guard let base = buffer.bindMemory(to: UInt8.self).baseAddress else {
                return .failure(PixelFailure(reason: MappingMessages.empty))
            }
            return decode(base, buffer.count, size)
        }
        return try decoded.get()
    }

    private static func decode(
        _ base: UnsafePointer<UInt8>,
        _ count: Int,
        _ size: ImageSize
    ) -> Result<[UInt8], PixelFailure> {
        var width: Int32 = 0
        var height: Int32 = 0
        var why: UnsafePointer<CChar>?
        guard let pixels = cimage_decode(base, count, &width, &height, &why) else {
            let reason = why.map { String(cString: $0) } ?? MappingMessages.cutImage
            return .failure(PixelFailure(reason: reason))
        }
        defer { cimage_free(pixels) }
        guard Int(width) == size.width, Int(height) == size.height else {
            return .failure(PixelFailure(reason: MappingMessages.cutImage))
        }
        let length = size.pixelCount * 4
        return .success(Array(UnsafeBufferPointer(start: pixels, count: length)))
    }
}
