import HTTPTypes

extension HTTPCacheFlow {
    /// Gives the answer to a request to which libcurl adds cookies of a jar.
    ///
    /// For the rules the request has them, as `Vary: Cookie` is about what is sent (RFC 9111,
    /// 4.1); to the origin it goes without, lest libcurl send them twice.
    func hop(
        _ request: PreparedRequest,
        _ asking: HTTPAsking,
        with jar: CookieJar
    ) async throws(ApusError) -> Response {
        let own = request.head.headerFields[.cookie]
        var ruled = request
        ruled.head.headerFields[.cookie] = jar.field(for: request.head, beside: own)
        var flow = self
        flow.origin = Self.sending(own, to: origin)
        flow.originBehind = Self.sending(own, to: originBehind)
        var response = try await flow.ruledHop(ruled, asking)
        response.request = request
        return response
    }

    /// Sends a request with the caller's own cookies only.
    private static func sending(_ own: String?, to origin: @escaping Origin) -> Origin {
        { request throws(ApusError) in
            var sent = request
            sent.head.headerFields[.cookie] = own
            var response = try await origin(sent)
            // What nobody changed on the way is as the rules know it.
            if response.request.head.headerFields[.cookie] == own {
                response.request.head.headerFields[.cookie] = request.head.headerFields[.cookie]
            }
            return response
        }
    }
}
