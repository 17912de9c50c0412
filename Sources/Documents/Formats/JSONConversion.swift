/// A text of another format, written as JSON.
struct ConvertedText: Sendable {
    let json: DocumentBytes
    let map: SourceMap
    let faults: [FormatFault]
    let isCancelled: Bool
    /// What the tree of the JSON may take.
    let treeLimit: TreeMemoryLimit
}

extension ConvertedText {
    /// Reads a text, on the calling thread; it ends early when the task is cancelled.
    ///
    /// With `isCut` the text is the beginning of a longer one, and has no faults. `timeLimit` is what a
    /// library may take of the processor's time.
    init(
        _ text: DocumentBytes,
        as format: DocumentFormat,
        isCut: Bool = false,
        limit: Int? = nil,
        timeLimit: Duration? = nil
    ) {
        var out = JSONConversion(text, isCut: isCut, limit: limit)
        switch format {
        case .json, .jsonLines: out.writer.token(out.bytes)
        case .eventStream: EventStreamReader.read(&out)
        case .xml: MarkupReader.read(&out, isHTML: false, timeLimit)
        case .html: MarkupReader.read(&out, isHTML: true, timeLimit)
        case .yaml: YAMLReader.read(&out, timeLimit)
        case .form, .query: FormReader.read(&out)
        case .csv(let delimiter, let hasHeader):
            CSVReader.read(&out, delimiter: delimiter, hasHeader: hasHeader)
        case .multipart(let boundary): MultipartReader.read(&out, boundary: boundary)
        }
        self = out.finish()
    }
}

/// One text being written as JSON: what a reader of a format reads from and writes to.
///
/// What is written stays open where a reader stops early, so that the tree marks it as incomplete.
struct JSONConversion: ~Copyable {
    /// How many times the text the JSON may be, and what is free: only aliases reach it.
    ///
    /// Nor may it take more than the text's own tree might.
    static let growth = 64
    static let freeSize = 16 << 20
    /// How many faults are kept.
    static let faultLimit = 100

    /// The text, in UTF-8 as far as it is right.
    let text: DocumentBytes
    /// Whether it is only the beginning of a text, so that its end is no fault.
    let isCut: Bool
    /// What is made of the text may take so much memory.
    private let memoryLimit: Int
    /// The JSON so far.
    var writer: JSONTokenWriter
    /// Where what is written was.
    private(set) var map = SourceMap()

    private(set) var faults: [(kind: FormatFault.Kind, offset: Int, position: TextPosition?)] = []
    private var steps = 0
    private(set) var isCancelled = false
    /// Whether the reading was ended by the limit.
    private(set) var isFull = false

    // With a `Duration?` in the struct as well, Swift 6.2 frees memory that the writer never had when it
    // optimises: `make fuzz FUZZ=yaml` shows it at once.
    init(_ text: DocumentBytes, isCut: Bool = false, limit: Int? = nil) {
        self.text = text
        self.isCut = isCut
        let (product, overflow) = text.count.multipliedReportingOverflow(by: Self.growth)
        let largest = overflow ? Int.max / 2 : min(product, Int.max / 2) + Self.freeSize
        memoryLimit = TreeMemoryLimit.standard.size(ofText: text.count)
        writer = JSONTokenWriter(
            limit: limit ?? min(largest, memoryLimit),
            expected: text.count + text.count / 4
        )
    }

