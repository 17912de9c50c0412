import Documents
import Terminal
import TreeView
import Workspaces

/// The first row: program, file, environment, source of responses, recording, and requests in flight.
struct HeaderBar: ScreenView {
    let context: ScreenContext

    private struct Fact {
        var label: String
        var text: String
        var style: StyleID
        /// The columns that are kept for it, so that its neighbors stay in place when it changes.
        var columns: Int
    }

    func draw(in row: Rect, into grid: inout Grid) {
        guard !row.isEmpty else { return }
        let right = facts(for: row.columns)
        let end = row.maxX - min(right.columns, max(0, row.columns - 12))
        var x = row.x
        x += grid.draw(" apus ", x: x, y: row.y, width: end - x, style: look[.titleProgram])
        x += row.columns >= 100 ? 2 : 1
        let room = max(0, end - 2 - x)
        grid.draw(
            model.workspace.sourceName,
            x: x,
            y: row.y,
            width: room,
            style: look[.title],
            cut: .middle
        )
        grid.draw(right, in: row.from(x: end))
    }

    private func facts(for columns: Int) -> StyledText {
        // The file's name keeps some columns.
        if columns >= 100, case let wide = wideFacts(), wide.columns <= columns - 16 { return wide }
        let full = narrowFacts(source: source.text)
        // If the full source does not fit, one word for it leaves room for the requests in flight.
        return full.columns <= columns - 20
            ? full : narrowFacts(source: model.sending.source.source?.title ?? "")
    }

    /// The facts with labels, each in a fixed place.
    private func wideFacts() -> StyledText {
        var line = StyledText()
        for fact in [
            signIn, environment, source, samples, sharedCache, watching, recording, sharing,
            inFlight,
        ] {
            guard fact.columns > 0 else { continue }
            let label = fact.text.isEmpty || fact.label.isEmpty ? "" : "\(fact.label) "
            line.append(label, look[.textMuted])
            line.append(fact.text, fact.style)
            let used = TextWidth.columns(of: label + fact.text)
            line.append(
                String(repeating: " ", count: max(0, fact.columns - used) + 2),
                look[.text]
            )
        }
        return line
    }

    private func narrowFacts(source text: String) -> StyledText {
        var line = StyledText()
        var source = source
        source.text = text
        for fact in [environment, source, samples, sharedCache, recording, sharing, inFlight]
        where !fact.text.isEmpty {
            if !line.isEmpty { line.append(look.separator, look[.textMuted]) }
            line.append(fact.text, fact.style)
        }
        line.append(" ", look[.text])
        return line
    }

    private var environment: Fact {
        let names = model.workspace.catalog?.environments ?? []
        let name =
            names.indices.contains(model.workspace.environment)
            ? names[model.workspace.environment] : ""
        let mark = model.workspace.mark(ofEnvironment: model.workspace.environment)
        let hasDanger = model.workspace.hasDanger
        let widest = names.map { TextWidth.columns(of: $0) }.max() ?? 0
        return Fact(
            label: "env",
            text: (mark.isDangerous ? "! " : "")
                + TextWidth.cut(name, to: 16, ellipsis: look.symbols.ellipsis),
            style: look.style(of: mark),
            columns: min(16, widest) + 4 + (hasDanger ? 2 : 0)
        )
    }

    /// Who is signed in for the selected target; at the left, so that the others stay in place.
    private var signIn: Fact {
        let text = TextWidth.cut(
            model.signInWords ?? "",
            to: 48,
            ellipsis: look.symbols.ellipsis
        )
        let isKnown = model.selectedSignIn.map { model.signIn.statuses[$0.key] != nil } ?? false
        return Fact(
            label: "",
            text: text,
            style: look[isKnown ? .text : .textMuted],
            columns: TextWidth.columns(of: text)
        )
    }

    private var source: Fact {
        let text = model.sending.source.title(for: model.selectedSource)
        // As wide as the widest source, so that moving through the list moves nothing else.
        return Fact(label: "responses from:", text: text, style: look[.textAccent], columns: 43)
    }

    private var samples: Fact {
        let isUsed = model.workspace.catalog?.source.usesSamples == true
        let text = isUsed ? "stubs" : ""
        return Fact(label: "", text: text, style: look[.warning], columns: text.count)
    }

    /// That the cache that a team shares does not work; nothing while it does.
    private var sharedCache: Fact {
        let isDown = model.workspace.sharedCacheProblem != nil
        let text = isDown ? "\(look.symbols.crossMark) shared cache" : ""
        return Fact(
            label: "",
            text: text,
            style: look[.warning],
            columns: TextWidth.columns(of: text)
        )
    }

    private var recording: Fact {
        if model.session.recordingProblem != nil {
            let text = "\(look.symbols.crossMark) not recorded"
            return Fact(label: "", text: text, style: look[.error], columns: 14)
        }
        guard let sessionStatus = model.session.status else {
            return Fact(label: "", text: "", style: look[.error], columns: 0)
        }
        let name = TextWidth.cut(sessionStatus.name, to: 20, ellipsis: look.symbols.ellipsis)
        let label = model.size.columns >= 100 ? "\(name) " : ""
        let text = "\(look.symbols.recording) \(label)\(Readable.count(sessionStatus.count))"
        return Fact(
            label: "",
            text: text,
            style: look[.error],
            columns: max(9, TextWidth.columns(of: text))
        )
    }

    /// Whether the session that is recorded is shared, too.
    private var sharing: Fact {
        let (text, style): (String, StyleID) =
            switch model.session.status?.sharing {
            case nil: ("", look[.text])
            case .begun: ("sharing\(look.symbols.ellipsis)", look[.textMuted])
            case .shared: ("shared", look[.textAccent])
            case .failed: ("\(look.symbols.crossMark) not shared", look[.warning])
            }
        return Fact(label: "", text: text, style: style, columns: text.isEmpty ? 0 : 12)
    }

    /// The session of a colleague that is watched.
    private var watching: Fact {
        guard let watched = model.sharing.watched else {
            return Fact(label: "", text: "", style: look[.text], columns: 0)
        }
        let name = TextWidth.cut(watched.name, to: 20, ellipsis: look.symbols.ellipsis)
        let isGone = watched.problem != nil
        let text = isGone ? "\(look.symbols.crossMark) \(name)" : name
        return Fact(
            label: "watching",
            text: text,
            style: look[isGone ? .warning : .textAccent],
            columns: TextWidth.columns(of: name) + 11
        )
    }

    private var inFlight: Fact {
        let count = model.runs.requestsInFlight
        let text = count > 0 ? "\(Readable.count(count)) in flight" : ""
        return Fact(label: "", text: text, style: look[.chainRunning], columns: 12)
    }
}
