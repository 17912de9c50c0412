import Documents
import Synchronization

/// What a run is not to show: the credentials that it captured, and the secrets of its requests, which
/// an answer may send back.
///
/// One set for all that is sent, shown and kept of the run. The credentials are secrets of each request
/// that follows, as far as they are few: so they are masked and left out of redirects wherever the
/// server, or a later step, puts them.
package final class ChainSecrets: Sendable {
    /// Texts of which each is looked for: what they are looked for with takes a hundred times as much
    /// memory.
    private struct Sought {
        private let maximumCount: Int
        private(set) var texts: Set<String> = []
        private var size = 0

        init(maximumCount: Int) { self.maximumCount = maximumCount }

        mutating func add(_ text: String) {
            // 256 bytes each.
            guard texts.count < maximumCount, size + text.utf8.count <= maximumCount << 8 else {
                return
            }
            if texts.insert(text).inserted { size += text.utf8.count }
        }
    }

    private struct State {
        /// All that were captured: known where they are a whole value.
        var captured: Set<String> = []
        /// The first of them, which go with each request.
        var sent = Sought(maximumCount: 1000)
        var ofRequests = Sought(maximumCount: 2000)
    }

    private let state = Mutex(State())

    package init() {}

    /// A text, and the parts of it that may be the credential: of `Bearer …`, of `sid=…; Path=/`.
    package static func parts(of text: String) -> [String] {
        let words = text.unicodeScalars.split(separator: " ", maxSplits: 1)
        let pair = text.unicodeScalars.prefix { $0 != ";" }
        return [text, String(pair.drop { $0 != "=" }.dropFirst())]
            + (words.count == 2 ? [String(words[1])] : [])
    }

    /// Whether a text is a credential that was captured.
    package func isCaptured(_ text: String) -> Bool {
        state.withLock { $0.captured.contains(text) }
    }

    /// The credentials that are secrets of a request that is sent now.
    var requestSecrets: Set<Secret> {
        Set(state.withLock { $0.sent.texts }.map { Secret($0) })
    }

    /// What masks the run's texts, `others` and the run's secrets.
    func mask(with others: Set<String> = []) -> CredentialMask {
        let (sent, ofRequests) = state.withLock { ($0.sent.texts, $0.ofRequests.texts) }
        return CredentialMask(secrets: Array(others.union(sent).union(ofRequests)))
    }

    /// Adds credentials that were captured.
    func add(captured texts: [String]) {
        guard !texts.isEmpty else { return }
        state.withLock { state in
            for text in texts where state.captured.insert(text).inserted { state.sent.add(text) }
        }
    }

    /// Adds the secrets of a request that was answered.
    func add(of request: PreparedRequest) {
        // Most requests have none.
        guard request.options.shared != nil else { return }
        let texts = request.mask.secrets
        state.withLock { state in
            for text in texts where !state.captured.contains(text) { state.ofRequests.add(text) }
        }
    }
}

/// The credentials in a document: texts and numbers that stand under a credential's name, whether a
/// capture, its path or the document calls them so; and those of URLs, whatever they are called.
struct CapturedCredentials {
    /// How many there may be.
    static let limit = 100_000

    static let shortest = 4
    /// So short ones are words that may well stand anywhere, under names that are not always those of
    /// credentials.
    static let shortestOfWeak = 8

    private let document: Document
    /// How many there are besides.
    private let known: Int
    private let budget: ReadingBudget?
    private var shortestAt: [NodeIndex: Int] = [:]
    private(set) var found: [String] = []

    /// When the budget is over, what comes then is not looked at.
    init(_ document: Document, known: Int = 0, within budget: ReadingBudget? = nil) {
        (self.document, self.known, self.budget) = (document, known, budget)
    }

    /// How many bytes what has a name must have to be a credential; `Int.max` if the name is none of one.
    static func shortest(named name: some StringProtocol) -> Int {
        guard CredentialMask.isSecret(parameter: name) else { return .max }
        return SecretFields.isOrdinary(parameter: name) ? shortestOfWeak : shortest
    }

    /// The credentials of a value that is called by names for which `shortest` is known.
    static func credentials(in value: JSON, shortest: Int) -> [String] {
        if let text = value.string ?? value.numberText { return parts(of: text, shortest) }
        guard let source = value.source else {
            // It was read once, or is a program's own.
            guard value.count > 0, let bytes = try? value.bytes(),
                let copy = try? JSON(parsing: bytes)
            else { return [] }
            return credentials(in: copy, shortest: shortest)
        }
        var search = CapturedCredentials(source.document)
        search.look(at: [source.node], shortest: shortest)
        return search.found
    }

    private static func parts(
        of text: String,
        _ shortest: Int,
        within budget: ReadingBudget? = nil
    ) -> [String] {
        let ofURLs = URLCredentials.texts(in: text) { budget?.isOver() != true }
        guard text.utf8.count >= shortest else { return ofURLs }
        return ChainSecrets.parts(of: text).filter { $0.utf8.count >= shortest } + ofURLs
    }

    /// Looks at values and all that is in them, each once.
    mutating func look(at nodes: [NodeIndex], shortest: Int) {
        var end = 0
        for node in nodes.sorted(by: { $0.rawValue < $1.rawValue }) where node.rawValue >= end {
            end = node.rawValue + document.subtreeSize(of: node)
            look(in: node.rawValue..<end, shortest: min(shortest, self.shortest(at: node)))
        }
    }

    private mutating func look(in places: Range<Int>, shortest: Int) {
        // Up to where it is inside a credential of either kind of names.
        var end = 0
        var weakEnd = 0
        for place in places {
            if place & 63 == 0, budget?.isOver() == true { return }
            let node = NodeIndex(place)
            // Of a longer list of links each is masked, but none of the rest is known outside of a link.
            let hasRoom = known + found.count < Self.limit / 2
            if let key = document.key(of: node) {
                if hasRoom { found += Self.parts(of: key, .max, within: budget) }
                let own = Self.shortest(named: key)
                let ownEnd = place + document.subtreeSize(of: node)
                if own == Self.shortest { end = max(end, ownEnd) }
                if own == Self.shortestOfWeak { weakEnd = max(weakEnd, ownEnd) }
            }
            let within =
                place < end ? Self.shortest : place < weakEnd ? Self.shortestOfWeak : Int.max
            let least = min(shortest, within)
            guard hasRoom || least != .max && found.count <= Self.limit else { continue }
            switch document.kind(of: node) {
            case .string:
                found +=
                    Self.parts(of: document.string(of: node) ?? "", least, within: budget)
            case .integer, .decimal: found += Self.parts(of: document.sourceText(of: node), least)
            case .null, .true, .false, .array, .object: break
            }
        }
    }

    /// What its own name and those above it say.
    private mutating func shortest(at node: NodeIndex) -> Int {
        var path: [NodeIndex] = []
        var next: NodeIndex? = node
        while let node = next, shortestAt[node] == nil {
            path.append(node)
            next = document.parent(of: node)
        }
        var shortest = next.flatMap { shortestAt[$0] } ?? .max
        for node in path.reversed() {
            if let key = document.key(of: node) {
                shortest = min(shortest, Self.shortest(named: key))
            }
            shortestAt[node] = shortest
        }
        return shortest
    }
}
