import Apus

extension CurlTransport.Configuration {
    /// For as many requests under way at once, all to one host if need be.
    static func forMany(
        atOnce count: Int,
        sendsOnlyGivenFields: Bool = false
    ) -> CurlTransport.Configuration {
        DescriptorLimit.raise(forConnections: count)
        return CurlTransport.Configuration(
            maximumConnections: count,
            connectionsPerHost: count,
            sendsOnlyGivenFields: sendsOnlyGivenFields
        )
    }
}
