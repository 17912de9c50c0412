/// Something that happened in a recorded exchange, and when.
package struct RecordedEvent: Sendable, Hashable, Codable {
    /// What, as the engine names it: "lookedUp", "willSend", "response", "storage".
    package var name: String
    /// How long after the start of the exchange.
    package var offset: Duration
    /// More about it, for people.
    package var detail: String

    /// Makes an event.
    package init(_ name: String, at offset: Duration, detail: String = "") {
        self.name = name
        self.offset = offset
        self.detail = detail
    }
}
