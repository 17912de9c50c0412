import HTTPTypes

extension HTTPCacheRules {
    /// The ids of the stored responses that a newer whole answer to `request` takes the place
    /// of: those that the request could have got, and those that no request can get.
    func superseded(by request: HTTPRequest, among stored: [StoredHead]) -> [Int] {
        stored.filter { head in
            let vary = Vary(head.fields)
            return vary == .everything || vary.matches(request.headerFields, head.selecting)
        }.map(\.id)
    }
}
