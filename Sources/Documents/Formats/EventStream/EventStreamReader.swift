import Glibc

/// Reads server-sent events as the HTML standard does (9.2.6), as an array of events.
///
/// An event has `comment`, `event`, `id`, `retry`, other fields by their names, and `data`; those that
/// are not there are left out. Data that is JSON is nested as it is written. What browsers would drop,
/// such as an event without data and one that the text ends in, is shown.
enum EventStreamReader {
    static func read(_ out: inout Transcription) {
        var at = out.start
        let end = out.text.count
        var event = EventStreamEvent()
        out.writer.beginArray()
        while at < end {
            if out.shouldStop(at: at, holding: event.size) { return }
            let stop = lineEnd(out.text, from: at)
            if stop == at {
                event.write(&out)
                event = EventStreamEvent()
            } else {
                event.take(out.text, line: at..<stop)
            }
            let isCRLF =
                stop + 1 < end && out.text.base[stop] == 0x0D
                && out.text.base[stop + 1] == 0x0A
            at = stop + (isCRLF ? 2 : 1)
        }
        event.write(&out)
        out.writer.endArray()
    }

    /// The next CR or LF, or the end.
    private static func lineEnd(_ text: DocumentBytes, from start: Int) -> Int {
        let feed = memchr(text.base + start, 0x0A, text.count - start)
        let end = feed.map { UnsafeRawPointer($0) - UnsafeRawPointer(text.base) } ?? text.count
        let carriage = memchr(text.base + start, 0x0D, end - start)
        return carriage.map { UnsafeRawPointer($0) - UnsafeRawPointer(text.base) } ?? end
    }
}
