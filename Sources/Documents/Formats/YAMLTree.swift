internal import CYaml

/// The events of a YAML text, one by one, as libyaml finds them.
///
/// `CYaml` is a target of Yams that is no product of it. Yams itself is not used: it refuses equal
/// keys, recurses, loses what came before a fault, and compares the nodes of aliases of aliases for
/// longer than anybody waits. libyaml nests at most 1000 deep.
struct YAMLEvents: ~Copyable {
    /// What libyaml is given, piece by piece: it takes quadratic time for `%TAG` lines and tells of
    /// nothing meanwhile; what it is not given any more, it cannot be slow about.
    private final class Input {
        private static let longestPiece = 4096

        let budget: ReadingBudget
        private let text: UnsafeBufferPointer<UInt8>
        private var given = 0

        init(_ text: UnsafeBufferPointer<UInt8>, _ budget: ReadingBudget) {
            self.text = text
            self.budget = budget
        }

        /// The next piece's length; nil if there is to be none.
        func give(_ room: UnsafeMutableBufferPointer<UInt8>) -> Int? {
            guard !budget.isOver() else { return nil }
            let end = min(text.count, given + min(room.count, Self.longestPiece))
            let piece = UnsafeBufferPointer(rebasing: text[given..<end])
            given = end
            _ = room.update(fromContentsOf: piece)
            return piece.count
        }
    }

    // Not a member: libyaml keeps the parser's own address.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: Input
    private let isReady: Bool

    /// The text must stay where it is for as long as events are read.
    init(_ text: UnsafePointer<UInt8>, count: Int, _ budget: ReadingBudget) {
        parser = .allocate(capacity: 1)
        input = Input(UnsafeBufferPointer(start: text, count: count), budget)
        isReady = yaml_parser_initialize(parser) == 1
        guard isReady else { return }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        // For the callbacks, which end before this does.
        let context = Unmanaged.passUnretained(input).toOpaque()
        yaml_parser_set_input(
            parser,
            { context, room, size, count in
                guard let context, let count else { return 0 }
                let input = Unmanaged<Input>.fromOpaque(context).takeUnretainedValue()
                let given = input.give(UnsafeMutableBufferPointer(start: room, count: size))
                count.pointee = given ?? 0
                return given == nil ? 0 : 1
            },
            context
        )
    }

    deinit {
        if isReady { yaml_parser_delete(parser) }
        parser.deallocate()
    }

    /// The next event, which the caller deletes; false for a fault.
    mutating func next(_ event: inout yaml_event_t) -> Bool {
        isReady && yaml_parser_parse(parser, &event) == 1
    }

    /// Why there is no next event.
    var fault: YAMLFault {
        switch input.budget.end {
        case .cancelled: return YAMLFault(.cancelled, "nobody waits for it", YAMLPlace())
        case .tookTooLong: return YAMLFault(.tookTooLong, "reading it takes too long", YAMLPlace())
        case nil: break
        }
        guard isReady, parser.pointee.error != YAML_MEMORY_ERROR else {
            return YAMLFault(.memory, "there is no memory for it", YAMLPlace())
        }
        // Advice for those who call libyaml helps nobody here.
        let words = Self.string(parser.pointee.problem)?.split(separator: ", set with").first
        let problem = words.map(String.init) ?? "this is not YAML"
        guard parser.pointee.error != YAML_READER_ERROR else {
            let offset = parser.pointee.problem_offset
            let value = Int(parser.pointee.problem_value)
            return YAMLFault(.bytes(offset: offset, value: value), problem, YAMLPlace())
        }
        var fault = YAMLFault(.syntax, problem, YAMLPlace(parser.pointee.problem_mark))
        fault.context = Self.string(parser.pointee.context)
        return fault
    }

    static func string(_ text: UnsafePointer<CChar>?) -> String? {
        text.map { String(cString: $0) }
    }

    static func string(_ text: UnsafePointer<UInt8>?) -> String? {
        text.map { String(cString: $0) }
    }
}

/// A place in a YAML text.
package struct YAMLPlace: Sendable, Hashable {
    /// From 1.
    package var line = 1
    /// From 1, in Unicode scalars.
    package var column = 1
    /// Unicode scalars before it.
    package var index = 0

    init() {}

    init(_ mark: yaml_mark_t) {
        line = Int(mark.line) + 1
        column = Int(mark.column) + 1
        index = Int(mark.index)
    }
}

