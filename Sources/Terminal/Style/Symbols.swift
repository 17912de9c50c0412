/// The signs on the screen, chosen once: Unicode, or twins that every terminal has.
///
/// Each is one column wide.
package struct Symbols: Hashable, Sendable {
    /// Before what is unfolded.
    package var foldOpen: Unicode.Scalar = "▾"
    /// Before what is folded.
    package var foldClosed: Unicode.Scalar = "▸"

    /// A corner.
    package var boxTopLeft: Unicode.Scalar = "╭"
    /// A corner.
    package var boxTopRight: Unicode.Scalar = "╮"
    /// A corner.
    package var boxBottomLeft: Unicode.Scalar = "╰"
    /// A corner.
    package var boxBottomRight: Unicode.Scalar = "╯"
    /// A line.
    package var horizontal: Unicode.Scalar = "─"
    /// A line.
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
    /// What is not filled yet.
    package var gaugeTrack: Unicode.Scalar = " "
    /// The moving block where the total is unknown.
    package var gaugeUnknown: Unicode.Scalar = "▒"
    /// A pip that is left.
    package var freshFull: Unicode.Scalar = "▰"
    /// A pip that is used up.
    package var freshEmpty: Unicode.Scalar = "▱"
    /// Where the seen part lies.
    package var scrollbarThumb: Unicode.Scalar = "┃"

    /// A recording runs.
    package var recording: Unicode.Scalar = "●"
    /// Something was cut here.
    package var ellipsis: Unicode.Scalar = "…"
    /// Between two facts.
    package var middleDot: Unicode.Scalar = "·"
    /// A character that is kept secret.
    package var maskedDot: Unicode.Scalar = "•"
    /// A batch.
    package var batch: Unicode.Scalar = "»"
    /// A chain.
    package var chain: Unicode.Scalar = "→"
    /// The end of a drawn arrow.
    package var arrowHead: Unicode.Scalar = "▶"
    /// Done, and well.
    package var check: Unicode.Scalar = "✓"
    /// Done, and badly.
    package var crossMark: Unicode.Scalar = "✗"
    /// Changed.
    package var tilde: Unicode.Scalar = "~"
    /// Added.
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
    /// The upper half of a cell; nil where there is no such sign.
    package var upperHalf: Unicode.Scalar? = "▀"
    /// The lower half of a cell; nil where there is no such sign.
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

/// What a widget needs to draw itself: the theme and the signs.
package struct Look: Hashable, Sendable {
    /// How things look.
    package var theme: Theme
    /// The signs that this terminal has.
    package var symbols: Symbols
    /// The colours that it shows.
    package var colorDepth: ColorDepth
    /// Whether it shows images by itself.
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
