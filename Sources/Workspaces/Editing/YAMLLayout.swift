import Documents

/// Finds the values in a YAML text, and writes changes there.
///
/// It handles the notations that people use. The caller must read the result again, and accept it only if its
/// value is the intended one.
struct YAMLLayout {
    /// An entry of a mapping or an element of a list.
    struct Slot {
        /// The mapping or the list around it.
        let parent: YAMLValue
        let index: Int
        let value: YAMLValue
        /// The column of the parent's keys or dashes, from 0.
        let indent: Int
    }

    private(set) var scalars: [Unicode.Scalar]
    let root: YAMLValue
    private let model: Value
    let lineBreak: String
    /// The number of columns that a level is indented.
    private var step = 2
    /// Whether mappings that are missing on the path of a change have a line for each entry.
    var opensMappings = false
    /// How many mappings are made for a change.
    private var madeMappings = 0

    init(scalars: [Unicode.Scalar], root: YAMLValue, model: Value) {
        self.scalars = scalars
        self.root = root
        self.model = model
        let first = scalars.firstIndex { $0 == "\n" || $0 == "\r" }
        let isCRLF = first.map { scalars[$0...].starts(with: "\r\n".unicodeScalars) } ?? false
        lineBreak = isCRLF ? "\r\n" : "\n"
    }

    var writer: YAMLWriter {
        YAMLWriter(lineBreak: lineBreak, step: step, blockLevels: opensMappings ? madeMappings : 0)
    }

    /// Makes a change; false if it is not possible here.
    mutating func apply(_ change: ValueChange, at path: [YAMLStep]) -> Bool {
        var value = root
        var slot: Slot?
        var indent: Int?
        for (depth, step) in path.enumerated() {
            let rest = path[(depth + 1)...]
            if let slot, let alias = value.alias {
                return unalias(slot, alias.name, change, path, depth)
            }
            if case .mapping(let members) = value.content, let first = members.first {
                let own = first.key.place.column - 1
                if let indent, own > indent, !value.isFlow { self.step = own - indent }
                if !value.isFlow { indent = own }
            }
            if case .insert(nil, let new) = change, rest.isEmpty {
                guard case .index(let index) = step else { return false }
                return insert(new, at: index, in: value)
            }
            guard let next = child(step, of: value) else {
                return add(step, rest, change, to: value, slot, path[...depth])
            }
            (slot, value) = (next, next.value)
        }
        guard let slot else { return false }
        switch change {
        case .set(let new): replace(slot, with: new)
        case .remove: return remove(slot)
        case .insert(let name?, let new): insert(new, named: name, behind: slot)
        case .insert: return false
        case .prepend(let name, let new): return prepend(new, named: name, in: slot.value)
        case .append(let new): return append(new, to: slot.value)
        case .wrap(let key): return wrap(slot, in: key)
        case .rename(let name): return rename(slot, to: name)
        }
        return true
    }

    /// The child that is written at a step, without following aliases and merge keys; nil if there is none.
    static func child(_ step: YAMLStep, of value: YAMLValue) -> YAMLValue? {
        switch (value.content, step) {
        case (.mapping(let members), .key(let name)):
            members.first { $0.key.text == name && name != "<<" }?.value
        case (.sequence(let values), .index(let index)) where values.indices.contains(index):
            values[index]
        default: nil
        }
    }

    func child(_ step: YAMLStep, of value: YAMLValue) -> Slot? {
        switch (value.content, step) {
        case (.mapping(let members), .key(let name)):
            guard name != "<<", let index = members.firstIndex(where: { $0.key.text == name })
            else { return nil }
            return slot(index, of: value)
        case (.sequence(let values), .index(let index)) where values.indices.contains(index):
            return slot(index, of: value)
        default: return nil
        }
    }

    func slot(_ index: Int, of parent: YAMLValue) -> Slot? {
        switch parent.content {
        case .mapping(let members):
            let key = members[0].key
            return Slot(
                parent: parent,
                index: index,
                value: members[index].value,
                indent: key.place.column - 1
            )
        case .sequence(let values):
            let dash = parent.isFlow ? 0 : dash(before: start(of: values[index]))
            return Slot(
                parent: parent,
                index: index,
                value: values[index],
                indent: dash - lineStart(dash)
            )
        default: return nil
        }
    }
}

// MARK: - Places

extension YAMLLayout {
    private func start(of value: YAMLValue) -> Int { (value.alias?.place ?? value.place).index }

    /// The index after the last character of a value, because libyaml ends a block only where the next token
    /// begins.
    private func end(of value: YAMLValue) -> Int {
        if let alias = value.alias { return alias.end.index }
        switch value.content {
        case .scalar(_, .block): return endOfBlockScalar(value)
        case .mapping(let members) where !value.isFlow:
            return members.last.map { max(end(of: $0.key), end(of: $0.value)) } ?? value.end.index
        case .sequence(let values) where !value.isFlow:
            return values.last.map { end(of: $0) } ?? value.end.index
        default: return value.end.index
        }
    }

