import CNcurses

/// The terminal of this process, through ncurses.
///
/// Use it on the main thread only, and one at a time.
struct NcursesBackend: TerminalBackend {
    private let output: Int32
    /// The colors that this terminal really shows, which only ncurses knows.
    let depth: ColorDepth
    /// The terminal's own background, if it is known.
    var background: PixelColor?
    /// Nil if the terminal shows no images.
    private var graphics: KittyGraphics?

    /// Claims the terminal.
    init(
        input: Int32,
        output: Int32,
        profile: TerminalProfile,
        usesMouse: Bool
    ) throws(TerminalError) {
        self.output = output
        var status = CN_UNKNOWN_TERMINAL
        // A container often lacks the entry of the terminal outside; nearly all terminals are like these.
        for name in [profile.name, "xterm-256color", "ansi"] where status == CN_UNKNOWN_TERMINAL {
            let claimed = cn_claim(
                input,
                output,
                name,
                profile.colorDepth == .trueColor,
                profile.colorDepth != .mono,
                usesMouse
            )
            status = Int(claimed)
        }
        switch status {
        case CN_OK: break
        case CN_UNKNOWN_TERMINAL: throw .unknownTerminal(profile.name)
        case CN_NO_CURSOR_ADDRESSING: throw .terminalCannotMoveCursor(profile.name)
        default: throw .setUpFailed("no memory or no free file descriptor")
        }
        background = profile.background
        graphics = profile.showsImages ? KittyGraphics() : nil
        depth = min(profile.colorDepth, Self.depth(colors: Int(cn_colors())))
    }

    private static func depth(colors: Int) -> ColorDepth {
        colors > 256 ? .trueColor : colors >= 256 ? .indexed256 : colors >= 8 ? .sixteen : .mono
    }

    var size: Size {
        var columns: Int32 = 0
        var rows: Int32 = 0
        cn_size(output, &columns, &rows)
        return Size(columns: Int(columns), rows: Int(rows))
    }

    mutating func resize(to size: Size) {
        graphics?.forget()
        cn_resize(Int32(size.columns), Int32(size.rows))
    }

    mutating func use(_ theme: Theme) {
        let colors = Int(cn_colors())
        let table = theme.resolved(for: depth, on: background).map {
            Self.numbered($0, colors: colors)
        }
        table.withUnsafeBufferPointer { table in
            guard let base = table.baseAddress else { return }
            _ = cn_set_styles(base, table.count)
        }
    }

    /// With 8 colors, bright ones become bold, as old terminals show them.
    private static func numbered(_ style: ResolvedStyle, colors: Int) -> cn_style {
        var attributes = UInt32(style.attributes.rawValue)
        func number(_ number: Int, isForeground: Bool) -> Int32 {
            guard colors <= 8, number >= 8 else { return Int32(number) }
            if isForeground { attributes |= UInt32(CN_BOLD) }
            return Int32(number - 8)
        }
        let foreground = number(style.foreground, isForeground: true)
        let background = number(style.background, isForeground: false)
        return cn_style(foreground: foreground, background: background, attributes: attributes)
    }

    mutating func put(row: Int, of grid: Grid) {
        let columns = grid.size.columns
        grid.cells.withUnsafeBytes { cells in
            grid.marks.withUnsafeBytes { marks in
                grid.pairs.withUnsafeBytes { pairs in
                    guard let cells = cells.baseAddress, let marks = marks.baseAddress,
                        let pairs = pairs.baseAddress
                    else { return }
                    cn_put_row(
                        Int32(row),
                        cells.assumingMemoryBound(to: cn_cell.self) + row * columns,
                        Int32(columns),
                        marks.assumingMemoryBound(to: cn_marks.self),
                        pairs.assumingMemoryBound(to: cn_pair.self)
                    )
                }
            }
        }
    }

    mutating func place(cursor: Point?) {
        cn_cursor(Int32(cursor?.x ?? 0), Int32(cursor?.y ?? 0), cursor != nil)
    }

    mutating func show(_ images: [PlacedImage]) {
        var (width, height): (Int32, Int32) = (0, 0)
        cn_cell_size(output, &width, &height)
        let cell = width > 0 && height > 0 ? (width: Int(width), height: Int(height)) : nil
        if let text = graphics?.sequences(showing: images, cell: cell) { send(text) }
    }

    mutating func flush() -> Bool {
        cn_flush() >= 0
    }

    mutating func invalidate() {
        graphics?.forget()
        cn_repaint()
    }

    /// Turns mouse input on or off; while it is off, the terminal selects text with the mouse.
    func reportMouse(_ isReported: Bool) { cn_mouse(isReported) }

    /// Copies text to the clipboard by OSC 52.
    ///
    /// It is sent as Base64, so that nothing in the text can end the sequence.
    func copy(_ text: String) {
        send("\u{1B}]52;c;\(Base64.encode(text.utf8))\u{7}")
    }

    /// Sends a question to the terminal; the response comes as input.
    func ask(_ question: String) { send(question) }

    private func send(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { chars in
                guard let base = chars.baseAddress else { return }
                cn_send(base, chars.count)
            }
        }
    }
}

/// Base64 without Foundation, which would take time to load at the start.
enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )

    static func encode(_ bytes: some Collection<UInt8>) -> String {
        var result: [UInt8] = []
        result.reserveCapacity((bytes.count + 2) / 3 * 4)
        var rest = bytes[...]
        while !rest.isEmpty {
            let group = Array(rest.prefix(3))
            rest = rest.dropFirst(3)
            let word = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                let isPadding = place > group.count
                let digit = alphabet[word >> (18 - 6 * place) & 63]
                result.append(isPadding ? UInt8(ascii: "=") : digit)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
