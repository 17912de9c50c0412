import Apus
import Documents
import FoundationEssentials
import Terminal

/// The help's place.
struct HelpView: Equatable {
    var offset = 0

    /// Where it is after a key; nil when it is closed.
    func after(_ action: Action, size: Size, places: [KeyBinding.Place]) -> HelpView? {
        let page = HelpScreen.pageRows(size: size)
        var moved = self
        switch action {
        case .down: moved.offset += 1
        case .up: moved.offset -= 1
        case .pageDown: moved.offset += page
        case .pageUp: moved.offset -= page
        case .first: moved.offset = 0
        case .last: moved.offset = .max
        case .quit, .help, .back: return nil
        default: break
        }
        let last = HelpScreen.maximumOffset(size: size, places: places)
        moved.offset = min(max(0, moved.offset), last)
        return moved
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
                Line(subject: .decision, text: "Nothing was sent yet, so nothing was decided."),
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

/// The place in the explanation of what the cache did.
struct ExplanationView: Equatable {
    var offset = 0

    /// Where it is after a key; nil when it is closed.
    func after(_ action: Action, page: Int, last: Int) -> ExplanationView? {
        var moved = self
        switch action {
        case .down: moved.offset += 1
        case .up: moved.offset -= 1
        case .pageDown: moved.offset += page
        case .pageUp: moved.offset -= page
        case .first: moved.offset = 0
        case .last: moved.offset = last
        case .quit, .back, .explain, .help: return nil
        default: break
        }
        moved.offset = min(max(0, moved.offset), last)
        return moved
    }
}
