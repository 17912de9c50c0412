import Apus
import Documents
import Terminal

/// An image that is shown in place of its bytes.
struct Picture: Sendable {
    /// The pixels, or why there are none.
    enum Content: Sendable {
        /// Its pixels, scaled down to what a screen can show.
        case pixels(Pixels)
        /// Why there are no pixels: the format is not supported, or the file is damaged.
        case problem(String)
    }

    /// The format that the first bytes tell.
    let format: ImageFormat
    /// The size in its header; nil if that cannot be read.
    let size: ImageSize?
    let content: Content
    /// The image for a terminal that can show images.
    let image: TerminalImage?

    /// The most pixels in each direction; few screens have more cells in a row.
    private static let mostPixels = 400
    /// The largest image that is sent to a terminal: 1.6 MB as sent.
    private static let mostImagePixels = (columns: 640, rows: 480)
    /// The most pixels that are decoded, as a photograph has: 96 MB until they are scaled down.
    private static let mostPixelsRead = 24_000_000

    /// Reads an image and scales it down, which takes a while for a large one.
    init(_ bytes: DocumentBytes, format: ImageFormat) {
        self.format = format
        size = (try? ResponseImage(reading: bytes, decodesPixels: false))?.size
        do throws(ImageFailure) {
            let image = try ResponseImage(reading: bytes, maximumPixels: Self.mostPixelsRead)
            if let pixels = image.pixels, let size = image.size {
                let whole = Pixels(columns: size.width, rows: size.height, rgba: pixels)
                content = .pixels(whole.fitted(to: Self.mostPixels, Self.mostPixels))
                let most = Self.mostImagePixels
                self.image = whole.fitted(to: most.columns, most.rows).image
            } else {
                content = .problem("Apus cannot show \(format.name) images.")
                self.image = nil
            }
        } catch {
            self.image = nil
            content = .problem(error.reason.prefix(1).uppercased() + error.reason.dropFirst() + ".")
        }
    }
}
