internal import CYAML

/// The events of a YAML text, one by one, as libyaml finds them.
///
/// libyaml's events rather than its documents: those are built whole before anyone can see them, and
/// are lost with everything before a fault.
struct YAMLEvents: ~Copyable {
    /// Feeds the text to libyaml piece by piece: it takes quadratic time for `%TAG` lines and makes no
    /// callback meanwhile, so it can be stopped only by giving it no more text.
    private final class Input {
        private static let longestPiece = 4096

        let budget: CPUTimeBudget
        private let text: UnsafeBufferPointer<UInt8>
        private var given = 0

        init(_ text: UnsafeBufferPointer<UInt8>, _ budget: CPUTimeBudget) {
            self.text = text
            self.budget = budget
        }

        /// Copies the next piece to `room` and returns its length; nil if the time is over or the task cancelled.
        func give(_ room: UnsafeMutableBufferPointer<UInt8>) -> Int? {
            guard !budget.isOver() else { return nil }
            let end = min(text.count, given + min(room.count, Self.longestPiece))
            let piece = UnsafeBufferPointer(rebasing: text[given..<end])
            given = end
            _ = room.update(fromContentsOf: piece)
            return piece.count
        }
    }

    /// The deepest level that is read: libyaml takes quadratic time for more, 70 s for 100,000 brackets.
    private static let deepestLevel = 1000

    // Allocated rather than a member, because libyaml keeps the parser's address.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let input: Input
    private let isReady: Bool
    private var level = 0
    /// Where the first container below the deepest level starts; nil if none does.
    private var tooDeepPlace: YAMLPlace?

    /// The text must stay at its address as long as events are read.
    init(_ text: UnsafePointer<UInt8>, count: Int, _ budget: CPUTimeBudget) {
        parser = .allocate(capacity: 1)
        input = Input(UnsafeBufferPointer(start: text, count: count), budget)
        isReady = yaml_parser_initialize(parser) == 1
        guard isReady else { return }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        // Used only by the callback, which is not called after this is destroyed.
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

    /// Reads the next event, which the caller must delete; false on a fault.
    mutating func next(_ event: inout yaml_event_t) -> Bool {
        guard isReady, tooDeepPlace == nil, yaml_parser_parse(parser, &event) == 1 else {
            return false
        }
        switch event.type {
        case YAML_SEQUENCE_START_EVENT, YAML_MAPPING_START_EVENT: level += 1
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: level -= 1
        default: break
        }
        guard level > Self.deepestLevel else { return true }
        tooDeepPlace = YAMLPlace(event.start_mark)
        yaml_event_delete(&event)
        return false
    }

    /// Why the last `next` failed.
    var fault: YAMLError {
        switch input.budget.end {
        case .cancelled: return YAMLError(.cancelled, "reading was cancelled", YAMLPlace())
        case .tookTooLong: return YAMLError(.tookTooLong, "reading it takes too long", YAMLPlace())
        case nil: break
        }
        if let tooDeepPlace {
            return YAMLError(.syntax, "Maximum nesting level reached", tooDeepPlace)
        }
        guard isReady, parser.pointee.error != YAML_MEMORY_ERROR else {
            return YAMLError(.memory, "not enough memory", YAMLPlace())
        }
        let problem = Self.string(parser.pointee.problem) ?? "this is not YAML"
        guard parser.pointee.error != YAML_READER_ERROR else {
            let offset = parser.pointee.problem_offset
            let value = Int(parser.pointee.problem_value)
            return YAMLError(.bytes(offset: offset, value: value), problem, YAMLPlace())
        }
        var fault = YAMLError(.syntax, problem, YAMLPlace(parser.pointee.problem_mark))
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

/// A position in a YAML text.
package struct YAMLPlace: Sendable, Hashable {
    /// The line, from 1.
    package var line = 1
    /// From 1, in Unicode scalars.
    package var column = 1
    /// The number of Unicode scalars before it.
    package var index = 0

    init() {}

    init(_ mark: yaml_mark_t) {
        line = Int(mark.line) + 1
        column = Int(mark.column) + 1
        index = Int(mark.index)
    }
}

/// Why a YAML text could not be read.
package struct YAMLError: Error, Sendable, Hashable {
    /// What can be wrong with a YAML text, or stop its reading.
    package enum Kind: Sendable, Hashable {
        /// The text is not YAML.
        case syntax
        /// The text is not UTF-8, or `value` is a character that is not allowed; `value` is -1 if there is none.
        case bytes(offset: Int, value: Int)
        /// Memory ran out.
        case memory
        /// A second document follows.
        case secondDocument
        /// The text has more values than the limit.
        case tooManyValues
        /// The task was cancelled.
        case cancelled
        /// Reading took longer than the limit, because the text is made to be slow.
        case tookTooLong
    }

    /// What is wrong with the text, or stopped its reading.
    package let kind: Kind
    /// The description, mostly libyaml's.
    package let problem: String
    /// What libyaml was reading; nil if it does not say.
    package internal(set) var context: String?
    /// Where the fault is; for `bytes`, see the kind instead.
    package let place: YAMLPlace

    init(_ kind: Kind, _ problem: String, _ place: YAMLPlace) {
        self.kind = kind
        self.problem = problem
        self.place = place
    }
}