    /// The end of a block scalar's last line; trailing blank lines belong to it only with a `+` in its header.
    private func endOfBlockScalar(_ value: YAMLValue) -> Int {
        let start = value.place.index
        let header = scalars[start..<lineEnd(start)].prefix { $0 != "#" }
        var end = min(value.end.index, scalars.count)
        if header.contains("+") {
            if end > start, Self.isBreak(scalars[end - 1]) {
                end -= 1
                if scalars[end] == "\n", end > start, scalars[end - 1] == "\r" { end -= 1 }
            }
            return end
        }
        while end > start, Self.isBreak(scalars[end - 1]) || Self.isBlank(scalars[end - 1]) {
            end -= 1
        }
        return lineEnd(end)
    }

    /// The start of an entry: its key, or its dash.
    func start(of slot: Slot) -> Int {
        switch slot.parent.content {
        case .mapping(let members): start(of: members[slot.index].key)
        case .sequence where !slot.parent.isFlow: dash(before: start(of: slot.value))
        default: start(of: slot.value)
        }
    }

    func end(of slot: Slot) -> Int {
        max(end(of: slot.value), keyEnd(of: slot) ?? 0)
    }

    func keyEnd(of slot: Slot) -> Int? {
        guard case .mapping(let members) = slot.parent.content else { return nil }
        return members[slot.index].key.end.index
    }

    /// The index after the colon or the dash before a value.
    func introduced(_ slot: Slot) -> Int {
        guard let keyEnd = keyEnd(of: slot) else { return start(of: slot) + 1 }
        let colon = scalars[keyEnd...].firstIndex { $0 == ":" } ?? keyEnd
        return colon + 1
    }

    private func dash(before index: Int) -> Int {
        scalars[..<min(index, scalars.count)].lastIndex { $0 == "-" } ?? 0
    }

    func lineStart(_ index: Int) -> Int {
        (scalars[..<index].lastIndex(where: Self.isBreak) ?? -1) + 1
    }

    func lineEnd(_ index: Int) -> Int {
        scalars[min(index, scalars.count)...].firstIndex(where: Self.isBreak) ?? scalars.count
    }

    /// The start of the next line.
    func nextLine(_ index: Int) -> Int {
        let end = lineEnd(index)
        guard end < scalars.count else { return end }
        return end + (scalars[end...].starts(with: "\r\n".unicodeScalars) ? 2 : 1)
    }

    /// Whether there are only blanks in a range.
    func isBlank(_ range: Range<Int>) -> Bool { scalars[range].allSatisfy(Self.isBlank) }

    static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\t"
    }

    private static func isBreak(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\n" || scalar == "\r" || scalar == "\u{85}" || scalar == "\u{2028}"
            || scalar == "\u{2029}"
    }

    mutating func put(_ text: String, at range: Range<Int>) {
        scalars.replaceSubrange(range, with: text.unicodeScalars)
    }

    /// The text of lines to add after the line that ends at an index.
    func joined(_ lines: [String], at place: Int) -> String {
        let text = lines.map { lineBreak + $0 }.joined()
        // The last line of a block scalar must end with a line break.
        return place == scalars.count && lines.count > 1 ? text + lineBreak : text
    }
}

// MARK: - Changes

extension YAMLLayout {
    /// Replaces an alias by its changed value; if only one entry of a mapping changes, the alias stays as a
    /// merge key.
    private mutating func unalias(
        _ slot: Slot,
        _ name: String,
        _ change: ValueChange,
        _ path: [YAMLStep],
        _ depth: Int
    ) -> Bool {
        let before = model.value(at: path[..<depth])
        guard let after = before?.applying(change, at: path[depth...]) else { return false }
        var isAddition = true
        if case .remove = change, depth + 1 == path.count { isAddition = false }
        if case .insert = change, depth + 1 == path.count { isAddition = false }
        if case .rename = change, depth + 1 == path.count { isAddition = false }
        guard isAddition, case .key(let key) = path[depth],
            let new = after.value(at: path[depth..<depth + 1])
        else {
            replace(slot, with: after)
            return true
        }
        let entry = "\(writer.key(key, isFlow: true)): \(writer.flow(new))"
        put("{ <<: *\(name), \(entry) }", at: start(of: slot.value)..<end(of: slot.value))
        return true
    }

