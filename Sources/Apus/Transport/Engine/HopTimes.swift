import CCurl

/// When the phases of a transfer ended, in microseconds, as libcurl counts them: summed over all hops.
struct HopTimes {
    var nameLookup = 0
    var connect = 0
    var secureConnect = 0
    var preTransfer = 0
    var firstByte = 0
    var newConnections = 0

    init() {}

    init(_ handle: CurlHandle) {
        nameLookup = handle.offset(CURLINFO_NAMELOOKUP_TIME_T)
        connect = handle.offset(CURLINFO_CONNECT_TIME_T)
        secureConnect = handle.offset(CURLINFO_APPCONNECT_TIME_T)
        preTransfer = handle.offset(CURLINFO_PRETRANSFER_TIME_T)
        firstByte = handle.offset(CURLINFO_STARTTRANSFER_TIME_T)
        newConnections = handle.number(CURLINFO_NUM_CONNECTS)
    }

    /// The times of the last hop, given the sums of the hops before it.
    func since(_ earlier: HopTimes) -> HopTimes {
        var hop = self
        hop.nameLookup -= earlier.nameLookup
        hop.connect -= earlier.connect
        hop.secureConnect -= earlier.secureConnect
        hop.preTransfer -= earlier.preTransfer
        hop.firstByte -= earlier.firstByte
        hop.newConnections -= earlier.newConnections
        return hop
    }

    /// The phases in order; a phase that did not happen ends with the one before it.
    func phases(total: Int, redirects: Int) -> TransferMetrics.Phases {
        let connect = max(nameLookup, connect)
        let secure = max(connect, secureConnect)
        let sent = max(secure, preTransfer)
        // Without a response there is no first byte; the wait lasted to the end.
        let first = max(sent, firstByte > 0 ? firstByte : total - redirects)
        return .init(
            nameLookup: .microseconds(nameLookup),
            connect: .microseconds(connect),
            secureConnect: .microseconds(secure),
            preTransfer: .microseconds(sent),
            firstByte: .microseconds(first),
            total: .microseconds(max(total, first)),
            redirects: .microseconds(redirects)
        )
    }

    /// The phase that a timeout would interrupt now.
    var waitingFor: ApusError.TimeoutPhase {
        if preTransfer <= 0 { return .connecting }
        return firstByte <= 0 ? .waiting : .receiving
    }
}
