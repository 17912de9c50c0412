import Apus
import Documents

/// The phases of a HAR entry in milliseconds (HAR 1.2, timings); nil for a phase that did not happen.
struct HARTimings {
    private var blocked: Double?
    private var dns: Double?
    /// Includes `ssl`.
    private var connect: Double?
    private var ssl: Double?
    private var send = 0.0
    private var wait: Double
    private var receive = 0.0

    /// Timings that consist of waiting only.
    init(wait: Double) { self.wait = wait }

    /// The timings of an exchange's last request, which began `offset` after the exchange.
    init(of whole: ExchangeDetails, after offset: Duration) {
        let duration = (whole.exchange.duration / .microseconds(1)).rounded() / 1000
        let took = max(0, duration - offset / .milliseconds(1))
        self.init(wait: took)
        guard whole.exchange.source == "server", let metrics = whole.response?.metrics else {
            return
        }
        let phases = whole.exchange.phases ?? metrics.phases
        let times = [
            phases.nameLookup, phases.connect, phases.secureConnect, phases.preTransfer,
            phases.firstByte, phases.total - phases.redirects,
        ].reduce(into: [0.0]) { times, time in
            times.append(max(times.last ?? 0, time / .milliseconds(1)))
        }
        receive = times[6] - times[5]
        if metrics.reusedConnection {
            wait = times[5]
        } else {
            wait = times[5] - times[3]
            dns = times[1]
            connect = times[3] - times[1]
            let isSecure = whole.response?.finalURL.hasPrefix("https") == true
            if isSecure { ssl = times[3] - times[2] }
        }
        let rest = took - total
        if rest > 0 { blocked = rest }
    }

    /// The sum of all phases but `ssl`, which `connect` includes.
    var total: Double {
        [blocked, dns, connect, send, wait, receive].reduce(0) { $0 + ($1 ?? 0) }
    }

    var json: JSON {
        JSON(members: [
            ("blocked", Self.number(blocked)), ("dns", Self.number(dns)),
            ("connect", Self.number(connect)), ("send", Self.number(send)),
            ("wait", Self.number(wait)), ("receive", Self.number(receive)),
            ("ssl", Self.number(ssl)),
        ])
    }

    /// Milliseconds, rounded to the microsecond; -1 for nil.
    static func number(_ milliseconds: Double?) -> JSON {
        guard let milliseconds else { return -1 }
        return JSON((milliseconds * 1000).rounded() / 1000)
    }
}

extension TransferMetrics.Phases {
    init(timings: JSON) {
        func time(_ name: String) -> Duration { timings[name].milliseconds ?? .zero }
        let dns = time("dns")
        let secured = dns + time("connect")
        let first = secured + time("send") + time("wait")
        self.init(
            nameLookup: dns,
            // HAR's `connect` includes `ssl` (HAR 1.2, timings).
            connect: max(dns, secured - time("ssl")),
            secureConnect: secured,
            preTransfer: secured,
            firstByte: first,
            total: first + time("receive")
        )
    }
}

extension JSON {
    /// A HAR time; nil if it is missing or -1, which means that it does not apply or is unknown.
    var milliseconds: Duration? {
        guard let number = double, (0...1e12).contains(number) else { return nil }
        return .microseconds(Int((number * 1000).rounded()))
    }
}
