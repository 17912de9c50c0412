/// Writes a markup tree as JSON, without recursion.
struct MarkupWriter {
    private enum Layout {
        /// Members of an object; several of one name become an array.
        case grouped
        /// A list, in order, of strings and objects with one member.
        case ordered
    }

    /// An element whose children are being written.
    private struct Frame {
        let layout: Layout
        /// The next child: an index in `order` if grouped, else an item.
        var next: Int
        let end: Int
        /// Where its children begin in `order`; they are removed when the element ends.
        let orderStart: Int
        /// The name whose array is open; nil if none is.
        var openName: Int?
        /// Whether an object must be closed after the array, if any.
        let closesObject: Bool
        /// Whether the object around it, an entry of an ordered list, must be closed too.
        let closesEntry: Bool
    }

    private let tree: MarkupTree
    private let isHTML: Bool
    private var frames: [Frame] = []
    /// The children of the open grouped elements, with those of one name next to each other.
    private var order: [UInt32] = []
    /// The number of children by name, for the element that is being examined.
    private var counts: [UInt32]
    /// By name: one more than the index in `order` for the next child; 0 before the first.
    private var places: [UInt32]

    init(_ tree: MarkupTree, isHTML: Bool) {
        self.tree = tree
        self.isHTML = isHTML
        counts = Array(repeating: 0, count: tree.names.count)
        places = counts
    }

    consuming func write(_ out: inout JSONConversion) {
        beginElement(0, closesEntry: false, &out)
        while !frames.isEmpty {
            let last = frames.count - 1
            guard frames[last].next < frames[last].end else {
                closeFrame(&out)
                continue
            }
            let place = frames[last].next
            if out.shouldStop(at: tree.offset(item(at: place, in: frames[last]))) { return }
            switch frames[last].layout {
            case .grouped:
                frames[last].next += 1
                writeMember(Int(order[place]), &out)
            case .ordered:
                frames[last].next = Int(tree.items[place].end)
                writeEntry(place, &out)
            }
        }
    }

    private func item(at place: Int, in frame: Frame) -> Int {
        frame.layout == .grouped ? Int(order[place]) : place
    }

    private mutating func closeFrame(_ out: inout JSONConversion) {
        guard let frame = frames.popLast() else { return }
        if frame.openName != nil || frame.layout == .ordered { out.writer.endArray() }
        if frame.closesObject { out.writer.endObject() }
        if frame.closesEntry { out.writer.endObject() }
        order.removeLast(order.count - frame.orderStart)
    }

    // MARK: - Children

    /// Writes a child of a grouped element.
    private mutating func writeMember(_ item: Int, _ out: inout JSONConversion) {
        let last = frames.count - 1
        let frame = frames[last]
        let name = tree.name(item)
        if frame.openName != name {
            if frame.openName != nil { out.writer.endArray() }
            frames[last].openName = nil
            out.mark(tree.offset(item))
            tree.names.keys.write(name, &out.writer)
            let hasMore =
                frame.next < frame.end && tree.name(Int(order[frame.next])) == name
            if hasMore {
                out.mark(tree.offset(item))
                out.writer.beginArray()
                frames[last].openName = name
            }
        }
        writeValue(item, closesEntry: false, &out)
    }

    /// Writes a child of an ordered element.
    private mutating func writeEntry(_ item: Int, _ out: inout JSONConversion) {
        switch tree.kind(item) {
        case .text:
            if !isLayout(item) { writeText(item, &out) }
        default:
            out.mark(tree.offset(item))
            out.writer.beginObject()
            tree.names.keys.write(tree.name(item), &out.writer)
            writeValue(item, closesEntry: true, &out)
        }
    }

    private mutating func writeValue(_ item: Int, closesEntry: Bool, _ out: inout JSONConversion) {
        if tree.kind(item) == .element {
            beginElement(item, closesEntry: closesEntry, &out)
        } else {
            writeText(item, &out)
            if closesEntry { out.writer.endObject() }
        }
    }

    // MARK: - Elements

