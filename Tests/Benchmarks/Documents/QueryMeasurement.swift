import Documents

/// Queries over a parsed document, in milliseconds: the best of some rounds.
func measureQueries(of file: String) throws {
    let document = Document.parse(try DocumentBytes.reading(file: file))
    for text in [
        "$..zip", "$[*].name", "$[?@.score > 990].name", "$[?match(@.email, 'user1999.*')]",
    ] {
        let query = try JSONPath(text)
        var best = Double.infinity
        var count = 0
        for _ in 0..<5 {
            best = min(best, seconds { count = document.nodes(matching: query).count })
        }
        print("\(text.replacing(" ", with: ""))-ms \(rounded(best * 1000))")
        print("\(text.replacing(" ", with: ""))-matches \(count)")
    }
}
