/// Asking a document.
extension Document {
    /// The values that a query finds, in the order of RFC 9535; one found twice is there twice.
    ///
    /// A name selects every member of that name, so that nothing of a broken answer is hidden; in
    /// a comparison the last one counts. Of a document that is still being parsed only what is
    /// there now is looked at. `matches(of:onProgress:)` can be cancelled, and says when a pattern
    /// was too costly for a text, or too large, which is no match here.
    public func nodes(matching query: JSONPath) -> [NodeIndex] {
        Array(QueryWalk(query, in: self))
    }

    /// The first value that a query finds; nothing behind it is looked at.
    public func first(matching query: JSONPath) -> NodeIndex? {
        var walk = QueryWalk(query, in: self)
        return walk.next()
    }

    /// The values that a query finds, off the calling actor.
    ///
    /// `onProgress` is called now and then with the number of values found. When the task is
    /// cancelled the result has those found until then and says that it is not complete.
    @concurrent public func matches(
        of query: JSONPath,
        onProgress: (@Sendable (Int) -> Void)? = nil
    ) async -> QueryMatches {
        let found = FoundNodes()
        let evaluation = QueryEvaluation(self, absoluteQueryCount: query.absoluteQueryCount) {
            onProgress?(found.nodes.count)
            return !Task.isCancelled
        }
        evaluation.look()
        var walk = QueryWalk(query.segments, from: 0, evaluation)
        while !evaluation.isStopped, let node = walk.next() { found.nodes.append(node) }
        return QueryMatches(
            nodes: found.nodes,
            isComplete: !evaluation.isStopped,
            problem: walk.problem
        )
    }

    /// What was found so far, for the progress.
    private final class FoundNodes {
        var nodes: [NodeIndex] = []
    }
}
