/// A text of another format, converted to JSON.
struct ConvertedText: Sendable {
    let json: DocumentBytes
    let map: SourceMap
    let faults: [FormattingError]
    let isCancelled: Bool
    /// The memory limit for the tree of the JSON.
    let treeLimit: TreeMemoryLimit
}

extension ConvertedText {
    /// Converts a text on the calling thread; ends early if the task is cancelled.
    ///
    /// With `isCut` the text is the beginning of a longer one, and no faults are reported. `timeLimit` is the
    /// CPU time that a library may take.
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
        case .xml: XMLReader.read(&out, timeLimit)
        case .html: HTMLReader.read(&out, timeLimit)
        case .yaml: YAMLReader.read(&out, timeLimit)
        case .form, .query: FormReader.read(&out)
        case .csv(let delimiter, let hasHeader):
            CSVReader.read(&out, delimiter: delimiter, hasHeader: hasHeader)
        case .multipart(let boundary): MultipartReader.read(&out, boundary: boundary)
        }
        self = out.finish()
    }
}

/// A conversion to JSON in progress: the text that a format's reader reads and the JSON that it writes.
///
/// If a reader stops early, containers stay open, so that the tree marks them as incomplete.
struct JSONConversion: ~Copyable {
    /// The JSON may be this many times as long as the text, plus `freeSize`; only aliases reach that.
    ///
    /// It may not take more than `memoryLimit` either.
    static let growth = 64
    static let freeSize = 16 << 20
    /// The number of faults that are kept.
    static let faultLimit = 100

    /// The text, in UTF-8 except for invalid bytes.
    let text: DocumentBytes
    /// Whether this is only the beginning of a text, so that its end is not a fault.
    let isCut: Bool
    /// The most bytes that the JSON, the map and what the reader holds may take together.
    private let memoryLimit: Int
    /// The JSON so far.
    var writer: JSONTokenWriter
    /// Where in the text each marked value of the JSON came from.
    private(set) var map = SourceMap()

    private(set) var faults: [(kind: FormattingError.Kind, offset: Int, position: TextPosition?)] =
        []
    private var steps = 0
    private(set) var isCancelled = false
    /// Whether the size limit ended the reading.
    private(set) var isFull = false

    // With a `Duration?` in this struct too, optimized code of Swift 6.2 frees memory that the writer never
    // had: `make fuzz FUZZ=yaml` shows it at once.
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

    /// The bytes of the text; valid as long as the text lives.
    var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: text.base, count: text.count)
    }

    /// The offset after a byte order mark; 0 if there is none.
    var start: Int {
        let base = text.base
        let hasMark = text.count >= 3 && base[0] == 0xEF && base[1] == 0xBB && base[2] == 0xBF
        return hasMark ? 3 : 0
    }

    func slice(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[range])
    }

    /// Records the offset of the value that is written next.
    mutating func mark(_ offset: Int) { map.mark(output: writer.nextOffset, input: offset) }

    /// Records a fault, with its line and column if the library counted them.
    mutating func fault(
        _ kind: FormattingError.Kind,
        at offset: Int,
        _ position: TextPosition? = nil
    ) {
        guard faults.count < Self.faultLimit else { return }
        faults.append((kind, min(max(0, offset), text.count), position))
    }

    /// Whether to stop; call it for every row, event or element.
    ///
    /// Checks for cancellation at every 256th call. `held` is the number of bytes that the reader keeps
    /// besides the JSON; they count toward the limit too.
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

    /// Records that a library stopped because the task was cancelled.
    mutating func cancel() { isCancelled = true }

    /// Ends the conversion.
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
            // What the JSON leaves of the limit, but at least a quarter.
            treeLimit: TreeMemoryLimit(
                base: max(memoryLimit - json.count, memoryLimit / 4),
                perTextByte: 0
            )
        )
    }

    private func positioned() -> [FormattingError] {
        faults.map { fault in
            let position = fault.position ?? text.position(of: fault.offset)
            return FormattingError(fault.kind, at: fault.offset, position)
        }
    }
}

/// Maps values of a tree to their offsets in the text that its JSON was made from.
///
/// Holds one pair of offsets for each marked value, in the order of the JSON. A lookup finds the last
/// mark at or before a value. A mark takes eight bytes; offsets beyond 4 GiB are not recorded.
struct SourceMap: Sendable {
    private var outputs: [UInt32] = []
    private var inputs: [UInt32] = []

    /// The size in bytes.
    var size: Int { (outputs.count + inputs.count) * MemoryLayout<UInt32>.size }

    /// Records that the value written at `output` was read at `input`.
    mutating func mark(output: Int, input: Int) {
        guard let output = UInt32(exactly: output), let input = UInt32(exactly: input) else {
            return
        }
        outputs.append(output)
        inputs.append(input)
    }

    /// The offset in the text of the value at an offset of the JSON, in O(log n); nil if unknown.
    func input(ofOutput output: Int) -> Int? {
        let next = outputs.indices.partitionPoint { Int(outputs[$0]) <= output }
        return next > 0 ? Int(inputs[next - 1]) : nil
    }
}

/// Text in another format that may itself be JSON.
enum NestedJSON {
    /// Writes a text unchanged if it is JSON, else as a string.
    static func write(_ text: UnsafeBufferPointer<UInt8>, _ writer: inout JSONTokenWriter) {
        let json = trimmed(text)
        if isJSON(json) { writer.token(json) } else { writer.string(text) }
    }

    /// Whether a text without surrounding white space is one JSON value.
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
