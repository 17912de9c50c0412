import CNcurses
import Synchronization

/// The way in for what happens outside: background tasks put messages here, the session takes them.
///
/// From any thread, without blocking. Only the first message after the session looked wakes it, so
/// 200 000 messages cost a handful of wake-ups.
package final class Mailbox<Message: Sendable>: Sendable {
    private let messages = Mutex<[Message]>([])
    let wakeDescriptor: Int32

    /// Makes an empty mailbox.
    package init() {
        wakeDescriptor = cn_wake_make()
    }

    deinit {
        cn_close(wakeDescriptor)
    }

    /// Adds a message.
    package func send(_ message: Message) {
        send(contentsOf: CollectionOfOne(message))
    }

    /// Adds messages, which stay together and in order.
    package func send(contentsOf new: some Sequence<Message>) {
        let isFirst = messages.withLock { messages in
            let wasEmpty = messages.isEmpty
            messages.append(contentsOf: new)
            return wasEmpty && !messages.isEmpty
        }
        if isFirst { cn_wake(wakeDescriptor) }
    }

    /// Takes all messages, in the order in which they came.
    package func take() -> [Message] {
        messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}
