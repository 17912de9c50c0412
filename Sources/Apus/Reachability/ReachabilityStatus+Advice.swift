extension ReachabilityStatus {
    /// Whether a request to this host may well get through: always to this machine
    /// itself, to others unless the machine seems to be offline.
    public func mayReach(_ host: String) -> Bool {
        self != .offline || Self.isLoopback(host)
    }

    /// What to set beside an error when the machine seems to be offline and that
    /// would explain it: "offline?"; nil otherwise.
    public func label(for error: ApusError) -> String? {
        let host: String? =
            switch error.reason {
            case .nameLookup(let host, _), .connect(let host, _, _): host
            case .timeout(.connecting, _): error.request?.host
            default: nil
            }
        guard let host, !mayReach(host) else { return nil }
        return "offline?"
    }

    /// `localhost`, the names under it (RFC 6761 section 6.3), 127.0.0.0/8 and ::1.
    private static func isLoopback(_ host: String) -> Bool {
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        if ["::1", "[::1]"].contains(name) { return true }
        let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy { UInt8($0) != nil }
    }
}

extension ApusError.RequestLine {
    /// The host of the URL.
    fileprivate var host: String? {
        guard let scheme = url.firstRange(of: "://") else { return nil }
        let authority = url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let place = authority.split(separator: "@").last ?? authority
        guard place.hasPrefix("[") else {
            return place.split(separator: ":").first.map(String.init)
        }
        return place.firstIndex(of: "]").map { String(place[...$0]) }
    }
}
