import Documents
import Workspaces

/// The tab Expect: what is expected of the response, and what there is instead; failures first.
extension ResponseDetails {
    var expectations: [[Line]] {
        guard let checked else { return [remark(unchecked)] }
        let items = checked.items.enumerated()
        let unmet = items.filter { !$0.element.isMet }.flatMap { lines(of: $0.element, $0.offset) }
        let met = items.filter(\.element.isMet).flatMap { lines(of: $0.element, $0.offset) }
        let metCount = checked.items.count - checked.unmetCount
        return [
            unmet.isEmpty
                ? [] : [title("\(Readable.count(checked.unmetCount)) not as expected")] + unmet,
            met.isEmpty ? [] : [title("\(Readable.count(metCount)) as expected")] + met,
        ]
    }

    private func lines(of item: CheckedResponse.Item, _ index: Int) -> [Line] {
        func line(_ name: String, _ text: String) -> Line {
            Line(kind: .fact, name: name, text: text, item: index)
        }
        var first = line(item.subject, item.expected)
        first.isMet = item.isMet
        guard !item.isMet else { return [first] }
        return [first]
            + (item.actual.map { [line("actual", $0)] } ?? [])
            + item.differences.map { line("", $0) }
            + (item.location.map { [line("in", $0.description)] } ?? [])
    }

    private var unchecked: String {
        let how = expectKey.map { " \($0) on a value, a field or a time expects it." } ?? ""
        return isExpecting
            ? "Only a response that has just been received is checked."
            : "Nothing is expected of this target's responses.\(how)"
    }
}
