import Documents
import Terminal

/// The border of a pane, or its title row if there is no room for borders.
struct PaneFrame {
    var title: [StyledText]
    var trailing: StyledText
    var foot = StyledText()
    var footTrailing = StyledText()
    var isFocused: Bool
    var isFramed: Bool

    /// Draws it; returns the area inside, the same as `Layout.inside(_:)`.
    @discardableResult
    func draw(in rect: Rect, into grid: inout Grid, look: Look) -> Rect {
        guard !rect.isEmpty else { return rect }
        let room = rect.columns - trailing.columns - (isFramed ? 8 : 1)
        let title = fittingTitle(in: room, look: look)
        guard isFramed else {
            drawTitleRow(title, in: rect.row(0), into: &grid)
            return rect.inset(left: 0, top: 1, right: 0, bottom: 0)
        }
        return Frame(
            title: title,
            trailing: trailing,
            foot: foot,
            footTrailing: footTrailing,
            isFocused: isFocused
        ).draw(in: rect, into: &grid, look: look)
    }

    private func drawTitleRow(_ title: StyledText, in row: Rect, into grid: inout Grid) {
        let room = row.columns - title.columns - 1
        grid.draw(title, in: row)
        guard room >= min(trailing.columns, 8) else { return }
        let columns = min(room, trailing.columns)
        grid.draw(trailing, x: row.maxX - columns, y: row.y, width: columns, cut: .end)
    }

    /// The pieces of the title that fit, separated by dots.
    private func fittingTitle(in columns: Int, look: Look) -> StyledText {
        var line = StyledText()
        for (index, piece) in title.enumerated() {
            let width = piece.columns + (index > 0 ? 3 : 0)
            guard index == 0 || line.columns + width <= columns else { break }
            if index > 0 { line.append(look.separator, look[.textMuted]) }
            line.append(piece)
        }
        return line
    }
}

extension Look {
    /// The style of a scope.
    subscript(scope: Scope) -> StyleID { theme[scope] }

    /// The style of an HTTP status, by its first digit.
    func style(ofStatus status: Int) -> StyleID {
        switch status {
        case 200..<300: self[.statusSuccess]
        case 300..<400: self[.statusRedirect]
        case 400..<500: self[.statusClientError]
        default: self[.statusServerError]
        }
    }

    /// The style of an environment's name.
    func style(of mark: EnvironmentMark) -> StyleID {
        switch mark.color {
        case nil: self[mark.isDangerous ? .error : .textAccent]
        case .red: self[.error]
        case .orange: self[.methodPatch]
        case .yellow: self[.warning]
        case .green: self[.statusSuccess]
        case .cyan: self[.methodHead]
        case .blue: self[.sourceServer]
        case .violet: self[.sourceCache]
        case .pink: self[.treeBoolean]
        case .grey: self[.textMuted]
        }
    }

    /// A text with the sign for masked characters that the terminal can show.
    func shown(masked text: String) -> String {
        let dot = symbols.maskedDot
        return dot == Symbols.unicode.maskedDot
            ? text : text.replacing(String(Symbols.unicode.maskedDot), with: String(dot))
    }

    /// The sign of a spinner at a time.
    func spinner(at now: Duration) -> String {
        let step = Int(now / .milliseconds(100))
        return String(symbols.spinner[step % symbols.spinner.count])
    }

    /// The separator between two facts of a line.
    var separator: String { " \(symbols.middleDot) " }

    /// The shaft and head of an arrow, at least two columns.
    func arrow(columns: Int) -> String {
        String(repeating: String(symbols.horizontal), count: max(1, columns - 1))
            + String(symbols.arrowHead)
    }
}

extension Duration {
    /// The phase of a gauge without a total, which moves every tenth of a second.
    var motionPhase: Int { Int(self / .milliseconds(100)) }
}

/// A method as lists show it: colored, and shortened where there is no room.
struct MethodTag {
    /// The width of the longest short method.
    static let columns = 4
    /// The width of the longest of the usual methods.
    static let fullColumns = 7

    /// The short method: `DEL`.
    let text: String
    /// The method as it is: `DELETE`; of an unusual one, the beginning.
    let full: String
    let scope: Scope

    /// How many columns the whole method takes to the left of where the short one begins.
    var overhang: Int { max(0, full.count - Self.columns) }

    /// The whole method if it fits, else the short one.
    func fitting(_ columns: Int) -> String { full.count <= columns ? full : text }

    init(_ method: String) {
        let method = method.asciiUppercased
        full = String(method.prefix(Self.fullColumns))
        (text, scope) =
            switch method {
            case "GET": ("GET", .methodGet)
            case "POST": ("POST", .methodPost)
            case "PUT": ("PUT", .methodPut)
            case "PATCH": ("PTCH", .methodPatch)
            case "DELETE": ("DEL", .methodDelete)
            case "HEAD": ("HEAD", .methodHead)
            case "OPTIONS": ("OPTS", .methodOther)
            default: (String(method.prefix(Self.columns)), .methodOther)
            }
    }
}

/// The filter of a list, in the lower border of its pane; without a border, in place of the title.
struct FilterLine {
    let filter: ListFilter?
    let isFramed: Bool
    let look: Look

    /// Draws it; returns the position of the text cursor; nil if nothing is typed here.
    func draw(in pane: Rect, into grid: inout Grid) -> Point? {
        guard let filter else { return nil }
        let line = pane.row(isFramed ? pane.rows - 1 : 0)
        let room = isFramed ? line.inset(left: 2, right: 2) : line
        guard room.columns > 4 else { return nil }
        let label = grid.draw(
            isFramed ? " / " : "/ ",
            x: room.x,
            y: room.y,
            style: look[filter.isTyping ? .key : .keyHint]
        )
        let field = room.inset(left: label, right: isFramed ? 1 : 0)
        return filter.field.draw(in: field, into: &grid, look: look, isFocused: filter.isTyping)
    }
}
