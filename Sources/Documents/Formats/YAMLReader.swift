internal import CYAML

/// Converts YAML events to JSON, with a stack of open containers.
///
/// An anchor's value is remembered as the range of its JSON, so an alias is a copy of bytes. JSON that becomes a key
/// is written anew, with escapes, so the anchors inside it have theirs in `keyValues`.
struct YAMLReader: ~Copyable {
    private struct Frame {
        let isMapping: Bool
        /// Whether the next value is a key.
        var wantsKey: Bool
        /// Whether the value is in an object that stands for its tag.
        let hasTagObject: Bool
        /// Where the value begins, with the object that stands for its tag if it is a key.
        let start: Int
        let valueStart: Int
        let anchor: String?
        /// Whether the whole container is a key of the mapping around it.
        let isKey: Bool
    }

    private enum Anchor {
        /// A range of what is written.
        case written(Range<Int>)
        /// A range of `keyValues`.
        case inKey(Range<Int>)
    }

    /// The most bytes of JSON that a key may have.
    ///
    /// Each key around it doubles its backslashes: 85 bytes of "? " would become megabytes.
    private static let longestKey = 16 << 10

    private var stack: [Frame] = []
    private var anchors: [String: Anchor] = [:]
    /// The anchors of written values in the order in which these ended.
    private var anchored: [(name: String, end: Int)] = []
    /// The JSON of keys that have anchors inside.
    private var keyValues: [UInt8] = []
    private var documents = 0
    private var positions: YAMLPositions

    static func read(_ out: inout JSONConversion, _ timeLimit: Duration?) {
        var reader = YAMLReader(out.text, from: out.start)
        let budget = CPUTimeBudget(
            ofText: out.text.count,
            limit: timeLimit,
            isCancellable: !out.isCut
        )
        reader.run(&out, budget)
        // A container that was to become a key but did not is no member.
        if let key = reader.stack.first(where: { $0.isKey }) { out.writer.drop(from: key.start) }
    }

    private init(_ text: DocumentBytes, from start: Int) {
        positions = YAMLPositions(text, from: start)
    }

    private mutating func run(_ out: inout JSONConversion, _ budget: CPUTimeBudget) {
        let start = out.start
        var events = YAMLEvents(out.text.base + start, count: out.text.count - start, budget)
        // Becomes a bracket if a second document follows.
        out.writer.reserveBlank()
        var isOver = false
        while !isOver {
            var event = yaml_event_t()
            guard events.next(&event) else { return fail(events.fault, &out) }
            isOver = event.type == YAML_STREAM_END_EVENT
            let offset = positions.offset(of: Int(event.start_mark.index))
            let stops = out.shouldStop(at: offset, holding: keyValues.count)
            if !stops { handle(event, at: offset, &out) }
            yaml_event_delete(&event)
            if stops { return }
        }
        if documents == 0 { out.writer.token("null") }
        if documents > 1 { out.writer.endArray() }
    }

    private mutating func handle(_ event: yaml_event_t, at offset: Int, _ out: inout JSONConversion)
    {
        switch event.type {
        case YAML_DOCUMENT_START_EVENT:
            documents += 1
            anchors = [:]
            anchored = []
            keyValues = []
            if documents == 2 { out.writer.patch(0x5B, at: 0) }
        case YAML_SCALAR_EVENT:
            takeScalar(event.data.scalar, at: offset, &out)
        case YAML_ALIAS_EVENT:
            takeAlias(YAMLEvents.string(event.data.alias.anchor) ?? "", at: offset, &out)
        case YAML_SEQUENCE_START_EVENT:
            let data = event.data.sequence_start
            begin(isMapping: false, tag: data.tag, anchor: data.anchor, at: offset, &out)
        case YAML_MAPPING_START_EVENT:
            let data = event.data.mapping_start
            begin(isMapping: true, tag: data.tag, anchor: data.anchor, at: offset, &out)
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: end(at: offset, &out)
        default: break
        }
    }

    // MARK: - Values

    private typealias Scalar = yaml_event_t.__Unnamed_union_data.__Unnamed_struct_scalar

    private mutating func takeScalar(
        _ scalar: Scalar,
        at offset: Int,
        _ out: inout JSONConversion
    ) {
        let text = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
        let anchor = YAMLEvents.string(scalar.anchor)
        if isKey {
            out.mark(offset)
            let start = out.writer.nextOffset
            out.writer.key(text)
            // The range without the colon.
            if let anchor { remember(anchor, start..<max(start, out.writer.count - 1)) }
            return finishValue()
        }
        let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
        let tag = YAMLTag(YAMLEvents.string(scalar.tag), isPlain: isPlain)
        out.mark(offset)
        if let name = tag.shownName { beginTagObject(name, &out) }
        let start = out.writer.nextOffset
        if let token = tag.token(for: text) ?? tag.integer(text) {
            out.writer.token(token)
        } else if tag.isNumber(text) {
            out.writer.token(text)
        } else {
            out.writer.string(text)
        }
        remember(anchor, from: start, out)
        if tag.shownName != nil { out.writer.endObject() }
        finishValue()
    }

    private mutating func takeAlias(_ name: String, at offset: Int, _ out: inout JSONConversion) {
        let isKey = isKey
        out.mark(offset)
        let start = out.writer.nextOffset
        switch anchors[name] {
        case .written(let range): out.writer.repeatToken(range)
        case .inKey(let range):
            keyValues.withUnsafeBufferPointer {
                out.writer.token(UnsafeBufferPointer(rebasing: $0[range]))
            }
        case nil:
            out.fault(.unknownAlias(name), at: offset)
            if isKey { out.writer.key("*" + name) } else { out.writer.string("*" + name) }
            return finishValue()
        }
        if isKey { turnIntoKey(from: start, at: offset, &out) }
        finishValue()
    }

