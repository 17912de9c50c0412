@testable import Terminal

func fuzzTerminal(_ input: [UInt8]) {
    func events(_ pieces: [[UInt8]]) -> [InputEvent] {
        var decoder = InputDecoder()
        return pieces.flatMap { decoder.decode($0) } + decoder.finishWaiting()
    }
    let whole = events([input])
    expect(whole == events(input.map { [$0] }), "single bytes are what they are together")
    let cut = Int(input.first ?? 0)
    let split = [Array(input.prefix(cut)), Array(input.dropFirst(cut))]
    expect(whole == events(split), "what comes in two pieces is what it is in one")
    var field = TextField()
    for event in whole {
        switch event {
        case .key(let key):
            _ = field.handle(key)
            expect(!key.description.isEmpty, "a key has a name")
        case .paste(let text):
            expect(!text.utf8.contains(0x0D), "what is pasted has one kind of newline")
            field.paste(text)
        case .mouse(let mouse):
            expect(mouse.position.x >= 0 && mouse.position.y >= 0, "the mouse is at a cell")
        case .focus: break
        }
    }
}

/// Any text, on its way to a terminal.
func fuzzScreen(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    let clean = TerminalGate.shown(text)
    let again = TerminalGate.shown(String(decoding: clean, as: UTF8.self))
    expect(again == clean, "what has passed the gate passes it again")
    checkGate(input)
    let columns = TextWidth.columns(of: text)
    for width in [1, 7, 80] {
        for cut in [Cut.end, .middle, .start] {
            let shown = TextWidth.cut(text, to: width, cut)
            expect(TextWidth.columns(of: shown) <= width, "a text that is cut fits")
        }
        let padded = TextWidth.padded(text, to: width)
        expect(TextWidth.columns(of: padded) == width, "a text that is filled up fills its place")
    }
    var grid = Grid(size: Size(columns: 40, rows: 2))
    let used = grid.draw(text, x: 0, y: 0, width: 40, style: .default)
    expect(used <= 40, "a text stays in its place")
    expect(columns > 40 || used == columns, "a text is as wide as it was said to be")
    grid.draw(text, x: -3, y: 1, width: 20, style: .default, cut: .middle)
    expect(
        grid.text(row: 0, upTo: 40).unicodeScalars.allSatisfy(isHarmless),
        "no control character is in a cell"
    )
}

/// What goes to a terminal past the grid, in one piece or in many.
private func checkGate(_ input: [UInt8]) {
    for form in [TerminalGate.Form.text, .json] {
        var (whole, pieces): ([UInt8], [UInt8]) = ([], [])
        var gate = TerminalGate(form)
        input.withUnsafeBytes { gate.pass($0, into: &whole) }
        gate.finish(into: &whole)
        var slow = TerminalGate(form)
        for byte in input { [byte].withUnsafeBytes { slow.pass($0, into: &pieces) } }
        slow.finish(into: &pieces)
        expect(whole == pieces, "the gate lets through the same of pieces")
        let text = String(validating: whole, as: UTF8.self)
        expect(text != nil, "what passes the gate is UTF-8")
        let isSafe = text?.unicodeScalars.allSatisfy { isHarmless($0) || $0 == "\r" }
        expect(isSafe == true, "no control character passes the gate")
        expect(!gate.isUnchanged || whole == input, "what is unchanged is the same")
    }
}

/// Whether a terminal shows it, or ends a line with it.
private func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x0A, 0x09: true
    case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069: false
    default: true
    }
}

/// A theme's file; its words are read as colours and as keys too.
func fuzzThemes(_ input: [UInt8]) {
    let text = String(decoding: input, as: UTF8.self)
    if let file = try? ThemeFile(yaml: text, file: "theme.yaml", name: "theme") {
        let loaded = file.resolved()
        expect(loaded.warnings.allSatisfy { !$0.isEmpty }, "a warning has words")
    }
    for word in text.split(whereSeparator: \.isWhitespace).prefix(100) {
        _ = Color(text: String(word))
        guard let key = Key(String(word)) else { continue }
        expect(Key(key.description) == key, "a key's name is that key")
    }
}
