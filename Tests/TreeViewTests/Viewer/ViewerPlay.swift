import Documents
import Explorer
import FoundationEssentials
import Terminal

@testable import TreeView

/// Plays keys to a viewer, and does its effects on the spot, without tasks.
struct ViewerPlay {
    var model: ViewerModel
    /// What the last event wanted of the terminal.
    private(set) var effects: [ViewerEffect] = []

    /// Opens a text; the whole of it is taken in.
    init(
        _ text: String,
        type: String? = "application/json",
        size: Size = Size(columns: 80, rows: 24),
        start: ViewerStart = ViewerStart()
    ) async {
        await self.init(bytes: Array(text.utf8), type: type, size: size, start: start)
    }

    /// Opens bytes.
    init(
        bytes: [UInt8],
        type: String?,
        size: Size,
        start: ViewerStart = ViewerStart()
    ) async {
        model = ViewerModel(name: "test.json", start: start, services: .engine)
        model.started = Date(timeIntervalSince1970: 1_795_464_000)
        model.timeZone = TimeZone(secondsFromGMT: 3600) ?? .gmt
        model.early = BodyDocument(DocumentBytes(bytes), contentType: type)
        await send(.resize(size))
    }

    /// One event, and all that comes of it.
    mutating func send(_ event: TerminalEvent<ViewerMessage>) async {
        effects = update(&model, event, at: .seconds(1))
        var waiting = effects
        while !waiting.isEmpty {
            guard case .tree(let effect) = waiting.removeFirst() else { continue }
            for message in await Self.outcome(of: effect) {
                waiting += update(&model, .message(.tree(message)), at: .seconds(1))
            }
        }
    }

    /// Keys by name, separated by spaces.
    mutating func press(_ keys: String) async {
        for name in keys.split(separator: " ") {
            if let key = Key(String(name)) { await send(.key(key)) }
        }
    }

    /// Letters, as they are.
    mutating func type(_ text: String) async {
        for letter in text { await send(.key(.character(letter))) }
    }

    /// What went to the clipboard last.
    var copied: String? {
        for case .session(.copy(let text)) in effects { return text }
        return nil
    }

    /// The path of what is under the cursor.
    var path: String? { model.pane.currentPath }

    /// The rows of the screen.
    var screen: [String] { grid.textRows }

    /// The screen.
    var grid: Grid {
        var grid = Grid(size: model.size)
        _ = ViewerScreen.render(model, into: &grid, look: Look(theme: .standard))
        return grid
    }

    /// Whether a text stands on the screen.
    func shows(_ text: String) -> Bool { screen.contains { $0.contains(text) } }

    private static func outcome(of effect: DocumentPaneEffect) async -> [DocumentPaneMessage] {
        switch effect {
        case .copy, .say, .refuse, .remember, .keepWrap, .stop, .stopSorting: return []
        case .sort(let ticket, let sort): return sort.order().map { [.sorted(ticket, $0)] } ?? []
        case .findRows(let body):
            await body.finish()
            return [.advanced]
        case .picture(let bytes, let reader):
            return [.pictured(bytes, Picture(bytes, by: reader))]
        case .place(let fault, let document):
            return [.placed(fault, document.position(of: fault.offset))]
        case .decode(let ticket, let document, let node, let services):
            let text = document.plainText(of: node)
            let decoded = DecodedValue(text, kind: document.kind(of: node), services)
            return [.decoded(ticket, text, decoded)]
        case .locate(let ticket, let document, let position):
            return [.located(ticket, offset: document.offset(of: position))]
        case .search(let search):
            await search.run()
            return [.searched]
        case .query(let ticket, let document, let path):
            let nodes = await document.matches(of: path).nodes
            return [.matched(ticket, nodes, sorted: nodes.sorted())]
        }
    }
}
