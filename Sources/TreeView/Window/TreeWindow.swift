public import Documents
import FoundationEssentials
import Terminal

/// A tree in a program's own screen: it folds, searches, queries, copies, and shows tables.
///
/// The window draws nothing by itself and reads no keys, so that any ncurses program can show it:
///
/// ```swift
/// let tree = try TreeWindow(
///     ViewerSource(origin: .file("users.json"), name: "users.json"),
///     columns: Int(COLS),
///     rows: Int(LINES)
/// )
/// let names: [Int32: String] = [
///     KEY_UP: "up", KEY_DOWN: "down", KEY_LEFT: "left", KEY_RIGHT: "right",
///     KEY_NPAGE: "pgdn", KEY_PPAGE: "pgup", 10: "enter", 27: "esc", 127: "backspace",
/// ]
/// timeout(50)  // A search, and the rest of a large file, go on behind the keys.
/// while true {
///     for run in tree.draw().runs {
///         attrset(attributes(of: run.style))
///         mvaddstr(Int32(run.row), Int32(run.column), run.text)
///     }
///     refresh()
///     let code = getch()
///     guard let character = UnicodeScalar(UInt32(bitPattern: code)) else { continue }
///     // What the tree does not know is the program's: here, q ends it.
///     if !tree.press(names[code] ?? String(character)), character == "q" { break }
/// }
/// ```
///
/// `/` then searches while the text is typed, `$` asks a JSONPath, space folds, `n` goes to the next match, `a` shows
/// an array of objects as a table, and `y` copies; ``hints`` are the keys that are of use now.
///
/// ## Topics
///
/// ### Showing
/// - ``draw()``
/// - ``resize(columns:rows:)``
///
/// ### Events
/// - ``press(_:)``
/// - ``paste(_:)``
/// - ``click(column:row:)``
/// - ``scroll(by:)``
@MainActor
public final class TreeWindow {
    /// What the last key led to, for the program's own line of messages; nil if there is nothing to say.
    public private(set) var message: String?
    /// The text that the last key wanted on the clipboard; nil if it was no key that copies.
    public private(set) var copied: String?

    private var pane = DocumentPane(.none)
    private var history = PromptHistory()
    private var size: Size
    private let look: Look
    private let styles: [ResolvedStyle]
    private let runner: DocumentRunner
    private let mailbox: Mailbox<DocumentPaneMessage>
    private let start = ContinuousClock.now

    /// Opens a document and shows it from its first row; this may wait for a pipe.
    ///
    /// - Parameters:
    ///   - source: The document.
    ///   - columns: The width of the window.
    ///   - rows: The height of the window.
    ///   - colors: How many colors the terminal has, as ncurses counts them: 8, 256, or 2 to the 24th.
    ///   - isLight: Whether the terminal's background is light.
    ///   - onChange: Called on some thread when there is more to draw than before.
    /// - Throws: `DocumentError` if the document cannot be read.
    public init(
        _ source: ViewerSource,
        columns: Int,
        rows: Int,
        colors: Int = 256,
        isLight: Bool = false,
        onChange: @escaping @Sendable () -> Void = {}
    ) throws(DocumentError) {
        let depth: ColorDepth =
            switch colors {
            case ..<8: .mono
            case ..<256: .sixteen
            case ..<(1 << 24): .indexed256
            default: .trueColor
            }
        let theme = isLight ? Theme.standardLight : .standard
        look = Look(theme: theme, colorDepth: depth)
        styles = theme.resolved(for: depth)
        size = Size(columns: max(1, columns), rows: max(1, rows))
        let mailbox = Mailbox<DocumentPaneMessage>()
        self.mailbox = mailbox
        runner = DocumentRunner { message in
            mailbox.send(message)
            onChange()
        }
        let body = try source.open()
        fit()
        run { $0.show(body) }
    }

    isolated deinit { runner.cancelAll() }

    // MARK: Events

    /// Handles a key; returns false if the tree has no use for it.
    ///
    /// A character is its own name; others are called `enter`, `esc`, `tab`, `backspace`, `up`, `down`, `left`,
    /// `right`, `home`, `end`, `pgup`, `pgdn`, `del`, `f1`, each perhaps after `ctrl+`, `alt+` or `shift+`.
    @discardableResult
    public func press(_ name: String) -> Bool {
        receive()
        (message, copied) = (nil, nil)
        guard let key = Key(name) else { return false }
        guard let action = KeyTable.standard.action(for: key, in: places) else {
            let isTaken = pane.isTyping || pane.isCopying
            run { $0.type(key) }
            return isTaken
        }
        var isTaken = true
        run { pane in
            if let effects = pane.perform(action, key: key, history: history) { return effects }
            isTaken = action == .back && pane.clearFindings()
            return isTaken ? [.stop] : []
        }
        return isTaken
    }

    /// Handles pasted text, which goes to the prompt that is open.
    public func paste(_ text: String) { run { $0.paste(text) } }

