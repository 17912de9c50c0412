import Documents

/// The gigabytes a second of each round after one that warms up, then the peak memory beyond the
/// text.
func measureParsing(of file: String, rounds: Int) throws {
    let bytes = try DocumentBytes.reading(file: file)
    let before = peakMemory()
    // A round takes 10 ms at least.
    let repeats = 1 + 20_000_000 / (bytes.count + 1)
    for round in -1..<rounds {
        var nodes = 0
        let taken = seconds {
            for _ in 0..<repeats { nodes = Document.parse(bytes).nodeCount }
        }
        precondition(nodes > 0, "an empty tree")
        if round >= 0 { print(rounded(Double(bytes.count * repeats) / taken / 1e9, 4)) }
    }
    print("memory \(peakMemory() - before)")
}
