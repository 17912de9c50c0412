import Apus
import Documents
import FoundationEssentials
import Terminal

/// How far a page over the panes is scrolled.
struct PageScroll: Equatable {
    var offset = 0

    /// Where it is after a key; nil when the page is closed.
    func after(_ action: Action, page: Int, count: Int) -> PageScroll? {
        let last = max(0, count - page)
        let moved: Int
        switch action {
        case .down: moved = offset + 1
        case .up: moved = offset - 1
        case .pageDown: moved = offset + page
        case .pageUp: moved = offset - page
        case .first: moved = 0
        case .last: moved = last
        case .quit, .help, .back, .explain, .details: return nil
        default: moved = offset
        }
        return PageScroll(offset: min(max(0, moved), last))
    }
}

/// Why the cache answered or did not, and what became of the server's answer, in words.
struct Explanation {
    /// What a line is about.
    enum Subject {
        case cache, server, decision, detail
    }

    /// A text of one line, or more where there is no room for it.
    struct Line {
        var subject: Subject
        var text: String
    }

    let view: TargetState
    let now: Date

    /// The texts in the order in which things happened.
    var lines: [Line] {
        let lines = [lookupLines] + view.decisions.map(lines) + [storageLines]
        let told = lines.filter { !$0.isEmpty }
        guard !told.isEmpty else {
            return [
                Line(subject: .decision, text: "Nothing sent yet, so there is nothing to explain."),
                Line(subject: .detail, text: "Enter sends; s chooses where answers come from."),
            ]
        }
        return Array(told.joined(separator: [Line(subject: .detail, text: "")]))
    }

    private var lookupLines: [Line] {
        switch view.lookup {
        case nil: []
        case .hit(let response): [Line(subject: .cache, text: sentence(for: response))]
        case .miss(_, let reason):
            [Line(subject: .cache, text: reason.text.asSentence)]
        }
    }

    private func sentence(for response: Response) -> String {
        guard let hit = response.source.cacheHit else { return "The cache has an answer." }
        let place = if case .memory = response.source { "in memory" } else { "on disk" }
        let age = Readable.age(.seconds(max(0, now.timeIntervalSince(hit.stored))))
        let uses = hit.hits == 1 ? "used once" : "used \(hit.hits) times"
        return "The cache has an answer \(place): \(age), \(uses)."
    }

    private func lines(of decision: CacheDecision) -> [Line] {
        let rule = decision.rule
        let outcome = "\(decision.outcome.text): \(rule.summary) (\(rule.section))"
        return [Line(subject: .decision, text: outcome)]
            + decision.findings.map { Line(subject: .detail, text: $0.description) }
    }

    private var storageLines: [Line] {
        guard let storage = view.storage else { return [] }
        return [Line(subject: .server, text: "The server's answer: \(storage.text(now: now)).")]
    }
}

extension Model {
    /// Why the cache did what it did for the selected target, in lines of at most so many columns.
    func explanationLines(columns: Int) -> [Explanation.Line] {
        let view = selectedView ?? TargetState(environment: environment)
        return Explanation(view: view, now: now.wall).lines.flatMap { line in
            // As many rows as anybody reads of a sentence.
            Paragraph.wrap(line.text, columns: columns, rows: 100).map {
                Explanation.Line(subject: line.subject, text: $0)
            }
        }
    }
}
