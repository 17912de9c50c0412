internal import CGumbo
import Glibc

/// Reads HTML with gumbo, which is loaded on first use, to the tree that browsers make of it.
///
/// The HTML standard says what becomes of every text, so no HTML is broken. `html`, `head` and `body` are always
/// there, and elements that a table or a paragraph cannot hold stand where the standard puts them.
final class HTMLReader {
    /// The longest text that is read: an item's offset has 32 bits.
    private static let longestText = 1 << 30

    private var tree: MarkupTree
    private let start: Int
    private let length: Int
    private let budget: CPUTimeBudget

    static func read(_ out: inout JSONConversion, _ timeLimit: Duration?) {
        let count = out.text.count - out.start
        guard count <= Self.longestText else { return out.fault(.textTooLong(.html), at: 0) }
        var length = count
        while true {
            let reader = HTMLReader(out, length: length, timeLimit)
            guard let kind = reader.run(out.text) else {
                reader.write(&out)
                return
            }
            if kind == .cancelled { return out.cancel() }
            if length == count { out.fault(kind, at: out.start) }
            // What gumbo has read until then is lost, so only the beginning of the text is read.
            length /= 4
            guard length > 0, kind == .tooLarge || kind == .takesTooLong(.html) else { return }
        }
    }

    private init(_ out: borrowing JSONConversion, length: Int, _ timeLimit: Duration?) {
        self.length = length
        start = out.start
        budget = CPUTimeBudget(ofText: length, limit: timeLimit, isCancellable: !out.isCut)
        tree = MarkupTree(expected: length)
    }

    /// Reads the text into the tree; returns why that ended early, nil if it did not.
    private func run(_ text: DocumentBytes) -> FormattingError.Kind? {
        // Used only by callbacks, which end with these calls.
        let context = Unmanaged.passUnretained(self).toOpaque()
        var page: OpaquePointer?
        let result = cgumbo_read(
            text.base + start,
            length,
            TreeMemoryLimit.standard.size(ofText: length),
            { context, time in
                HTMLReader.at(context).budget.isOver(after: .nanoseconds(time)) ? 1 : 0
            },
            context,
            &page
        )
        guard let page else { return problem(result) }
        defer { cgumbo_free(page) }
        var handler = Self.handler
        guard cgumbo_walk(page, &handler, context) == CGUMBO_READ else { return .outOfMemory }
        return budget.end == .cancelled ? .cancelled : nil
    }

    private func problem(_ result: Int32) -> FormattingError.Kind {
        switch Int(result) {
        case CGUMBO_NO_LIBRARY:
            .missingLibrary(cgumbo_reason().map { String(cString: $0) } ?? "")
        case CGUMBO_TOO_LARGE: .tooLarge
        case CGUMBO_ENDED: budget.end == .cancelled ? .cancelled : .takesTooLong(.html)
        default: .outOfMemory
        }
    }

    private func write(_ out: inout JSONConversion) {
        tree.finish()
        MarkupWriter(tree, isHTML: true).write(&out)
    }

    // MARK: - Callbacks of the walk

    /// The callbacks; their context is the reader, which stays alive during `run`.
    private static var handler: cgumbo_handler {
        cgumbo_handler(
            begin_element: { context, name, offset in
                let reader = HTMLReader.at(context)
                reader.tree.beginElement(
                    HTMLReader.buffer(name),
                    offset: Int(offset) + reader.start
                )
            },
            attribute: { context, name, value in
                HTMLReader.at(context).add(name, value)
            },
            end_element: { HTMLReader.at($0).tree.endElement() },
            text: { context, text in
                HTMLReader.at(context).tree.addText(HTMLReader.buffer(text))
            },
            comment: { context, text, offset in
                let reader = HTMLReader.at(context)
                reader.add("comment", prefix: 0x23, text, offset: Int(offset) + reader.start)
            },
            doctype: { context, name in
                let reader = HTMLReader.at(context)
                reader.add("DOCTYPE", prefix: 0x21, name, offset: reader.start)
            },
            is_cancelled: { HTMLReader.at($0).budget.isCancelled() ? 1 : 0 }
        )
    }

    private static func at(_ context: UnsafeMutableRawPointer) -> HTMLReader {
        Unmanaged<HTMLReader>.fromOpaque(context).takeUnretainedValue()
    }

    private static func buffer(_ text: UnsafePointer<CChar>) -> UnsafeBufferPointer<UInt8> {
        let bytes = UnsafeRawBufferPointer(start: text, count: strlen(text))
        return bytes.assumingMemoryBound(to: UInt8.self)
    }

    private func add(_ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>?) {
        tree.add(
            value == nil ? .emptyAttribute : .attribute,
            Self.buffer(name),
            prefix: 0x40,
            value.map(Self.buffer) ?? UnsafeBufferPointer(start: nil, count: 0),
            offset: tree.items.last.map { Int($0.place) } ?? start
        )
    }

    private func add(
        _ name: StaticString,
        prefix: UInt8,
        _ text: UnsafePointer<CChar>,
        offset: Int
    ) {
        let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        tree.add(.other, name, prefix: prefix, Self.buffer(text), offset: offset)
    }
}