/// Why a text is not read as YAML.
package struct YAMLFault: Error, Sendable, Hashable {
    /// What kind of fault it is.
    package enum Kind: Sendable, Hashable {
        /// The text is not YAML.
        case syntax
        /// It is not UTF-8, or has a character that may not be in it; negative if there is none.
        case bytes(offset: Int, value: Int)
        /// There is no memory for it.
        case memory
        /// There is a second document.
        case secondDocument
        /// It has more values than are wanted.
        case tooManyValues
        /// The task is cancelled.
        case cancelled
        /// It is made to be slow.
        case tookTooLong
    }

    /// What kind of fault it is.
    package let kind: Kind
    /// libyaml's words for it.
    package let problem: String
    /// What libyaml was reading; nil if it does not say.
    package internal(set) var context: String?
    /// Where it is; of wrong bytes, see the kind.
    package let place: YAMLPlace

    init(_ kind: Kind, _ problem: String, _ place: YAMLPlace) {
        self.kind = kind
        self.problem = problem
        self.place = place
    }
}

/// A value of a YAML text, with its place.
///
/// Equal keys stay, in their order. An alias is the value that it stands for, which is shared and
/// not copied: what goes through all values goes through it at each of its uses.
package struct YAMLValue: Sendable {
    /// How a text is written.
    package enum Style: Sendable { case plain, quoted, block }

    /// What it is.
    package enum Content: Sendable {
        case scalar(String, Style)
        case sequence([YAMLValue])
        case mapping([(key: YAMLValue, value: YAMLValue)])
        /// An alias whose anchor is not before it.
        case unknown
    }

    /// What stands for a value elsewhere: `*name`.
    package struct Alias: Sendable {
        package let name: String
        package let place: YAMLPlace
        package let end: YAMLPlace
    }

    /// What it is.
    package let content: Content
    /// Its tag as it is resolved; empty if it has none.
    package let tag: String
    /// Where it begins, with its anchor and its tag.
    package let place: YAMLPlace
    /// Where it ends; of a block, where something follows it.
    package let end: YAMLPlace
    /// Its anchor's name; nil if it has none.
    package internal(set) var anchor: String?
    /// Whether it is a list or a mapping in brackets.
    package internal(set) var isFlow = false
    /// The alias that stands for it here; nil where it is written itself.
    package internal(set) var alias: Alias?

    /// The text of a scalar.
    package var text: String? { if case .scalar(let text, _) = content { text } else { nil } }

    /// The one document of a text; nil if there is nothing in it.
    package static func parse(
        _ text: String,
        maximumValues: Int = .max,
        timeLimit: Duration? = nil
    ) throws(YAMLFault) -> YAMLValue? {
        var builder = YAMLValueBuilder(maximumValues: maximumValues)
        // One more, so that there is an address when the text is empty.
        let bytes = Array(text.utf8) + [0]
        return try bytes.withUnsafeBufferPointer { bytes throws(YAMLFault) in
            guard let base = bytes.baseAddress else { return nil }
            let count = bytes.count - 1
            let budget = ReadingBudget(ofText: count, limit: timeLimit, isCancellable: false)
            var events = YAMLEvents(base, count: count, budget)
            return try builder.build(&events)
        }
    }
}

/// Events to values, on a stack of its own.
private struct YAMLValueBuilder {
    private struct Frame {
        let isMapping: Bool
        let isFlow: Bool
        let tag: String
        let anchor: String?
        let place: YAMLPlace
        /// The elements, or keys and values in turn.
        var values: [YAMLValue] = []
        /// How deep the deepest of them is.
        var depth = 0
    }

    /// Aliases of aliases can be as deep as the text is long, and releasing a value recurses.
    private static let maximumDepth = 1000
    private static let longestTag = 256

    let maximumValues: Int
    private var stack: [Frame] = []
    private var anchors: [String: (value: YAMLValue, depth: Int)] = [:]
    private var root: YAMLValue?
    private var count = 0
    private var documents = 0

    init(maximumValues: Int) { self.maximumValues = maximumValues }

    mutating func build(_ events: inout YAMLEvents) throws(YAMLFault) -> YAMLValue? {
        while true {
            var event = yaml_event_t()
            guard events.next(&event) else { throw events.fault }
            defer { yaml_event_delete(&event) }
            if event.type == YAML_STREAM_END_EVENT { return root }
            try take(event)
        }
    }

