import Documents

/// The comparison of two parsed documents, in milliseconds: the best of some rounds.
func measureDiff(between file: String, and other: String) throws {
    let left = Document.parse(try DocumentBytes.reading(file: file))
    let right = Document.parse(try DocumentBytes.reading(file: other))
    var best = Double.infinity
    var total = 0
    for _ in 0..<3 {
        best = min(
            best,
            seconds { total = DocumentDiff(between: left, and: right).differences.count }
        )
    }
    print("diff-ms \(rounded(best * 1000))")
    print("differences \(total)")
}
