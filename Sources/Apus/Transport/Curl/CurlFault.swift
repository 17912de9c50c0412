/// A call of libcurl that failed.
struct CurlFault: Error, Sendable, Hashable {
    /// libcurl's number; -1 if libcurl itself is missing.
    let code: Int
    /// What libcurl says about it.
    let detail: String

    /// libcurl, or a handle of it, cannot be had at all.
    static func notLoaded(_ what: String) -> CurlFault {
        CurlFault(code: -1, detail: "libcurl could not be loaded: \(what)")
    }

    /// The reason for an error that no request caused.
    var reason: ApusError.Reason {
        // "Not built in" and "unknown option".
        code == 4 || code == 48
            ? .invalidRequest(.unsupported(detail)) : .transport(code: code, detail: detail)
    }
}
