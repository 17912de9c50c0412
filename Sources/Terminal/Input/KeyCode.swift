/// Which key.
package enum KeyCode: Hashable, Sendable {
    /// One that writes; the space bar too.
    case character(Character)
    /// Enter, and ctrl+m and ctrl+j, which classic terminals cannot tell from it.
    case enter
    /// Tab, and ctrl+i; backwards with shift.
    case tab
    /// Backspace, and ctrl+h.
    case backspace
    /// Escape.
    case escape
    /// Up.
    case up
    /// Down.
    case down
    /// Left.
    case left
    /// Right.
    case right
    /// Home.
    case home
    /// End.
    case end
    /// Page up.
    case pageUp
    /// Page down.
    case pageDown
    /// Insert.
    case insert
    /// Delete.
    case delete
    /// F1 to F20.
    case function(Int)
}
