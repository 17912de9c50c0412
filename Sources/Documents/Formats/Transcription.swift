/// One text being written as JSON: what a reader of a format reads from and writes to.
///
/// What is written stays open where a reader stops early, so that the tree marks it as incomplete.
struct Transcription: ~Copyable {
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
    consuming func finish() -> Transcript {
        if writer.isFull && !faults.contains(where: { $0.kind == .tooLarge }) {
            fault(.tooLarge, at: text.count)
        }
        let taken = writer.takeDocument()
        if taken == nil { fault(.outOfMemory, at: 0) }
        let json = taken ?? DocumentBytes([])
        return Transcript(
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
