import Secrets
import Synchronization

/// The secrets of a run: the credentials that it captured, and the secrets of its requests, which a
/// response may echo.
///
/// One set covers everything that the run sends, shows and keeps. The first captured credentials become
/// secrets of every later request, so they are masked and kept out of redirects wherever the server or a
/// later step puts them.
package final class ChainSecrets: Sendable {
    /// Texts to search for, limited in number and size because the search takes a hundred times their memory.
    private struct SearchTexts {
        private let maximumCount: Int
        private(set) var texts: Set<String> = []
        private var size = 0

        init(maximumCount: Int) { self.maximumCount = maximumCount }

        mutating func add(_ text: String) {
            // 256 bytes per text on average.
            guard texts.count < maximumCount, size + text.utf8.count <= maximumCount << 8 else {
                return
            }
            if texts.insert(text).inserted { size += text.utf8.count }
        }
    }

    private struct State {
        /// All captured credentials, which are recognized only as a whole value.
        var captured: Set<String> = []
        /// The first of these, which are secrets of every later request.
        var sent = SearchTexts(maximumCount: 1000)
        var ofRequests = SearchTexts(maximumCount: 2000)
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether the whole text is a captured credential.
    package func isCaptured(_ text: String) -> Bool {
        state.withLock { $0.captured.contains(text) }
    }

    /// The captured credentials that are secrets of the next request.
    var requestSecrets: Set<Secret> {
        Set(state.withLock { $0.sent.texts }.map { Secret($0) })
    }

    /// A mask for the secrets of the run and `others`.
    func mask(with others: Set<String> = []) -> CredentialMask {
        let (sent, ofRequests) = state.withLock { ($0.sent.texts, $0.ofRequests.texts) }
        return CredentialMask(secrets: Array(others.union(sent).union(ofRequests)))
    }

    /// Adds captured credentials.
    func add(captured texts: [String]) {
        guard !texts.isEmpty else { return }
        state.withLock { state in
            for text in texts where state.captured.insert(text).inserted { state.sent.add(text) }
        }
    }

    /// Adds the secrets of a request that got a response.
    func add(of request: PreparedRequest) {
        // Most requests have none.
        guard request.options.shared != nil else { return }
        let texts = request.mask.secrets
        state.withLock { state in
            for text in texts where !state.captured.contains(text) { state.ofRequests.add(text) }
        }
    }
}
