import Documents

/// Searching a whole text, in milliseconds: the best of some rounds, for a count of all hits.
func measureSearch(of file: String) async throws {
    let bytes = try DocumentBytes.reading(file: file)
    let document = Document.parse(bytes)
    let patterns: [(String, SearchPattern)] = [
        ("text", SearchPattern(text: "user19999@", case: .sensitive)),
        ("text-any-case", SearchPattern(text: "USER19999@", case: .insensitive)),
        ("frequent-text", SearchPattern(text: "consectetur", case: .sensitive)),
        ("keys-only", SearchPattern(text: "street", case: .sensitive, in: .keys)),
        ("values-only", SearchPattern(text: "street", case: .sensitive, in: .values)),
        ("expression", try SearchPattern(expression: "user1999[0-9]@", case: .sensitive)),
    ]
    for (name, pattern) in patterns {
        var best = Double.infinity
        var hits = 0
        for _ in 0..<5 {
            let search = DocumentSearch(pattern, in: document)
            let start = ContinuousClock.now
            await search.run()
            best = min(best, (ContinuousClock.now - start) / .seconds(1))
            hits = search.progress.hitCount
        }
        print("\(name)-ms \(rounded(best * 1000))")
        print("\(name)-hits \(hits)")
    }
}