    private mutating func begin(
        isMapping: Bool,
        tag: UnsafePointer<UInt8>?,
        anchor: UnsafePointer<UInt8>?,
        at offset: Int,
        _ out: inout JSONConversion
    ) {
        let name = YAMLTag(YAMLEvents.string(tag), isPlain: false).shownName
        out.mark(offset)
        let outside = out.writer.nextOffset
        if let name { beginTagObject(name, &out) }
        let isKey = isKey
        let start = out.writer.nextOffset
        if isMapping { out.writer.beginObject() } else { out.writer.beginArray() }
        stack.append(
            Frame(
                isMapping: isMapping,
                wantsKey: isMapping,
                hasTagObject: name != nil,
                start: isKey ? outside : start,
                valueStart: start,
                anchor: YAMLEvents.string(anchor),
                isKey: isKey
            )
        )
    }

    private mutating func end(at offset: Int, _ out: inout JSONConversion) {
        guard let frame = stack.popLast() else { return }
        if frame.isMapping { out.writer.endObject() } else { out.writer.endArray() }
        remember(frame.anchor, from: frame.valueStart, out)
        if frame.hasTagObject { out.writer.endObject() }
        if frame.isKey { turnIntoKey(from: frame.start, at: offset, &out) }
        finishValue()
    }

    // MARK: - Parts

    /// Whether the next value is a key.
    private var isKey: Bool { stack.last.map { $0.isMapping && $0.wantsKey } ?? false }

    private mutating func finishValue() {
        guard let last = stack.indices.last, stack[last].isMapping else { return }
        stack[last].wantsKey.toggle()
    }

    private func beginTagObject(_ name: String, _ out: inout JSONConversion) {
        out.writer.beginObject()
        out.writer.key(name)
    }

    private mutating func remember(
        _ anchor: String?,
        from start: Int,
        _ out: borrowing JSONConversion
    ) {
        guard let anchor, !out.writer.isFull else { return }
        remember(anchor, start..<out.writer.count)
    }

    private mutating func remember(_ anchor: String, _ range: Range<Int>) {
        anchors[anchor] = .written(range)
        anchored.append((anchor, range.upperBound))
    }

    /// Keeps the values of the anchors inside `json`, which was written at `start` and becomes a key.
    private mutating func keepAnchors(of json: [UInt8], from start: Int) {
        var isKept = false
        let base = keyValues.count - start
        while let last = anchored.last, last.end > start {
            anchored.removeLast()
            guard case .written(let range)? = anchors[last.name], range.upperBound == last.end
            else { continue }
            guard json.count <= Self.longestKey else {
                anchors[last.name] = nil
                continue
            }
            anchors[last.name] = .inKey(base + range.lowerBound..<base + range.upperBound)
            isKept = true
        }
        if isKept { keyValues += json }
    }

    /// Turns a value that is not text into a key: the text of its JSON, or "?" if that is too long.
    private mutating func turnIntoKey(
        from start: Int,
        at offset: Int,
        _ out: inout JSONConversion
    ) {
        guard !out.writer.isFull else { return }
        let json = out.writer.takeBack(from: start)
        keepAnchors(of: json, from: start)
        guard json.count <= Self.longestKey else {
            out.fault(.tooLarge, at: offset)
            return out.writer.key("?")
        }
        json.withUnsafeBufferPointer { json in
            if json.first == 0x22 {
                out.writer.token(json)
                out.writer.endKey()
            } else {
                out.writer.key(json)
            }
        }
    }

    private mutating func fail(_ fault: YAMLError, _ out: inout JSONConversion) {
        switch fault.kind {
        case .memory: out.fault(.outOfMemory, at: 0)
        case .cancelled: out.cancel()
        case .tookTooLong: out.fault(.takesTooLong(.yaml), at: 0)
        case .bytes(let offset, _): out.fault(.broken(.yaml, fault.problem), at: out.start + offset)
        case .syntax, .secondDocument, .tooManyValues:
            out.fault(.broken(.yaml, fault.problem), at: positions.offset(of: fault.place.index))
        }
    }
}

/// Converts libyaml's marks, which count characters, to byte offsets.
///
/// Marks arrive mostly in order, so each search starts at the last one and steps back if necessary.
struct YAMLPositions {
    private let text: DocumentBytes
    private let start: Int
    private var offset: Int
    private var index = 0

    init(_ text: DocumentBytes, from start: Int) {
        self.text = text
        self.start = start
        offset = start
    }

    /// The byte offset of a mark, given as the number of characters before it.
    mutating func offset(of target: Int) -> Int {
        if target < index {
            stepBack(to: target)
        } else {
            stepForward(to: target)
        }
        return offset
    }

    private mutating func stepForward(to target: Int) {
        while index < target && offset < text.count {
            offset += 1
            while offset < text.count && text.base[offset] & 0xC0 == 0x80 { offset += 1 }
            index += 1
        }
    }

    private mutating func stepBack(to target: Int) {
        while index > target && offset > start {
            offset -= 1
            while offset > start && text.base[offset] & 0xC0 == 0x80 { offset -= 1 }
            index -= 1
        }
    }
}
