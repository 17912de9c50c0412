import CCurl

/// When the phases of a transfer ended, in microseconds, as libcurl counts them:
/// each phase summed over all hops.
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

    /// What the last hop took, given what the ones before it had taken.
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

    /// The phases in order: one that did not happen ends with the one before.
    func phases(total: Int, redirects: Int) -> TransferMetrics.Phases {
        let connect = max(nameLookup, connect)
        let secure = max(connect, secureConnect)
        let sent = max(secure, preTransfer)
        // Without an answer there is no first byte: the wait lasted to the end.
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

    /// What was being waited for, if time ran out now.
    var waitingFor: ApusError.TimeoutPhase {
        if preTransfer <= 0 { return .connecting }
        return firstByte <= 0 ? .waiting : .receiving
    }
}
