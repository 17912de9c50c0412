import Apus
import Documents
import Secrets
package import TreeView

extension TreeServices {
    /// The engine's images and masks, for the trees of the explorer and of `apus view`.
    package static let engine = TreeServices(
        images: EngineImages(),
        maskURL: { CredentialMask().masking(url: $0) }
    )
}

/// The images that the engine reads.
private struct EngineImages: ImageReader {
    func format(of bytes: DocumentBytes) -> String? { ImageFormat(of: bytes)?.name }

    func read(_ bytes: DocumentBytes, maximumPixels: Int) -> ReadImage {
        let name = format(of: bytes) ?? "image"
        // What is damaged is said by reading the pixels.
        let header = try? ResponseImage(reading: bytes, decodesPixels: false)
        let size = header?.size.map { (width: $0.width, height: $0.height) }
        do throws(ImageError) {
            let image = try ResponseImage(reading: bytes, maximumPixels: maximumPixels)
            guard let pixels = image.pixels, image.size != nil else {
                return ReadImage(
                    format: name,
                    size: size,
                    content: .problem("Apus cannot show \(name) images.")
                )
            }
            return ReadImage(format: name, size: size, content: .pixels(pixels))
        } catch {
            let words = error.reason.prefix(1).uppercased() + error.reason.dropFirst() + "."
            return ReadImage(format: name, size: size, content: .problem(words))
        }
    }
}
