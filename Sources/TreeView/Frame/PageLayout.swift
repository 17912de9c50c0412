package import Terminal

extension Size {
    /// Whether panes of a terminal of this size have borders.
    package var hasRoomForFrames: Bool { columns >= 60 && rows >= 14 }
}

extension Rect {
    /// The room for text in a pane: inside its border and a blank column, or below its title row.
    package func textArea(isFramed: Bool) -> Rect {
        isFramed ? inset(left: 2, top: 1, right: 2, bottom: 1) : inset(top: 1)
    }
}

/// Where a page over the panes stands: the help, the explanation of the cache, or the list of cookies.
package struct PageLayout {
    package let frame: Rect
    /// The rows of its text.
    package let inside: Rect
    package let isFramed: Bool

    package init(size: Size) {
        isFramed = size.hasRoomForFrames
        let (all, _) = Rect(size: size).splitBottom(1)
        frame = isFramed ? all.inset(top: 1) : all
        // Without a border the last column is the scrollbar's.
        inside = frame.textArea(isFramed: isFramed).inset(right: isFramed ? 0 : 1)
    }
}
