/// How many letters must change to make one text of another (Levenshtein).
enum EditDistance {
    static func between(_ first: String, _ second: String) -> Int {
        let other = Array(second.utf8)
        var row = Array(0...other.count)
        for (index, letter) in first.utf8.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in other.indices {
                let change = diagonal + (other[column] == letter ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(change, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