    /// Adds an entry that a value gets only from a merge key, or not at all.
    private mutating func add(
        _ step: YAMLStep,
        _ rest: ArraySlice<YAMLStep>,
        _ change: ValueChange,
        to value: YAMLValue,
        _ slot: Slot?,
        _ path: ArraySlice<YAMLStep>
    ) -> Bool {
        guard case .key(let name) = step else { return false }
        let old = model.value(at: path) ?? .null
        guard let new = old.applying(change, at: rest) else { return false }
        guard case .mapping(let members) = value.content, let last = members.indices.last else {
            // The value is null or an empty mapping.
            guard let slot else { return false }
            madeMappings = rest.count + 1
            replace(slot, with: .object([Value.Member(name, new)]))
            return true
        }
        guard let lastSlot = self.slot(last, of: value) else { return false }
        madeMappings = rest.count
        insert(new, named: name, behind: lastSlot)
        return true
    }

    private mutating func insert(_ new: Value, named name: String, behind slot: Slot) {
        let end = end(of: slot)
        guard !slot.parent.isFlow else {
            let entry = "\(writer.key(name, isFlow: true)): \(writer.flow(new))"
            return put(", \(entry)", at: end..<end)
        }
        let place = lineEnd(end)
        put(joined(writer.entry(name, new, indent: slot.indent), at: place), at: place..<place)
    }

    private mutating func append(_ new: [Value.Member], to mapping: YAMLValue) -> Bool {
        guard mapping.alias == nil, case .mapping(let members) = mapping.content,
            let last = members.indices.last, let slot = slot(last, of: mapping)
        else { return false }
        let end = end(of: slot)
        guard !mapping.isFlow else {
            let entries = new.map {
                "\(writer.key($0.name, isFlow: true)): \(writer.flow($0.value))"
            }
            put(", \(entries.joined(separator: ", "))", at: end..<end)
            return true
        }
        let place = lineEnd(end)
        put(joined(writer.members(new, indent: slot.indent), at: place), at: place..<place)
        return true
    }

    private mutating func insert(_ new: Value, at index: Int, in list: YAMLValue) -> Bool {
        guard list.alias == nil, case .sequence(let values) = list.content, !values.isEmpty,
            let neighbor = slot(max(0, index - 1), of: list)
        else { return false }
        if list.isFlow {
            let place = index > 0 ? end(of: neighbor) : start(of: neighbor)
            let text = writer.flow(new)
            put(index > 0 ? ", \(text)" : "\(text), ", at: place..<place)
            return true
        }
        let lines = writer.dashed(new, indent: neighbor.indent)
        if index > 0 {
            let place = lineEnd(end(of: neighbor))
            put(joined(lines, at: place), at: place..<place)
            return true
        }
        let place = lineStart(start(of: neighbor))
        guard isBlank(place..<start(of: neighbor)) else { return false }
        put(lines.map { $0 + lineBreak }.joined(), at: place..<place)
        return true
    }

    /// Adds an entry before the first of a mapping, and before the comments above that.
    private mutating func prepend(_ new: Value, named name: String, in mapping: YAMLValue) -> Bool {
        guard mapping.alias == nil, case .mapping(let members) = mapping.content,
            !members.isEmpty, let first = slot(0, of: mapping)
        else { return false }
        let start = start(of: first)
        guard !mapping.isFlow else {
            let entry = "\(writer.key(name, isFlow: true)): \(writer.flow(new)), "
            put(entry, at: start..<start)
            return true
        }
        var place = lineStart(start)
        guard isBlank(place..<start) else { return false }
        while place > 0 {
            let above = lineStart(place - breakLength(before: place))
            guard scalars[above..<place].first(where: { !Self.isBlank($0) }) == "#" else { break }
            place = above
        }
        let lines = writer.entry(name, new, indent: first.indent)
        put(lines.map { $0 + lineBreak }.joined(), at: place..<place)
        return true
    }

    private mutating func replace(_ slot: Slot, with new: Value) {
        let (start, end) = (start(of: slot.value), end(of: slot.value))
        let quote = quote(of: slot.value)
        if slot.parent.isFlow {
            let text = writer.flow(new, quote: quote)
            guard start == end, let keyEnd = keyEnd(of: slot) else {
                return put(text, at: start..<end)
            }
            return put(": \(text)", at: keyEnd..<max(keyEnd, start))
        }
        let lines = lines(new, at: slot, quote)
        let introduced = introduced(slot)
        let head = lines.head.isEmpty ? "" : " \(lines.head)"
        guard start > lineEnd(introduced) else {
            let after = lineEnd(end)
            put(joined(lines.rest, at: after), at: after..<after)
            // The blanks before a text stay as they are.
            if start < end, !lines.head.isEmpty { return put(lines.head, at: start..<end) }
            return put(head, at: introduced..<max(introduced, end))
        }
        let first = lineStart(start)
        // After a `|`, a comment would be part of the text.
        let isText = lines.head.hasPrefix("|")
        let before = isText ? lineEnd(introduced) : first - breakLength(before: first)
        put(joined(lines.rest, at: lineEnd(end)), at: before..<lineEnd(end))
        put(head, at: introduced..<introduced)
    }

