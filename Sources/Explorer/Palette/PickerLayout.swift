import Terminal
import TreeView

/// Where the palette and the other pickers stand: over the panes, centered, near the top.
struct PickerLayout {
    let frame: Rect
    let field: Rect
    let list: Rect
    let isFramed: Bool

    init(size: Size) {
        isFramed = size.hasRoomForFrames
        let (all, _) = Rect(size: size).splitBottom(1)
        if isFramed {
            let columns = min(78, all.columns - 4)
            frame = Rect(
                x: (all.columns - columns) / 2,
                y: 2,
                columns: columns,
                rows: min(20, all.rows - 3)
            )
        } else {
            frame = all
        }
        let inside = frame.textArea(isFramed: isFramed)
        field = inside.row(0)
        list = inside.inset(top: isFramed ? 2 : 1)
    }
}
