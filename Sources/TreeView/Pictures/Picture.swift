package import Documents
import Terminal

/// Reads images for panes: a tree has no decoder of its own.
package protocol ImageReader: Sendable {
    /// The usual name of the format of some bytes, such as "PNG"; nil if they are no image.
    func format(of bytes: DocumentBytes) -> String?

    /// Reads an image and decodes its pixels, unless there are more than a number of them.
    func read(_ bytes: DocumentBytes, maximumPixels: Int) -> ReadImage
}

/// What a reader found in the bytes of an image.
package struct ReadImage: Sendable {
    /// The pixels, or why there are none.
    package enum Content: Sendable {
        /// Red, green, blue and alpha, row by row from the top.
        case pixels([UInt8])
        /// A sentence for people.
        case problem(String)
    }

    /// The usual name of its format.
    package var format: String
    /// The width and the height in its header; nil if they cannot be read.
    package var size: (width: Int, height: Int)?
    /// The pixels, or why there are none.
    package var content: Content

    /// Tells what was found.
    package init(format: String, size: (width: Int, height: Int)?, content: Content) {
        (self.format, self.size, self.content) = (format, size, content)
    }
}

/// An image that is shown in place of its bytes.
package struct Picture: Sendable {
    /// The pixels, or why there are none.
    enum Content: Sendable {
        /// Its pixels, scaled down to what a screen can show.
        case pixels(Pixels)
        /// Why there are no pixels: the format is not supported, or the file is damaged.
        case problem(String)
    }

    /// The usual name of the format that the first bytes tell.
    let format: String
    /// The size in its header; nil if that cannot be read.
    let size: (width: Int, height: Int)?
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
    init(_ bytes: DocumentBytes, by reader: any ImageReader) {
        let read = reader.read(bytes, maximumPixels: Self.mostPixelsRead)
        (format, size) = (read.format, read.size)
        switch (read.content, read.size) {
        case (.pixels(let rgba), let size?):
            let whole = Pixels(columns: size.width, rows: size.height, rgba: rgba)
            content = .pixels(whole.fitted(to: Self.mostPixels, Self.mostPixels))
            let most = Self.mostImagePixels
            image = whole.fitted(to: most.columns, most.rows).image
        case (.pixels, nil): (content, image) = (.problem("The image has no size."), nil)
        case (.problem(let words), _): (content, image) = (.problem(words), nil)
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
    package var showsPicture: Bool { picture != nil && !hidesPicture && body?.form == .hex }

    /// Starts reading the picture, if the bytes are one and the user has not asked for the bytes.
    mutating func readPicture() -> [DocumentPaneEffect] {
        guard picture == nil, let body, body.form == .hex, body.chosenForm == nil,
            body.bytes.isComplete, !body.isGrowing, let reader = services.images,
            reader.format(of: body.bytes) != nil
        else { return [] }
        picture = .awaited
        return [.picture(body.bytes, reader)]
    }

    /// Shows a picture, if its bytes are still those of the pane.
    package mutating func show(_ picture: Picture, of bytes: DocumentBytes) {
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
