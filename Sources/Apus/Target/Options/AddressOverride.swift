/// An address to connect to instead of a URL's host.
///
/// It holds for one request only: unlike curl's `--resolve`, nothing of it stays
/// in the transport's memory of names.
public struct AddressOverride: Sendable, Hashable {
    /// The host of the URL that it concerns; empty for every host.
    public var host: String
    /// The port of the URL that it concerns; nil for every port.
    public var port: Int?
    /// The address or name to connect to.
    public var address: String
    /// The port to connect to; nil for the URL's.
    public var toPort: Int?

    /// Makes an override.
    public init(host: String, port: Int? = nil, address: String, toPort: Int? = nil) {
        self.host = host
        self.port = port
        self.address = address
        self.toPort = toPort
    }
}
