/// The symbols used on the screen: Unicode, or ASCII ones that every terminal has.
///
/// Each is one column wide.
package struct Symbols: Hashable, Sendable {
    /// Before an unfolded node.
    package var foldOpen: Unicode.Scalar = "▾"
    /// Before a folded node.
    package var foldClosed: Unicode.Scalar = "▸"

    /// The upper left corner of a box.
    package var boxTopLeft: Unicode.Scalar = "╭"
    /// The upper right corner of a box.
    package var boxTopRight: Unicode.Scalar = "╮"
    /// The lower left corner of a box.
    package var boxBottomLeft: Unicode.Scalar = "╰"
    /// The lower right corner of a box.
    package var boxBottomRight: Unicode.Scalar = "╯"
    /// The upper and lower sides of a box, and other horizontal lines.
    package var horizontal: Unicode.Scalar = "─"
    /// The left and right sides of a box, and other vertical lines.
    package var vertical: Unicode.Scalar = "│"
    /// A vertical line with a branch to the right.
    package var teeLeft: Unicode.Scalar = "├"
    /// A vertical line with a branch to the left.
    package var teeRight: Unicode.Scalar = "┤"
    /// A horizontal line with a branch down.
    package var teeDown: Unicode.Scalar = "┬"
    /// A horizontal line with a branch up.
    package var teeUp: Unicode.Scalar = "┴"
    /// Two lines that cross.
    package var cross: Unicode.Scalar = "┼"

    /// The eighths of a cell, from thin to full.
    package var gaugeEighths: [Unicode.Scalar] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"]
    /// The part of a gauge that is not filled yet.
    package var gaugeTrack: Unicode.Scalar = " "
    /// The moving block of a gauge without a known total.
    package var gaugeUnknown: Unicode.Scalar = "▒"
    /// A pip of the time that a cached response stays fresh.
    package var freshFull: Unicode.Scalar = "▰"
    /// A used-up pip.
    package var freshEmpty: Unicode.Scalar = "▱"
    /// The thumb of a scrollbar.
    package var scrollbarThumb: Unicode.Scalar = "┃"

    /// A recording is running.
    package var recording: Unicode.Scalar = "●"
    /// The end of a text that was cut.
    package var ellipsis: Unicode.Scalar = "…"
    /// Between two facts.
    package var middleDot: Unicode.Scalar = "·"
    /// A character of a masked text.
    package var maskedDot: Unicode.Scalar = "•"
    /// The sign of a batch.
    package var batch: Unicode.Scalar = "»"
    /// The sign of a chain.
    package var chain: Unicode.Scalar = "→"
    /// The head of a drawn arrow.
    package var arrowHead: Unicode.Scalar = "▶"
    /// Succeeded.
    package var check: Unicode.Scalar = "✓"
    /// Failed.
    package var crossMark: Unicode.Scalar = "✗"
    /// Changed.
    package var tilde: Unicode.Scalar = "~"
    /// Added, in a comparison.
    package var plus: Unicode.Scalar = "+"
    /// Removed.
    package var minus: Unicode.Scalar = "-"
    /// Moved.
    package var moved: Unicode.Scalar = "↕"
    /// Sorted upwards.
    package var ascending: Unicode.Scalar = "▴"
    /// Sorted downwards.
    package var descending: Unicode.Scalar = "▾"

    /// Between a width and a height.
    package var times: Unicode.Scalar = "×"
    /// The upper half of a cell; nil if there is no such symbol.
    package var upperHalf: Unicode.Scalar? = "▀"
    /// The lower half of a cell; nil if there is no such symbol.
    package var lowerHalf: Unicode.Scalar? = "▄"
    /// Four shades, from light to dark.
    package var shades: [Unicode.Scalar] = ["░", "▒", "▓", "█"]
    /// Eight levels, from low to high.
    package var sparkline: [Unicode.Scalar] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]
    /// The steps of one turn of the spinner.
    package var spinner: [Unicode.Scalar] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]

    /// For terminals that show Unicode.
    package static let unicode = Symbols()

    /// For the Linux console and for locales that are not UTF-8: ASCII.
    package static let plain = Symbols(
        foldOpen: "v",
        foldClosed: ">",
        boxTopLeft: "+",
        boxTopRight: "+",
        boxBottomLeft: "+",
        boxBottomRight: "+",
        horizontal: "-",
        vertical: "|",
        teeLeft: "+",
        teeRight: "+",
        teeDown: "+",
        teeUp: "+",
        cross: "+",
        gaugeEighths: [" ", " ", " ", "-", "-", "=", "=", "#"],
        gaugeTrack: ".",
        gaugeUnknown: ":",
        freshFull: "#",
        freshEmpty: "-",
        scrollbarThumb: "#",
        recording: "*",
        ellipsis: "~",
        middleDot: "-",
        maskedDot: "*",
        batch: "=",
        chain: ">",
        arrowHead: ">",
        check: "+",
        crossMark: "x",
        tilde: "~",
        plus: "+",
        minus: "-",
        moved: "%",
        ascending: "^",
        descending: "v",
        times: "x",
        upperHalf: nil,
        lowerHalf: nil,
        shades: [".", ":", "+", "#"],
        sparkline: ["_", ".", "-", "-", "=", "=", "*", "#"],
        spinner: ["|", "/", "-", "\\"]
    )
}

/// What a widget needs to draw itself: the theme, and what the terminal can show.
package struct Look: Hashable, Sendable {
    /// The theme to draw with.
    package var theme: Theme
    /// The symbols that this terminal shows.
    package var symbols: Symbols
    /// The number of colors that it shows.
    package var colorDepth: ColorDepth
    /// Whether it can show images.
    package var showsImages: Bool

    /// Makes a look.
    package init(
        theme: Theme,
        symbols: Symbols = .unicode,
        colorDepth: ColorDepth = .trueColor,
        showsImages: Bool = false
    ) {
        self.theme = theme
        self.symbols = symbols
        self.colorDepth = colorDepth
        self.showsImages = showsImages
    }
}
