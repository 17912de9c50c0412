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

/// Showing an image in place of its bytes.
extension DocumentPane {
    /// The state of a pane's image.
    enum PictureState: Sendable {
        /// It is being read.
        case awaited
        case read(Picture)
    }

    /// Whether the picture is shown instead of the bytes.
    var showsPicture: Bool { picture != nil && !hidesPicture && body?.form == .hex }

    /// Starts reading the picture, if the bytes are one and the user has not asked for the bytes.
    mutating func notePicture() -> [DocumentPaneEffect] {
        guard picture == nil, let body, body.form == .hex, body.chosenForm == nil,
            body.bytes.isComplete, !body.isGrowing, let format = ImageFormat(of: body.bytes)
        else { return [] }
        picture = .awaited
        return [.picture(body.bytes, format)]
    }

    /// Takes in a picture, if its bytes are still those of the pane.
    mutating func take(_ picture: Picture, of bytes: DocumentBytes) {
        if body?.bytes === bytes { self.picture = .read(picture) }
    }

    /// Performs an action on the picture; nil if none is shown, or the action is for the bytes.
    mutating func performOnPicture(_ action: Action) -> [DocumentPaneEffect]? {
        guard showsPicture, case .rows = layer else { return nil }
        switch action {
        case .nextForm: hidesPicture = true
        case .up, .down, .left, .right, .pageUp, .pageDown, .first, .last, .open: break
        case .search, .query, .goTo, .copy, .showFault:
            hidesPicture = true
            return nil
        default: return nil
        }
        return []
    }
}