    /// The lines of a value after its key or its dash.
    private func lines(
        _ value: Value,
        at slot: Slot,
        _ quote: Unicode.Scalar?
    ) -> YAMLWriter.Lines {
        guard case .sequence = slot.parent.content else {
            return writer.lines(value, indent: slot.indent, isFlow: false, quote: quote)
        }
        let lines = writer.dashed(value, indent: slot.indent)
        guard case .object = value else {
            return writer.lines(value, indent: slot.indent, isFlow: false, quote: quote)
        }
        return YAMLWriter.Lines(
            head: String(lines[0].dropFirst(slot.indent + 2)),
            rest: Array(lines.dropFirst())
        )
    }

    /// The kind of quotes around a text; nil if it has none.
    private func quote(of value: YAMLValue) -> Unicode.Scalar? {
        guard value.alias == nil, case .scalar(_, .quoted) = value.content, value.end.index > 0
        else { return nil }
        return scalars[value.end.index - 1]
    }

    /// Puts a scalar, as it is written, into a new mapping; false if that is not possible.
    private mutating func wrap(_ slot: Slot, in key: String) -> Bool {
        let (start, end) = (start(of: slot.value), end(of: slot.value))
        guard start < end, case .mapping = slot.parent.content else { return false }
        if slot.parent.isFlow {
            put(" }", at: end..<end)
            put("{ \(key): ", at: start..<start)
            return true
        }
        let introduced = introduced(slot)
        if start > lineEnd(introduced) {
            put("\(key): ", at: start..<start)
        } else {
            let margin = YAMLWriter.blanks(slot.indent + step)
            put("\(lineBreak)\(margin)\(key): ", at: introduced..<start)
        }
        return true
    }

    /// Writes another key.
    private mutating func rename(_ slot: Slot, to name: String) -> Bool {
        guard case .mapping(let members) = slot.parent.content else { return false }
        let key = members[slot.index].key
        guard key.alias == nil, key.anchor == nil else { return false }
        let isFlow = slot.parent.isFlow
        put(writer.key(name, isFlow: isFlow), at: key.place.index..<key.end.index)
        return true
    }

    private mutating func remove(_ slot: Slot) -> Bool {
        let (start, end) = (start(of: slot), end(of: slot))
        let next = sibling(slot, by: 1).map { self.start(of: $0) }
        if slot.parent.isFlow {
            let previous = sibling(slot, by: -1).map { self.end(of: $0) }
            put("", at: flowRange(start..<end, after: previous, before: next))
            return true
        }
        let first = lineStart(start)
        guard !isBlank(first..<start) else {
            // The last line may have no line break.
            let after = nextLine(end)
            let isLast = after == scalars.count && (after == lineEnd(end)) && first > 0
            put("", at: (isLast ? first - breakLength(before: first) : first)..<after)
            return true
        }
        // The first entry follows the dash of the element around it.
        guard let next, isBlank(nextLine(end)..<next) else { return false }
        put("", at: start..<next)
        return true
    }

    private func breakLength(before index: Int) -> Int {
        index > 1 && scalars[index - 1] == "\n" && scalars[index - 2] == "\r" ? 2 : 1
    }

    private func sibling(_ slot: Slot, by offset: Int) -> Slot? {
        let count =
            switch slot.parent.content {
            case .mapping(let members): members.count
            case .sequence(let values): values.count
            default: 0
            }
        let index = slot.index + offset
        return (0..<count).contains(index) ? self.slot(index, of: slot.parent) : nil
    }

    /// The range to remove with an entry in brackets: its comma, and the comment after it if it has its own line.
    private func flowRange(_ own: Range<Int>, after previous: Int?, before next: Int?) -> Range<Int>
    {
        if let next, lineEnd(own.upperBound) >= next { return own.lowerBound..<next }
        let first = lineStart(own.lowerBound)
        var end = own.upperBound
        while end < scalars.count, Self.isBlank(scalars[end]) { end += 1 }
        if end < scalars.count, scalars[end] == "," { end += 1 }
        while end < scalars.count, Self.isBlank(scalars[end]) { end += 1 }
        let endsLine = end == lineEnd(end) || scalars[end] == "#"
        if isBlank(first..<own.lowerBound), endsLine { return first..<nextLine(end) }
        guard next == nil, let previous, lineEnd(previous) >= own.lowerBound else {
            return own.lowerBound..<(next == nil ? own.upperBound : end)
        }
        return previous..<own.upperBound
    }
}
