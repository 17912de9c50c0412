internal import CLibXML2
import Glibc

/// Reads XML with libxml2, which is loaded on first use.
///
/// Recovers from faults and reads on. External resources are never loaded, and no entities but the five
/// predefined ones are replaced.
final class XMLReader {
    private var tree: MarkupTree
    private let text: DocumentBytes
    private let start: Int
    private let budget: CPUTimeBudget
    private var steps = 0
    private var faults: [(kind: FormattingError.Kind, offset: Int, position: TextPosition?)] = []

    static func read(_ out: inout JSONConversion, _ timeLimit: Duration?) {
        let reader = XMLReader(out, timeLimit)
        let result = reader.run()
        switch Int(result) {
        case CLIBXML2_NO_LIBRARY:
            let reason = clibxml2_reason().map { String(cString: $0) } ?? ""
            out.fault(.missingLibrary(reason), at: 0)
        case CLIBXML2_NO_MEMORY: out.fault(.outOfMemory, at: 0)
        case CLIBXML2_TOO_LONG: out.fault(.textTooLong(.xml), at: 0)
        default:
            // Recorded first, because only a limited number of faults is kept.
            if reader.budget.end == .tookTooLong { out.fault(.takesTooLong(.xml), at: 0) }
            for fault in reader.faults { out.fault(fault.kind, at: fault.offset, fault.position) }
            if reader.budget.end == .cancelled { out.cancel() }
            reader.tree.finish()
            MarkupWriter(reader.tree, isHTML: false).write(&out)
        }
    }

    private init(_ out: borrowing JSONConversion, _ timeLimit: Duration?) {
        text = out.text
        start = out.start
        budget = CPUTimeBudget(
            ofText: text.count,
            limit: timeLimit,
            isCancellable: !out.isCut
        )
        tree = MarkupTree(expected: text.count)
    }

    private func run() -> Int32 {
        var handler = Self.handler
        // Used only by callbacks, which end with this call.
        let context = Unmanaged.passUnretained(self).toOpaque()
        return clibxml2_read(
            text.base + start,
            text.count - start,
            "UTF-8",
            &handler,
            context
        )
    }

    // MARK: - Callbacks of libxml2

    /// The callbacks; their context is the reader, which stays alive during `run`.
    private static var handler: clibxml2_handler {
        clibxml2_handler(
            start_element: { context, name, attributes, count, offset in
                XMLReader.at(context).begin(name, attributes, count, offset)
            },
            end_element: { XMLReader.at($0).tree.endElement() },
            text: { context, text, length in
                XMLReader.at(context).tree.addText(XMLReader.buffer(text, length))
            },
            entity: { context, name in
                let reference = "&" + String(cString: name) + ";"
                Array(reference.utf8).withUnsafeBufferPointer {
                    XMLReader.at(context).tree.addText($0)
                }
            },
            comment: { context, text, offset in
                XMLReader.at(context).add("comment", prefix: 0x23, text, offset)
            },
            instruction: { context, target, data, offset in
                XMLReader.at(context).add(target, prefix: 0x3F, data, offset)
            },
            doctype: { context, name in
                XMLReader.at(context).add("DOCTYPE", prefix: 0x21, name, 0)
            },
            fault: { context, message, line, column, offset in
                XMLReader.at(context).fault(message, line, column, offset)
            },
            is_cancelled: { XMLReader.at($0).isStopped(atPiece: $1 != 0) ? 1 : 0 }
        )
    }

    private static func at(_ context: UnsafeMutableRawPointer) -> XMLReader {
        Unmanaged<XMLReader>.fromOpaque(context).takeUnretainedValue()
    }

    private static func buffer(
        _ text: UnsafePointer<CChar>,
        _ length: Int
    ) -> UnsafeBufferPointer<UInt8> {
        let bytes = UnsafeRawBufferPointer(start: text, count: length)
        return bytes.assumingMemoryBound(to: UInt8.self)
    }

    private func begin(
        _ name: UnsafePointer<CChar>,
        _ attributes: UnsafePointer<UnsafePointer<CChar>?>?,
        _ count: Int,
        _ offset: UInt64
    ) {
        let place = tagStart(before: Int(offset) + start)
        tree.beginElement(Self.buffer(name, strlen(name)), offset: place)
        guard let attributes else { return }
        for index in 0..<count {
            guard let name = attributes[2 * index] else { continue }
            let value = attributes[2 * index + 1]
            let content = value.map { Self.buffer($0, strlen($0)) }
            tree.add(
                content == nil ? .emptyAttribute : .attribute,
                Self.buffer(name, strlen(name)),
                prefix: 0x40,
                content ?? UnsafeBufferPointer(start: nil, count: 0),
                offset: place
            )
        }
    }

    private func add(
        _ name: UnsafePointer<CChar>,
        prefix: UInt8,
        _ text: UnsafePointer<CChar>?,
        _ offset: UInt64
    ) {
        let content = text.map { Self.buffer($0, strlen($0)) }
        tree.add(
            .other,
            Self.buffer(name, strlen(name)),
            prefix: prefix,
            content ?? UnsafeBufferPointer(start: nil, count: 0),
            offset: tagStart(before: Int(offset) + start)
        )
    }

    /// The offset of the tag's `<`; libxml2 reports the offset of its end.
    private func tagStart(before offset: Int) -> Int {
        var at = min(offset, text.count) - 1
        let earliest = max(0, at - (4 << 10))
        while at > earliest && text.base[at] != 0x3C { at -= 1 }
        return at >= 0 && text.base[at] == 0x3C ? at : min(offset, text.count)
    }

    private func fault(
        _ message: UnsafePointer<CChar>,
        _ line: Int32,
        _ column: Int32,
        _ offset: UInt64
    ) {
        guard faults.count < JSONConversion.faultLimit else { return }
        let firstLine = String(cString: message).split(whereSeparator: \.isNewline).first ?? ""
        // In SAX mode libxml2 does not know the line of an element and reports 0.
        let words = firstLine.split(separator: " line 0").joined()
        let position =
            line > 0 ? TextPosition(line: Int(line), column: max(1, Int(column))) : nil
        faults.append((.broken(.xml, words), Int(offset) + start, position))
    }

    private func isStopped(atPiece: Bool) -> Bool {
        steps &+= 1
        return atPiece || steps & 15 == 0 ? budget.isOver() : budget.end != nil
    }
}
