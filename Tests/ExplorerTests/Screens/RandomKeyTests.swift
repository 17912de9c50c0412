import Apus
import Documents
import FoundationEssentials
import Glibc
import Terminal
import TestSupport
import Testing
import TreeView

@testable import Explorer

/// Keys, texts, clicks and sizes by chance: `APUS_RANDOM_KEYS=100000` plays as many.
@Suite("Keys by chance")
struct RandomKeyTests {
    /// For all starts together.
    private static let count =
        getenv("APUS_RANDOM_KEYS").flatMap { Int(String(cString: $0)) } ?? 5000

    enum Start: String, CaseIterable {
        case editable, session, responses, batch, chain, graph
    }

    @Test(
        "whatever is typed, the screen draws and the choices are there",
        arguments: Start.allCases
    )
    func consistent(_ start: Start) throws {
        var hand = RandomHand(seed: UInt64(start.rawValue.count) &* 7919)
        var played: [String] = []
        var play = Self.begin(start)
        for _ in 0..<(Self.count / Start.allCases.count) {
            let event = hand.event(on: play.model.size)
            played = played.suffix(40) + ["\(event)"]
            play.send(event)
            if Self.hasLeft(play.effects) {
                play = Self.begin(start)
                played = []
                continue
            }
            Self.answer(&play, &hand)
            let fault = Self.fault(of: play.model)
            try #require(fault == nil, "\(fault ?? "") after \(played.joined(separator: ", "))")
        }
    }

    private static func begin(_ start: Start) -> Play {
        var play = Play.editing()
        switch start {
        case .editable: break
        case .session: play.model = Scene.session.model(120, 40)
        case .responses: play.model = Scene.responses.model(120, 40)
        case .batch: play.model = Scene.batch.model(120, 40)
        case .chain: play.model = Scene.chain.model(120, 40)
        case .graph: play.model = Scene.graph.model(120, 40)
        }
        return play
    }

    private static func hasLeft(_ effects: [Effect]) -> Bool {
        effects.contains {
            switch $0 {
            case .session(.quit), .fail: true
            default: false
            }
        }
    }

    /// Does what was asked for, as far as nothing outside is needed: not always at once.
    private static func answer(_ play: inout Play, _ hand: inout RandomHand) {
        guard hand.chance(3) else { return }
        play.answerRequests()
        for effect in play.effects {
            switch effect {
            case .send(let id, _, _, _, _):
                let response = Response.sample(#"{"a": [1, {"b": "c"}], "d": null}"#)
                play.receive(.exchange(id, .response(response)))
                let summary = ExchangeSummary(
                    result: .success(response),
                    responseCount: 1,
                    attempts: 1,
                    duration: .milliseconds(2)
                )
                play.receive(.exchange(id, .finished(summary)))
                for effect in play.effects {
                    guard case .openBody(let address, let body, let type) = effect,
                        case .bytes(let bytes) = body
                    else { continue }
                    let document = BodyDocument(DocumentBytes(bytes), contentType: type)
                    play.receive(.bodyOpened(address, document))
                }
                return
            case .indexTargets(let catalog):
                play.receive(.targetsIndexed(TargetIndex(catalog)))
                return
            case .session(.run):
                play.send(.programEnded(status: 0))
                return
            default: continue
            }
        }
    }

    /// What is wrong with a model and its screen; nil if nothing is.
    private static func fault(of model: Model) -> String? {
        var grid = Grid(size: model.size)
        let cursor = Screen.render(model, into: &grid, look: Look(theme: model.appearance.theme))
        if grid.size != model.size { return "the frame has another size" }
        if let cursor, !grid.bounds.contains(cursor) { return "the cursor is outside" }
        let list = model.targets
        if !list.rows.isEmpty, !list.rows.indices.contains(list.scroll.selection) {
            return "row \(list.scroll.selection) of \(list.rows.count) is selected"
        }
        if let picker = model.layers.picker, !picker.shown.isEmpty,
            !picker.shown.indices.contains(picker.scroll.selection)
        {
            return "row \(picker.scroll.selection) of \(picker.shown.count) is picked"
        }
        guard let environments = model.workspace.catalog?.environments.count else { return nil }
        return model.workspace.environment < environments ? nil : "there is no such environment"
    }
}

/// What somebody does who does not know what they do.
private struct RandomHand {
    private var generator: SeededGenerator
    /// All keys that do something, so that most of them meet something.
    private static let keys: [Key] =
        KeyTable.explorer.bindings.flatMap(\.keys).compactMap { Key($0) }
        .filter { ![Key("q"), Key("ctrl+c")].contains($0) }
    private static let texts = [
        "a", "Z", "0", "{", "\"", "ä", "漢", "👩‍👧", " ", "$..a", "status:200", "http://h/x", "5s",
        "{{ t",
    ]

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    /// True in all but one of so many cases.
    mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) != 0 }

    mutating func event(on size: Size) -> TerminalEvent<Message> {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<70: return .key(Self.keys.randomElement(using: &generator) ?? Key(.enter))
        case 70..<80:
            let text = Self.texts.randomElement(using: &generator) ?? ""
            return .key(.character(text.first ?? "a"))
        case 80..<83: return .paste(Self.texts.shuffled(using: &generator).joined(separator: "\n"))
        case 83..<86: return .key(Key(.escape))
        case 86..<88: return .tick
        case 88..<95:
            let kinds: [MouseEvent.Kind] = [
                .press, .release, .drag, .scrollUp, .scrollDown,
            ]
            return .mouse(
                MouseEvent(
                    kind: kinds.randomElement(using: &generator) ?? .scrollUp,
                    position: Point(
                        x: Int.random(in: 0...size.columns, using: &generator),
                        y: Int.random(in: 0...size.rows, using: &generator)
                    )
                )
            )
        case 95..<96: return .key(.character("q"))
        default:
            return .resize(
                Size(
                    columns: Int.random(in: 1...160, using: &generator),
                    rows: Int.random(in: 1...60, using: &generator)
                )
            )
        }
    }
}
