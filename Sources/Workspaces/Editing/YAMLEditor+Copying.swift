import Documents

/// Copying and moving entries as they are written, with their comments, and replacing parts of the text.
extension YAMLEditor {
    /// Copies an entry of a mapping to another path: beside itself, or to the end of another mapping.
    ///
    /// Its text is copied, indented as it is there. Where that is not possible, such as between braces, only its value
    /// is written.
    ///
    /// - Returns: Whether the text was copied, and with it the comments above it if they were wanted.
    @discardableResult
    mutating func copy(
        _ path: [YAMLStep],
        to new: [YAMLStep],
        withComments: Bool = false
    ) throws(YAMLEditError) -> Bool {
        guard let value = model.value(at: path[...]) else {
            throw YAMLEditError(message: Self.refusal)
        }
        if let wanted = model.applying(.set(value), at: new[...]) {
            var layout = YAMLLayout(scalars: scalars, root: root, model: model)
            if layout.copy(path, to: new, withComments: withComments),
                accept(layout.scalars, if: wanted)
            {
                return true
            }
        }
        guard path.dropLast() == new.dropLast(), case .key(let name)? = new.last else {
            opensMappings = true
            try set(value, at: new)
            return false
        }
        try insert(value, named: name, at: path)
        return false
    }

    /// Moves an entry of a mapping to another path; in its own mapping it stays where it is.
    mutating func move(_ path: [YAMLStep], to new: [YAMLStep]) throws(YAMLEditError) {
        if path.dropLast() == new.dropLast(), case .key(let name)? = new.last {
            return try rename(at: path, to: name)
        }
        let isText = try copy(path, to: new, withComments: true)
        let layout = YAMLLayout(scalars: scalars, root: root, model: model)
        let comments = isText ? layout.linesOfComments(above: path) : 0..<0
        try removeEntry(at: path)
        guard !comments.isEmpty else { return }
        var left = YAMLLayout(scalars: scalars, root: root, model: model)
        left.removeLines(comments)
        // A comment that cannot go stays where it is.
        _ = accept(left.scalars, if: model)
    }

    /// Exchanges two entries of a mapping, each with the comments directly above it.
    mutating func exchange(
        _ path: [YAMLStep],
        _ other: [YAMLStep]
    ) throws(YAMLEditError) {
        var layout = YAMLLayout(scalars: scalars, root: root, model: model)
        let before = self
        guard layout.exchange(path, other), accept(layout.scalars, if: model),
            root.keys(at: path.dropLast())
                == before.root.keys(
                    at: path.dropLast(),
                    exchanging: path.last,
                    other.last
                )
        else {
            self = before
            throw YAMLEditError(message: "their order cannot be changed here without changing more")
        }
    }

    /// Replaces parts of the text, which do not overlap; what is then read must be the wanted value.
    mutating func replace(
        _ parts: [Range<Int>: String],
        giving wanted: Value
    ) throws(YAMLEditError) {
        var changed = scalars
        for (range, text) in parts.sorted(by: { $0.key.lowerBound > $1.key.lowerBound }) {
            changed.replaceSubrange(range, with: text.unicodeScalars)
        }
        guard accept(changed, if: wanted) else { throw YAMLEditError(message: Self.refusal) }
    }

    /// What is written for a path, and its key, also behind an alias or a merge key; nil if there is nothing.
    func written(at path: [YAMLStep]) -> (key: YAMLValue?, value: YAMLValue)? {
        var found: (key: YAMLValue?, value: YAMLValue) = (nil, root)
        for step in path {
            guard let next = Self.member(step, of: found.value) else { return nil }
            found = next
        }
        return found
    }

    private static func member(
        _ step: YAMLStep,
        of value: YAMLValue
    ) -> (key: YAMLValue?, value: YAMLValue)? {
        switch (value.content, step) {
        case (.mapping(let members), .key(let name)):
            if let own = members.first(where: { $0.key.text == name && name != "<<" }) {
                return (own.key, own.value)
            }
            for merged in members where merged.key.text == "<<" {
                var sources = [merged.value]
                if case .sequence(let values) = merged.value.content { sources = values }
                if let found = sources.lazy.compactMap({ member(step, of: $0) }).first {
                    return found
                }
            }
            return nil
        case (.sequence(let values), .index(let index)) where values.indices.contains(index):
            return (nil, values[index])
        default: return nil
        }
    }
}

extension YAMLLayout {
    /// Copies the lines of an entry; false where it or its new mapping has no lines of its own.
    mutating func copy(
        _ path: [YAMLStep],
        to new: [YAMLStep],
        withComments: Bool
    ) -> Bool {
        guard let entry = slot(at: path), !entry.parent.isFlow, entry.value.alias == nil,
            case .mapping(let members) = entry.parent.content, case .key(let name)? = new.last
        else { return false }
        let (key, start) = (members[entry.index].key, start(of: entry))
        guard isBlank(lineStart(start)..<start), key.anchor == nil, key.alias == nil else {
            return false
        }
        let step = path.count > 1 ? max(1, entry.indent / (path.count - 1)) : 2
        let end = lineEnd(end(of: entry))
        var lines = withComments ? linesOfComments(above: path).map { line($0) } : []
        let head = YAMLWriter.blanks(entry.indent) + writer.key(name, isFlow: false)
        let rest = YAMLEditor.text(scalars[key.end.index..<end])
        lines += (head + rest).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map(String.init)
        guard path.dropLast() != new.dropLast() else {
            put(joined(lines, at: end), at: end..<end)
            return true
        }
        return put(lines, from: entry.indent, step: step, at: new)
    }