    private mutating func take(_ event: yaml_event_t) throws(YAMLFault) {
        let place = YAMLPlace(event.start_mark)
        switch event.type {
        case YAML_DOCUMENT_START_EVENT:
            documents += 1
            guard documents == 1 else {
                throw YAMLFault(.secondDocument, "there is another document", place)
            }
        case YAML_SCALAR_EVENT:
            let data = event.data.scalar
            let bytes = UnsafeBufferPointer(start: data.value, count: data.length)
            let value = YAMLValue(
                content: .scalar(String(decoding: bytes, as: UTF8.self), Self.style(data.style)),
                tag: try Self.tag(data.tag, place),
                place: place,
                end: YAMLPlace(event.end_mark)
            )
            try add(value, depth: 1, anchor: YAMLEvents.string(data.anchor))
        case YAML_ALIAS_EVENT:
            let name = YAMLEvents.string(event.data.alias.anchor) ?? ""
            let unknown = YAMLValue(
                content: .unknown,
                tag: "",
                place: place,
                end: YAMLPlace(event.end_mark)
            )
            var (value, depth) = anchors[name] ?? (unknown, 1)
            value.alias = YAMLValue.Alias(
                name: name,
                place: place,
                end: YAMLPlace(event.end_mark)
            )
            try add(value, depth: depth, anchor: nil)
        case YAML_SEQUENCE_START_EVENT:
            let data = event.data.sequence_start
            let isFlow = data.style == YAML_FLOW_SEQUENCE_STYLE
            try begin(isMapping: false, isFlow: isFlow, data.tag, data.anchor, place)
        case YAML_MAPPING_START_EVENT:
            let data = event.data.mapping_start
            let isFlow = data.style == YAML_FLOW_MAPPING_STYLE
            try begin(isMapping: true, isFlow: isFlow, data.tag, data.anchor, place)
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: try end(YAMLPlace(event.end_mark))
        default: break
        }
    }

    private mutating func begin(
        isMapping: Bool,
        isFlow: Bool,
        _ tag: UnsafePointer<UInt8>?,
        _ anchor: UnsafePointer<UInt8>?,
        _ place: YAMLPlace
    ) throws(YAMLFault) {
        let (tag, anchor) = (try Self.tag(tag, place), YAMLEvents.string(anchor))
        stack.append(
            Frame(isMapping: isMapping, isFlow: isFlow, tag: tag, anchor: anchor, place: place)
        )
    }

    private mutating func end(_ place: YAMLPlace) throws(YAMLFault) {
        guard let frame = stack.popLast() else { return }
        let values = frame.values
        let content: YAMLValue.Content =
            frame.isMapping
            ? .mapping(
                stride(from: 0, to: values.count - 1, by: 2).map { (values[$0], values[$0 + 1]) }
            ) : .sequence(values)
        try add(
            YAMLValue(
                content: content,
                tag: frame.tag,
                place: frame.place,
                end: place,
                isFlow: frame.isFlow
            ),
            depth: frame.depth + 1,
            anchor: frame.anchor
        )
    }

    private mutating func add(
        _ value: YAMLValue,
        depth: Int,
        anchor: String?
    ) throws(YAMLFault) {
        count += 1
        guard count <= maximumValues else {
            throw YAMLFault(.tooManyValues, "there are too many values", value.place)
        }
        guard depth <= Self.maximumDepth else {
            throw YAMLFault(.syntax, "Maximum nesting level reached", value.place)
        }
        var value = value
        value.anchor = value.alias == nil ? anchor : nil
        if let anchor { anchors[anchor] = (value, depth) }
        guard let last = stack.indices.last else {
            root = value
            return
        }
        stack[last].values.append(value)
        stack[last].depth = max(stack[last].depth, depth)
    }

    /// A tag as it is resolved; `%TAG` makes a megabyte of three characters, as often as they stand
    /// there.
    private static func tag(
        _ tag: UnsafePointer<UInt8>?,
        _ place: YAMLPlace
    ) throws(YAMLFault) -> String {
        let tag = YAMLEvents.string(tag) ?? ""
        guard tag.utf8.count <= longestTag else {
            throw YAMLFault(.syntax, "found a tag of more than \(longestTag) bytes", place)
        }
        return tag
    }

    private static func style(_ style: yaml_scalar_style_t) -> YAMLValue.Style {
        switch style {
        case YAML_SINGLE_QUOTED_SCALAR_STYLE, YAML_DOUBLE_QUOTED_SCALAR_STYLE: .quoted
        case YAML_LITERAL_SCALAR_STYLE, YAML_FOLDED_SCALAR_STYLE: .block
        default: .plain
        }
    }
}
