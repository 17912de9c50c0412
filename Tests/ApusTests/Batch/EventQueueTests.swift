import Testing

@testable import Apus

@Suite("Events on their way to their reader")
struct EventQueueTests {
    private typealias Queue = EventQueue<String, Int>

    private func texts(_ events: inout Queue.Events) -> [String] {
        var texts: [String] = []
        while let text = events.popFirst() { texts.append(text) }
        return texts
    }

    @Test("all that wait are taken at once, in order, and of one key the newest")
    func taking() async {
        let queue = Queue()
        queue.send("a")
        queue.send("1 of 7", .newest(7))
        queue.send("1 of 8", .newest(8))
        queue.send("b")
        queue.send("2 of 7", .newest(7))
        var events = Queue.Events()
        await queue.receive(into: &events)
        #expect(texts(&events) == ["a", "2 of 7", "1 of 8", "b"])
        // What was taken gives way to nothing any more.
        queue.send("3 of 7", .newest(7))
        await queue.receive(into: &events)
        #expect(texts(&events) == ["3 of 7"])
    }

    @Test("what is said between two of a key stays between them")
    func order() async {
        let queue = Queue()
        queue.send("1 of 7", .newest(7))
        queue.send("2 of 7", .newest(7))
        queue.send("7 is sent again", .after(7))
        queue.send("8 is sent", .after(8))
        queue.send("3 of 7", .newest(7))
        queue.send("4 of 7", .newest(7))
        var events = Queue.Events()
        await queue.receive(into: &events)
        #expect(events.popFirst() == "2 of 7")
        #expect(texts(&events) == ["7 is sent again", "8 is sent", "4 of 7"])
    }

    @Test("a reader that waits gets what is sent, and nothing after the end")
    func waiting() async {
        let queue = Queue()
        let reader = Task {
            var all: [String] = []
            var events = Queue.Events()
            while true {
                await queue.receive(into: &events)
                if events.isEmpty { return all }
                while let event = events.popFirst() { all.append(event) }
            }
        }
        for number in 0..<100 {
            queue.send("\(number)")
            await Task.yield()
        }
        queue.finish()
        #expect(await reader.value == (0..<100).map { "\($0)" })
    }
}
