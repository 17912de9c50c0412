/// What two rows of numbers have in common, by the greedy O(ND) algorithm of Myers (1986).
struct EditScript {
    /// The most insertions and deletions that are tried; the way back is kept for each.
    static let largestDistance = 2048

    /// Places in both rows that belong together.
    typealias Match = (a: Int, b: Int)

    private let a: ArraySlice<Int32>
    private let b: ArraySlice<Int32>
    /// The furthest place in `a` on every diagonal, one row for each distance.
    private var trace: [[Int32]] = []

    private init(_ a: ArraySlice<Int32>, _ b: ArraySlice<Int32>) {
        self.a = a
        self.b = b
    }

    /// The matches of a shortest script; nil when it would cost more than `budget` steps.
    ///
    /// `work` counts the steps.
    static func matches(
        _ a: ArraySlice<Int32>,
        _ b: ArraySlice<Int32>,
        budget: Int,
        work: inout Int
    ) -> [Match]? {
        if a.isEmpty || b.isEmpty { return [] }
        var script = EditScript(a, b)
        guard script.search(budget: budget, work: &work) else { return nil }
        return script.walkBack()
    }

    private mutating func search(budget: Int, work: inout Int) -> Bool {
        let limit = min(Self.largestDistance, a.count + b.count)
        let lastWork = work + budget
        var furthest = [Int32](repeating: 0, count: 2 * limit + 3)
        let middle = limit + 1
        for distance in 0...limit {
            for diagonal in stride(from: -distance, through: distance, by: 2) {
                let isDown =
                    diagonal == -distance
                    || diagonal != distance
                        && furthest[middle + diagonal - 1] < furthest[middle + diagonal + 1]
                var x = Int(
                    isDown
                        ? furthest[middle + diagonal + 1] : furthest[middle + diagonal - 1] + 1
                )
                let start = x
                x = slide(x, x - diagonal)
                work += x - start + 1
                furthest[middle + diagonal] = Int32(x)
                if x >= a.count && x - diagonal >= b.count {
                    trace.append(Array(furthest[middle - distance...middle + distance]))
                    return true
                }
            }
            guard work < lastWork else { return false }
            trace.append(Array(furthest[middle - distance...middle + distance]))
        }
        return false
    }

    /// Follows equal elements.
    @inline(__always) private func slide(_ x: Int, _ y: Int) -> Int {
        var x = x
        var y = y
        while x < a.count, y < b.count, a[a.startIndex + x] == b[b.startIndex + y] {
            x += 1
            y += 1
        }
        return x
    }

    private func walkBack() -> [Match] {
        var matches: [Match] = []
        var x = a.count
        var y = b.count
        for distance in stride(from: trace.count - 1, to: 0, by: -1) {
            let row = trace[distance - 1]
            func reach(_ diagonal: Int) -> Int {
                abs(diagonal) < distance ? Int(row[diagonal + distance - 1]) : -1
            }
            let diagonal = x - y
            let isDown =
                diagonal == -distance
                || diagonal != distance && reach(diagonal - 1) < reach(diagonal + 1)
            let before = isDown ? diagonal + 1 : diagonal - 1
            let fromX = reach(before)
            let start = isDown ? fromX : fromX + 1
            while x > start {
                x -= 1
                y -= 1
                matches.append((x, y))
            }
            x = fromX
            y = fromX - before
        }
        while x > 0 && y > 0 {
            x -= 1
            y -= 1
            matches.append((x, y))
        }
        return matches.reversed()
    }
}
