/// What the mouse did.
package struct MouseEvent: Hashable, Sendable {
    /// What the mouse did.
    package enum Kind: Hashable, Sendable {
        /// A button went down.
        case press
        /// A button came up.
        case release
        /// Moved with a button down.
        case drag
        /// Moved without one.
        case move
        /// The wheel was turned by one step.
        case scrollUp, scrollDown, scrollLeft, scrollRight
    }

    /// A mouse button.
    package enum Button: Hashable, Sendable {
        /// The left button.
        case left
        /// The middle button, usually the wheel pressed down.
        case middle
        /// The right button.
        case right
        /// No button, or one without a name.
        case none
    }

    /// What the mouse did.
    package var kind: Kind
    /// The button that was pressed, released or held; `none` for the wheel and for moves without a button.
    package var button: Button
    /// The cell of the pointer.
    package var position: Point
    /// The modifiers that were held down.
    package var modifiers: KeyModifiers

    /// Makes an event.
    package init(
        kind: Kind,
        button: Button = .left,
        position: Point,
        modifiers: KeyModifiers = []
    ) {
        self.kind = kind
        self.button = button
        self.position = position
        self.modifiers = modifiers
    }

    /// Reads xterm's SGR report: a number of bits, and coordinates from 1.
    init(report bits: Int, column: Int, row: Int, isRelease: Bool) {
        let buttons: [Button] = [.left, .middle, .right, .none]
        let wheel: [Kind] = [.scrollUp, .scrollDown, .scrollLeft, .scrollRight]
        let isWheel = bits & 64 != 0
        let isMotion = bits & 32 != 0
        let button = isWheel || bits & 128 != 0 ? Button.none : buttons[bits & 3]
        let moved: Kind = button == .none ? .move : .drag
        kind = isWheel ? wheel[bits & 3] : isMotion ? moved : isRelease ? .release : .press
        self.button = button
        position = Point(x: max(0, column - 1), y: max(0, row - 1))
        modifiers = []
        if bits & 4 != 0 { modifiers.insert(.shift) }
        if bits & 8 != 0 { modifiers.insert(.alt) }
        if bits & 16 != 0 { modifiers.insert(.control) }
    }
}