    /// Puts the lines of an entry at the end of the mapping at a path, whose missing mappings get lines too.
    private mutating func put(
        _ lines: [String],
        from indent: Int,
        step: Int,
        at path: [YAMLStep]
    ) -> Bool {
        var (mapping, holder): (YAMLValue, Slot?) = (root, nil)
        var missing: [String] = []
        for step in path.dropLast() {
            guard case .key(let name) = step else { return false }
            if missing.isEmpty, let next = child(step, of: mapping) {
                (mapping, holder) = (next.value, next)
                guard mapping.alias == nil else { return false }
            } else {
                missing.append(name)
            }
        }
        var own = 0
        var place = 0
        var emptied: Range<Int>?
        if case .mapping(let members) = mapping.content, let last = members.indices.last {
            guard !mapping.isFlow, let slot = slot(last, of: mapping) else { return false }
            (own, place) = (slot.indent, lineEnd(end(of: slot)))
        } else if let holder, !holder.parent.isFlow, mapping.anchor == nil {
            let introduced = introduced(holder)
            let end = end(of: holder)
            guard lineEnd(introduced) >= end else { return false }
            (own, place) = (holder.indent + step, lineEnd(end))
            emptied = introduced..<max(introduced, end)
        } else {
            return false
        }
        var text: [String] = []
        for name in missing {
            text.append("\(YAMLWriter.blanks(own))\(writer.key(name, isFlow: false)):")
            own += step
        }
        text += lines.map { Self.shifted($0, by: own - indent) }
        put(joined(text, at: place), at: place..<place)
        if let emptied { put("", at: emptied) }
        return true
    }

    /// Exchanges the lines of two entries of a block mapping; false if they have no lines of their own.
    mutating func exchange(_ path: [YAMLStep], _ other: [YAMLStep]) -> Bool {
        guard let one = lines(ofEntry: path), let two = lines(ofEntry: other),
            !one.overlaps(two)
        else { return false }
        let (first, second) = one.lowerBound < two.lowerBound ? (one, two) : (two, one)
        let (above, below) = (YAMLEditor.text(scalars[first]), YAMLEditor.text(scalars[second]))
        put(above, at: second)
        put(below, at: first)
        return true
    }

    /// The text of an entry and of the comments above it, in whole lines without the last line break.
    private func lines(ofEntry path: [YAMLStep]) -> Range<Int>? {
        guard let entry = slot(at: path), !entry.parent.isFlow else { return nil }
        let start = start(of: entry)
        guard isBlank(lineStart(start)..<start) else { return nil }
        let comments = linesOfComments(above: path)
        let first = comments.isEmpty ? lineStart(start) : self.start(ofLine: comments.lowerBound)
        return first..<lineEnd(end(of: entry))
    }

    /// A line that begins further right or left, as far as there are blanks before it.
    private static func shifted(_ line: String, by columns: Int) -> String {
        guard columns < 0 else { return line.isEmpty ? "" : YAMLWriter.blanks(columns) + line }
        let blanks = line.prefix { $0 == " " }.count
        return String(line.dropFirst(min(blanks, -columns)))
    }

    /// The indices of the lines with the comments directly above an entry, as far right as it.
    func linesOfComments(above path: [YAMLStep]) -> Range<Int> {
        guard let entry = slot(at: path), !entry.parent.isFlow else { return 0..<0 }
        let first = scalars[..<start(of: entry)].count { $0 == "\n" }
        var line = first
        while line > 1, isComment(self.line(line - 1), at: entry.indent) { line -= 1 }
        return line..<first
    }

    private func isComment(_ line: String, at indent: Int) -> Bool {
        line.prefix { $0 == " " }.count == indent && line.dropFirst(indent).hasPrefix("#")
    }

    /// The line with an index, from 0.
    private func line(_ index: Int) -> String {
        let start = start(ofLine: index)
        return YAMLEditor.text(scalars[start..<lineEnd(start)])
    }

    private func start(ofLine index: Int) -> Int {
        var (start, left) = (0, index)
        while left > 0, start < scalars.count {
            start = nextLine(start)
            left -= 1
        }
        return start
    }

    /// Removes the lines with these indices.
    mutating func removeLines(_ lines: Range<Int>) {
        put("", at: start(ofLine: lines.lowerBound)..<start(ofLine: lines.upperBound))
    }

    /// The entry or element at a path, without following aliases; nil if none is written there.
    private func slot(at path: [YAMLStep]) -> Slot? {
        var (value, slot): (YAMLValue, Slot?) = (root, nil)
        for step in path {
            guard value.alias == nil, let next = child(step, of: value) else { return nil }
            (value, slot) = (next.value, next)
        }
        return slot
    }
}

extension YAMLValue {
    /// The keys of the mapping at a path, in their order, with two of them exchanged.
    fileprivate func keys(
        at path: ArraySlice<YAMLStep>,
        exchanging one: YAMLStep? = nil,
        _ other: YAMLStep? = nil
    ) -> [String?] {
        var value = self
        for step in path {
            guard let next = YAMLLayout.child(step, of: value) else { return [] }
            value = next
        }
        guard case .mapping(let members) = value.content else { return [] }
        return members.map { member in
            guard let key = member.key.text else { return nil }
            let step = YAMLStep.key(key)
            let exchanged = step == one ? other : step == other ? one : step
            if case .key(let name)? = exchanged { return name }
            return key
        }
    }
}
