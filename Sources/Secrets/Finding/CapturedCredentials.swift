package import Documents

/// Finds the credentials in a document: strings and numbers under a credential's name, which may come from
/// the capture, its path or the document, and credentials in URLs under any name.
package struct CapturedCredentials {
    /// The maximum number of credentials in the captures of a response.
    package static let limit = 100_000

    /// The minimum in bytes for a text to be a credential.
    package static let shortest = 4
    /// The minimum under names that are not always a credential's, such as `key`: shorter texts may be words
    /// that stand anywhere.
    package static let shortestOfWeak = 8

    private let document: Document
    /// How many credentials were found before in the same response.
    private let known: Int
    private let budget: CPUTimeBudget?
    private var shortestAt: [NodeIndex: Int] = [:]
    /// The credentials, as they are written.
    package private(set) var found: [String] = []

    /// Stops searching when the budget is used up.
    package init(_ document: Document, known: Int = 0, within budget: CPUTimeBudget? = nil) {
        (self.document, self.known, self.budget) = (document, known, budget)
    }

    /// The minimum length in bytes for a value of this name to be a credential; `Int.max` if it never is.
    package static func shortest(named name: some StringProtocol) -> Int {
        guard CredentialMask.isSecret(parameter: name) else { return .max }
        return SecretFields.isWeak(parameter: name) ? shortestOfWeak : shortest
    }

    /// Returns the credentials in a value whose own names require at least `shortest` bytes.
    package static func credentials(in value: JSON, shortest: Int) -> [String] {
        if let text = value.string ?? value.numberText { return parts(of: text, shortest) }
        guard let source = value.source else {
            // The value was changed or built in code, so search a parsed copy.
            guard value.count > 0, let bytes = try? value.bytes(),
                let copy = try? JSON(parsing: bytes)
            else { return [] }
            return credentials(in: copy, shortest: shortest)
        }
        var search = CapturedCredentials(source.document)
        search.look(at: [source.node], shortest: shortest)
        return search.found
    }

    /// Returns the text and its parts that may be the credential, as in `Bearer …` or `sid=…; Path=/`.
    package static func credentialParts(of text: String) -> [String] {
        let words = text.unicodeScalars.split(separator: " ", maxSplits: 1)
        let pair = text.unicodeScalars.prefix { $0 != ";" }
        return [text, String(pair.drop { $0 != "=" }.dropFirst())]
            + (words.count == 2 ? [String(words[1])] : [])
    }

    private static func parts(
        of text: String,
        _ shortest: Int,
        within budget: CPUTimeBudget? = nil
    ) -> [String] {
        let ofURLs = URLCredentials.texts(in: text) { budget?.isOver() != true }
        guard text.utf8.count >= shortest else { return ofURLs }
        return credentialParts(of: text).filter { $0.utf8.count >= shortest } + ofURLs
    }

    /// Searches nodes and everything in them, each node once.
    package mutating func look(at nodes: [NodeIndex], shortest: Int) {
        var end = 0
        for node in nodes.sorted(by: { $0.rawValue < $1.rawValue }) where node.rawValue >= end {
            end = node.rawValue + document.subtreeSize(of: node)
            look(in: node.rawValue..<end, shortest: min(shortest, self.shortest(at: node)))
        }
    }

    private mutating func look(in places: Range<Int>, shortest: Int) {
        // Where the subtree under a credential's name ends, for either kind of name.
        var end = 0
        var weakEnd = 0
        for place in places {
            if place & 63 == 0, budget?.isOver() == true { return }
            let node = NodeIndex(place)
            // Past half the limit, credentials in URLs are not collected: they are masked in URLs, not elsewhere.
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

    /// The minimum length by the names of the node and of those around it.
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
