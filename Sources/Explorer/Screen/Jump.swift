import Terminal

/// The labels on everything that can be reached, until one is typed.
struct Jump: Equatable {
    /// What a label leads to.
    enum Goal: Equatable {
        /// Gives a pane the keys.
        case pane(Focus)
        /// Acts like a click there that opens nothing.
        case place(Focus, Point)
        /// Acts like this key.
        case key(Key)
    }

    /// A label and its position.
    struct Label: Equatable {
        var text: String
        var point: Point
        var goal: Goal
    }

    private(set) var labels: [Label]
    /// The first letter of a label with two, once it is typed.
    var typed = ""

    /// The labels that begin with the typed letter.
    var candidates: [Label] { labels.filter { $0.text.hasPrefix(typed) } }

    /// Labels the goals; the first ones get one letter, as far as the letters suffice.
    init(_ goals: [(point: Point, goal: Goal)]) {
        let texts = Self.texts(goals.count)
        labels = zip(texts, goals).map { Label(text: $0, point: $1.point, goal: $1.goal) }
    }

    /// The letters, the ones that are easy to reach first.
    private static let letters = "asdfghjklqwertyuiopzxcvbnm".map(String.init)

    /// This many texts of one or two letters, none of which begins another.
    static func texts(_ count: Int) -> [String] {
        let all = letters.count
        let single = (0...all).last { $0 + (all - $0) * all >= count } ?? 0
        let pairs = letters[single...].flatMap { first in letters.map { first + $0 } }
        return Array((letters[..<single] + pairs).prefix(count))
    }
}
