import Terminal
import TreeView
import Workspaces

/// What a person has to do to sign in, over the panes.
struct SignInScreen: ScreenView {
    let context: ScreenContext

    /// The keys of the page.
    static func hints(_ step: SignInStep?) -> [FooterHints.Hint] {
        var hints = [
            FooterHints.Hint("y", "copy the address"), .init("o", "open it here"),
            .init("esc", "cancel"),
        ]
        if case .code = step { hints.insert(.init("c", "copy the code"), at: 0) }
        return hints
    }

    func draw(into grid: inout Grid) {
        let layout = PageLayout(size: model.size)
        grid.fill(layout.frame, style: look[.text])
        guard let wait = model.signIn.waits.first else { return }
        let more = model.signIn.waits.count - 1
        PaneFrame(
            title: [
                StyledText("Sign in", look[.paneTitleFocused]),
                StyledText(wait.plan.server, look[.title]),
            ],
            trailing: StyledText(more > 0 ? "\(more) more after it" : "", look[.textMuted]),
            isFocused: true,
            isFramed: layout.isFramed
        ).draw(in: layout.frame, into: &grid, look: look)
        Paragraph(parts: parts(of: wait, columns: layout.inside.columns))
            .draw(in: layout.inside, into: &grid)
    }

    private func parts(of wait: SignInState.Wait, columns: Int) -> [Paragraph.Part] {
        let until = DayNames(now: model.clock.now.wall, zone: model.clock.zone)
            .time(of: wait.step.until)
        var parts: [Paragraph.Part] = []
        func add(_ text: String, _ scope: Scope) {
            parts.append(Paragraph.Part(text: text, style: look[scope]))
        }
        switch wait.step {
        case .page(let url, _):
            add("Sign in on this page. It is open in your browser, if there is one here:", .text)
            add("", .text)
            for line in Self.lines(of: url, columns: columns) { add(line, .textAccent) }
        case .code(let code, let page, let completePage, _):
            add("Open this page on any device, and type the code:", .text)
            add("", .text)
            for line in Self.lines(of: page, columns: columns) { add(line, .textAccent) }
            add("", .text)
            add(code, .title)
            if let completePage {
                add("", .text)
                add("With the code filled in:", .textMuted)
                for line in Self.lines(of: completePage, columns: columns) { add(line, .textMuted) }
            }
        }
        add("", .text)
        add("Waiting until \(until), for the environment \(wait.plan.environment).", .textMuted)
        return parts
    }

    /// A URL in lines that are full, so that it can be selected and copied.
    private static func lines(of url: String, columns: Int) -> [String] {
        let width = max(8, columns)
        var rest = url[...]
        var lines: [String] = []
        while !rest.isEmpty {
            lines.append(String(rest.prefix(width)))
            rest = rest.dropFirst(width)
        }
        return lines
    }
}
