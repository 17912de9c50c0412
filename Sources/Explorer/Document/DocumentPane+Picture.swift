import Apus
import Documents

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