    /// Handles a click in the window; a click on the selected row opens it.
    public func click(column: Int, row: Int) {
        run { $0.click(row: row, column: column, isSecond: true) }
    }

    /// Scrolls without moving the cursor, as a mouse's wheel does; down if `rows` is positive.
    public func scroll(by rows: Int) { pane.scroll(by: rows) }

    /// Gives the window another size.
    public func resize(columns: Int, rows: Int) {
        size = Size(columns: max(1, columns), rows: max(1, rows))
        fit()
    }

    // MARK: Showing

    /// Whether it may change without a key: the document is still being read, or a search runs.
    public var isBusy: Bool { pane.isMoving }

    /// The path of the value under the cursor, such as `users[0].name`; nil if there is none.
    public var path: String? { pane.currentPath }

    /// The keys that are of use now and what they do, the most useful first.
    public var hints: [(key: String, label: String)] {
        (DocumentPaneHints.own(of: pane) ?? DocumentPaneHints.ofRows(pane)).compactMap {
            KeyTable.standard.hint(for: $0.0, $0.1, in: places).map { ($0.key, $0.label) }
        }
    }

    /// Draws the window as it is now.
    public func draw() -> TreeFrame {
        receive()
        var grid = Grid(size: size)
        var cursor: Point?
        let now = ContinuousClock.now - start
        if let value = pane.wholeValue {
            WholeValueView(
                value: value,
                isFramed: false,
                now: now,
                clock: WallClock(now: Date(), zone: .current),
                look: look
            ).draw(in: grid.bounds, into: &grid)
        } else {
            cursor = DocumentPaneView(
                pane: pane,
                isFocused: true,
                isPadded: false,
                now: now,
                keys: .standard,
                look: look
            ).draw(in: grid.bounds, into: &grid)
        }
        return TreeFrame(grid.runs(styles), cursor)
    }

    // MARK: The pane

    private var places: [KeyBinding.Place] {
        pane.keyPlaces(around: pane.showsTable ? [] : [.levels])
    }

    private func fit() { pane.fit(size, value: Rect(size: size).textArea(isFramed: false).size) }

    /// Handles what the effects have found so far.
    private func receive() {
        for message in mailbox.removeAll() { run { $0.receive(message) } }
    }

    /// Changes the pane, and starts the effects.
    private func run(_ change: (inout DocumentPane) -> [DocumentPaneEffect]) {
        let effects = change(&pane)
        fit()
        for effect in effects {
            switch effect {
            case .copy(let text): copied = text
            case .say(let notice): message = notice.text
            case .refuse(let text): message = text
            case .remember(let kind, let text): history.keep(text, in: kind)
            default: runner.perform(effect)
            }
        }
    }
}

/// What a ``TreeWindow`` shows at a moment.
public struct TreeFrame: Hashable, Sendable {
    /// All cells of the window, row by row from the top.
    public let runs: [TreeRun]
    /// The place of the text cursor in the window; nil if it is hidden.
    public let cursor: Cursor?

    /// The column and the row of a cell, from 0.
    public struct Cursor: Hashable, Sendable {
        /// The column, from 0 at the left edge of the window.
        public let column: Int
        /// The row, from 0 at the top of the window.
        public let row: Int
    }

    init(_ runs: [CellRun], _ cursor: Point?) {
        self.runs = runs.map(TreeRun.init)
        self.cursor = cursor.map { Cursor(column: $0.x, row: $0.y) }
    }
}

/// Cells of a row that look the same.
public struct TreeRun: Hashable, Sendable {
    /// The column of the first cell, from 0 at the left edge of the window.
    public let column: Int
    /// The row, from 0 at the top of the window.
    public let row: Int
    /// How many cells it takes.
    public let columns: Int
    /// What the cells show; no control character is in it, whatever the document has.
    public let text: String
    /// How they look.
    public let style: TreeStyle

    init(_ run: CellRun) {
        (column, row, columns, text) = (run.start.x, run.start.y, run.columns, run.text)
        style = TreeStyle(run.style)
    }
}

/// How cells look.
public struct TreeStyle: Hashable, Sendable {
    /// The number of the text's color, as `init_pair` takes it; -1 is the terminal's own.
    public let foreground: Int
    /// The number of the background's color; -1 is the terminal's own.
    public let background: Int
    /// Whether they are heavier (`A_BOLD`).
    public let isBold: Bool
    /// Whether they are fainter (`A_DIM`).
    public let isDim: Bool
    /// Whether they are slanted (`A_ITALIC`).
    public let isItalic: Bool
    /// Whether they are underlined (`A_UNDERLINE`).
    public let isUnderlined: Bool
    /// Whether foreground and background are swapped (`A_REVERSE`).
    public let isReversed: Bool

    init(_ style: ResolvedStyle) {
        (foreground, background) = (style.foreground, style.background)
        isBold = style.attributes.contains(.bold)
        isDim = style.attributes.contains(.dim)
        isItalic = style.attributes.contains(.italic)
        isUnderlined = style.attributes.contains(.underline)
        isReversed = style.attributes.contains(.reverse)
    }
}
