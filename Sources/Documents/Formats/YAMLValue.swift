internal import CYAML

/// A YAML value, with its position in the text.
///
/// Duplicate keys are kept, in order. An alias is the value of its anchor, shared and not copied, so
/// code that walks all values visits it once for each use.
package struct YAMLValue: Sendable {
    /// How a scalar is written.
    package enum Style: Sendable { case plain, quoted, block }

    /// The kinds of content.
    package enum Content: Sendable {
        case scalar(String, Style)
        case sequence([YAMLValue])
        case mapping([(key: YAMLValue, value: YAMLValue)])
        /// An alias without an anchor before it.
        case unknown
    }

    /// A reference to a value elsewhere: `*name`.
    package struct Alias: Sendable {
        package let name: String
        package let place: YAMLPlace
        package let end: YAMLPlace
    }

    /// The content of the value.
    package let content: Content
    /// The resolved tag; empty if there is none.
    package let tag: String
    /// Where the value begins, including its anchor and tag.
    package let place: YAMLPlace
    /// Where the value ends; for a block, where the next text begins.
    package let end: YAMLPlace
    /// The anchor's name; nil if there is none.
    package internal(set) var anchor: String?
    /// Whether this is a sequence or mapping in brackets or braces.
    package internal(set) var isFlow = false
    /// The alias that this value was reached by; nil if the value is written here.
    package internal(set) var alias: Alias?

    /// The text of a scalar.
    package var text: String? { if case .scalar(let text, _) = content { text } else { nil } }

    /// Parses a text with at most one document; nil if the text is empty.
    package static func parse(
        _ text: String,
        maximumValues: Int = .max,
        timeLimit: Duration? = nil
    ) throws(YAMLError) -> YAMLValue? {
        var builder = YAMLValueBuilder(maximumValues: maximumValues)
        // One extra byte, so that an empty text has an address too.
        let bytes = Array(text.utf8) + [0]
        return try bytes.withUnsafeBufferPointer { bytes throws(YAMLError) in
            guard let base = bytes.baseAddress else { return nil }
            let count = bytes.count - 1
            let budget = CPUTimeBudget(ofText: count, limit: timeLimit, isCancellable: false)
            var events = YAMLEvents(base, count: count, budget)
            return try builder.build(&events)
        }
    }
}

/// Builds values from events, with a stack instead of recursion.
private struct YAMLValueBuilder {
    private struct Frame {
        let isMapping: Bool
        let isFlow: Bool
        let tag: String
        let anchor: String?
        let place: YAMLPlace
        /// The elements, or keys and values in turn.
        var values: [YAMLValue] = []
        /// The depth of the deepest value in it.
        var depth = 0
    }

    /// Nested aliases can make the depth as large as the text is long, and releasing a value recurses.
    private static let maximumDepth = 1000
    private static let longestTag = 256

    let maximumValues: Int
    private var stack: [Frame] = []
    private var anchors: [String: (value: YAMLValue, depth: Int)] = [:]
    private var root: YAMLValue?
    private var count = 0
    private var documents = 0

    init(maximumValues: Int) { self.maximumValues = maximumValues }

    mutating func build(_ events: inout YAMLEvents) throws(YAMLError) -> YAMLValue? {
        while true {
            var event = yaml_event_t()
            guard events.next(&event) else { throw events.fault }
            defer { yaml_event_delete(&event) }
            if event.type == YAML_STREAM_END_EVENT { return root }
            try handle(event)
        }
    }

    private mutating func handle(_ event: yaml_event_t) throws(YAMLError) {
        let place = YAMLPlace(event.start_mark)
        switch event.type {
        case YAML_DOCUMENT_START_EVENT:
            documents += 1
            guard documents == 1 else {
                throw YAMLError(.secondDocument, "only one document is allowed", place)
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
    ) throws(YAMLError) {
        let (tag, anchor) = (try Self.tag(tag, place), YAMLEvents.string(anchor))
        stack.append(
            Frame(isMapping: isMapping, isFlow: isFlow, tag: tag, anchor: anchor, place: place)
        )
    }

    private mutating func end(_ place: YAMLPlace) throws(YAMLError) {
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
    ) throws(YAMLError) {
        count += 1
        guard count <= maximumValues else {
            throw YAMLError(.tooManyValues, "too many values", value.place)
        }
        guard depth <= Self.maximumDepth else {
            throw YAMLError(.syntax, "Maximum nesting level reached", value.place)
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

    /// The resolved tag, which is limited because `%TAG` can turn three characters into a megabyte at every
    /// use.
    private static func tag(
        _ tag: UnsafePointer<UInt8>?,
        _ place: YAMLPlace
    ) throws(YAMLError) -> String {
        let tag = YAMLEvents.string(tag) ?? ""
        guard tag.utf8.count <= longestTag else {
            throw YAMLError(.syntax, "found a tag of more than \(longestTag) bytes", place)
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