    /// The bytes of the text; valid as long as the text.
    var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: text.base, count: text.count)
    }

    /// Where the text begins behind a byte order mark.
    var start: Int {
        let base = text.base
        let hasMark = text.count >= 3 && base[0] == 0xEF && base[1] == 0xBB && base[2] == 0xBF
        return hasMark ? 3 : 0
    }

    /// Some of the bytes.
    func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[range])
    }

    /// Notes where the next value was.
    mutating func mark(_ offset: Int) { map.mark(output: writer.nextOffset, input: offset) }

    /// Notes a fault, with its line and column when the library counted them.
    mutating func fault(_ kind: FormatFault.Kind, at offset: Int, _ position: TextPosition? = nil) {
        guard faults.count < Self.faultLimit else { return }
        faults.append((kind, min(max(0, offset), text.count), position))
    }

    /// Whether to stop; to be asked for every row, event or element.
    ///
    /// It looks at the task's cancellation every 256 times. `held` is what the reader keeps beside
    /// the JSON, in bytes: that counts too.
    mutating func shouldStop(at offset: Int, holding held: Int = 0) -> Bool {
        if isFull { return true }
        if writer.isFull || held > memoryLimit - writer.count - map.size {
            fault(.tooLarge, at: offset)
            isFull = true
            return true
        }
        steps &+= 1
        guard steps & 255 == 0, !isCut, Task.isCancelled else { return isCancelled }
        isCancelled = true
        return true
    }

    /// Notes that a library stopped because the task was cancelled.
    mutating func cancel() { isCancelled = true }

    /// Ends it.
    consuming func finish() -> ConvertedText {
        if writer.isFull && !faults.contains(where: { $0.kind == .tooLarge }) {
            fault(.tooLarge, at: text.count)
        }
        let taken = writer.takeDocument()
        if taken == nil { fault(.outOfMemory, at: 0) }
        let json = taken ?? DocumentBytes([])
        return ConvertedText(
            json: json,
            map: map,
            faults: isCut ? [] : positioned(),
            isCancelled: isCancelled,
            // What the JSON leaves of the limit, but a quarter at least.
            treeLimit: TreeMemoryLimit(
                base: max(memoryLimit - json.count, memoryLimit / 4),
                perTextByte: 0
            )
        )
    }

    private func positioned() -> [FormatFault] {
        faults.map { fault in
            let position = fault.position ?? text.position(of: fault.offset)
            return FormatFault(fault.kind, at: fault.offset, position)
        }
    }
}

/// Where values of a tree were in the text that its JSON was made from.
///
/// One pair of offsets for each value that was marked, in the order of the JSON: a lookup finds
/// the last mark at or before a value. Eight bytes a mark; what lies behind 4 GiB has none.
struct SourceMap: Sendable {
    private var outputs: [UInt32] = []
    private var inputs: [UInt32] = []

    /// What it takes, in bytes.
    var size: Int { (outputs.count + inputs.count) * MemoryLayout<UInt32>.size }

    /// Notes that what is written at `output` was read at `input`.
    mutating func mark(output: Int, input: Int) {
        guard let output = UInt32(exactly: output), let input = UInt32(exactly: input) else {
            return
        }
        outputs.append(output)
        inputs.append(input)
    }

    /// Where the value was that begins at a byte of the JSON; O(log n).
    func input(ofOutput output: Int) -> Int? {
        var low = 0
        var high = outputs.count
        while low < high {
            let middle = (low + high) / 2
            if Int(outputs[middle]) <= output { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? Int(inputs[low - 1]) : nil
    }
}

/// Text inside of another format that may be JSON.
enum NestedJSON {
    /// Writes a text as the JSON that it is, as it is written; else as a string.
    static func write(_ text: UnsafeBufferPointer<UInt8>, _ writer: inout JSONTokenWriter) {
        let json = trimmed(text)
        if isJSON(json) { writer.token(json) } else { writer.string(text) }
    }

    /// Whether a text without blanks around it is one JSON value.
    static func isJSON(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = text.first else { return false }
        switch first {
        case 0x7B, 0x5B, 0x22, 0x2D, 0x30...0x39, 0x74, 0x66, 0x6E:
            let document = Document.parse(DocumentBytes(copying: UnsafeRawBufferPointer(text)))
            return document.fault == nil
        default: return false
        }
    }

    static func trimmed(_ text: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
        guard let first = text.firstIndex(where: { !isBlank($0) }),
            let last = text.lastIndex(where: { !isBlank($0) })
        else { return UnsafeBufferPointer(start: nil, count: 0) }
        return UnsafeBufferPointer(rebasing: text[first...last])
    }
}