    /// Writes an element without child elements, or opens one that has some.
    private mutating func beginElement(
        _ item: Int,
        closesEntry: Bool,
        _ out: inout JSONConversion
    ) {
        out.mark(tree.offset(item))
        let content = contentRange(of: item)
        let hasAttributes = content.lowerBound > item + 1
        let summary = summary(of: content)
        guard summary.others > 0 else {
            writeLeaf(item, content, hasAttributes, &out)
            if closesEntry { out.writer.endObject() }
            return
        }
        let isOrdered = summary.hasText || (isHTML && summary.hasRepeats)
        let hasObject = !isOrdered || hasAttributes || !isHTML
        if hasObject { out.writer.beginObject() }
        writeAttributes(item + 1..<content.lowerBound, &out)
        if isOrdered {
            if hasObject { out.writer.key("#content") }
            out.writer.beginArray()
        }
        let orderStart = order.count
        if !isOrdered { gather(content) }
        frames.append(
            Frame(
                layout: isOrdered ? .ordered : .grouped,
                next: isOrdered ? content.lowerBound : orderStart,
                end: isOrdered ? content.upperBound : order.count,
                orderStart: orderStart,
                openName: nil,
                closesObject: hasObject,
                closesEntry: closesEntry
            )
        )
    }

    /// Writes an element that has only text or nothing in it.
    private func writeLeaf(
        _ item: Int,
        _ content: Range<Int>,
        _ hasAttributes: Bool,
        _ out: inout JSONConversion
    ) {
        let text = content.isEmpty ? nil : content.lowerBound
        guard hasAttributes else {
            if let text { writeText(text, &out) } else { out.writer.string("") }
            return
        }
        out.writer.beginObject()
        writeAttributes(item + 1..<content.lowerBound, &out)
        if let text, !isLayout(text) {
            out.writer.key("#text")
            writeText(text, &out)
        }
        out.writer.endObject()
    }

    private func writeAttributes(_ range: Range<Int>, _ out: inout JSONConversion) {
        for item in range {
            tree.names.keys.write(tree.name(item), &out.writer)
            if tree.kind(item) == .attribute {
                writeText(item, &out)
            } else {
                out.writer.token("null")
            }
        }
    }

    private func writeText(_ item: Int, _ out: inout JSONConversion) {
        tree.text.withUnsafeBufferPointer { text in
            out.writer.string(UnsafeBufferPointer(rebasing: text[tree.textRange(item)]))
        }
    }

    // MARK: - Examining children

    /// The children after the attributes.
    private func contentRange(of item: Int) -> Range<Int> {
        let end = Int(tree.items[item].end)
        var first = item + 1
        while first < end {
            let kind = tree.kind(first)
            guard kind == .attribute || kind == .emptyAttribute else { break }
            first += 1
        }
        return first..<end
    }

    /// Whether a text is only layout: white space with a line feed.
    private func isLayout(_ item: Int) -> Bool {
        let blankness = tree.blankness(item)
        return blankness.isBlank && blankness.hasFeed
    }

    private mutating func summary(
        of content: Range<Int>
    ) -> (others: Int, hasText: Bool, hasRepeats: Bool) {
        var summary = (others: 0, hasText: false, hasRepeats: false)
        var item = content.lowerBound
        while item < content.upperBound {
            if tree.kind(item) == .text {
                summary.hasText = summary.hasText || !tree.blankness(item).isBlank
            } else {
                let name = tree.name(item)
                counts[name] += 1
                summary.others += 1
                summary.hasRepeats = summary.hasRepeats || counts[name] > 1
            }
            item = Int(tree.items[item].end)
        }
        forget(content)
        return summary
    }

    /// Appends the children other than text to `order`, with those of one name next to each other.
    private mutating func gather(_ content: Range<Int>) {
        eachNamed(content) { writer, name, _ in writer.counts[name] += 1 }
        var next = order.count
        eachNamed(content) { writer, name, _ in
            guard writer.places[name] == 0 else { return }
            writer.places[name] = UInt32(truncatingIfNeeded: next + 1)
            next += Int(writer.counts[name])
        }
        order.append(contentsOf: repeatElement(0, count: next - order.count))
        eachNamed(content) { writer, name, item in
            writer.order[Int(writer.places[name]) - 1] = UInt32(truncatingIfNeeded: item)
            writer.places[name] += 1
        }
        forget(content)
    }

    private mutating func forget(_ content: Range<Int>) {
        eachNamed(content) { writer, name, _ in
            writer.counts[name] = 0
            writer.places[name] = 0
        }
    }

    private mutating func eachNamed(
        _ content: Range<Int>,
        _ body: (inout MarkupWriter, _ name: Int, _ item: Int) -> Void
    ) {
        var item = content.lowerBound
        while item < content.upperBound {
            if tree.kind(item) != .text { body(&self, tree.name(item), item) }
            item = Int(tree.items[item].end)
        }
    }
}
