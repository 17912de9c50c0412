/// A longest increasing subsequence, in O(n log n).
enum IncreasingSubsequence {
    /// The places of a longest strictly increasing part of different numbers.
    static func places(in numbers: [Int32]) -> [Int] {
        var tails: [Int32] = []
        var previous = [Int32](repeating: -1, count: numbers.count)
        for (place, number) in numbers.enumerated() {
            var low = 0
            var high = tails.count
            while low < high {
                let middle = (low + high) / 2
                if numbers[Int(tails[middle])] < number { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[place] = tails[low - 1] }
            if low == tails.count { tails.append(Int32(place)) } else { tails[low] = Int32(place) }
        }
        var places: [Int] = []
        var place = tails.last ?? -1
        while place >= 0 {
            places.append(Int(place))
            place = previous[Int(place)]
        }
        return places.reversed()
    }
}
