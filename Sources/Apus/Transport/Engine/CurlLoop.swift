// HTTP/2 needs a nudge: libcurl 7.88 can hold bytes of a stream without a socket or timer event, so the
// loop runs again while transfers may share a connection. In cleartext HTTP/2 each request has its own
// connection, because 7.88 starts HTTP/2 again on a reused one.
//
// With many transfers, the work is done in phases: first all finished transfers are completed, then all
// waiting tasks run, then all new transfers start. Completing one request at a time causes a quarter more
// misses in the processor's instruction cache.
//
// libcurl is not driven by epoll, although that would save a system call per request. Measured: fewer
// responses are taken at a time, so fewer requests go out together, and more of them wake the server (500
// in flight on a virtual machine: three times the wake-ups, a sixth less throughput).

import CCurl
import Glibc
import Synchronization

/// The state of the engine's thread: libcurl's multi handle, its easy handles and the transfers.
final class CurlLoop {
    /// A body of at least this many bytes is worth a larger buffer.
    private static let longBodyCount = 256 << 10
    private static let maximumPatience: Int32 = 1000

    /// libcurl's multi handle; nil if libcurl could not be loaded.
    let multi: CurlMulti?
    private let engine: CurlEngine
    private var loadFault: CurlError?
    private var pool: [CurlHandle] = []
    private var running: [CurlTransfer] = []
    private var chains = CertificateCache()

    /// The longest sleep while transfers share a connection, in milliseconds.
    ///
    /// libcurl 7.88 can hold bytes that it has read or must write for an HTTP/2 stream without a socket or
    /// timer event for them (measured: one burst of 100 in about 10 stood still until the next timer, 15 s
    /// later). Running all transfers once more moves them, so the engine does that after each event and
    /// then at growing intervals.
    private var patience: Int32 = 0

    /// The number of transfers that may share an HTTP/2 connection.
    var sharingCount = 0
    let recentHeads = HeadCache()

    /// Commands that were posted on this thread.
    private var commands: [CurlEngine.Command] = []
    private var underWay: [CurlEngine.Command] = []
    /// Transfers that have ended and are still in libcurl's multi handle.
    private var ended: [(handle: CurlHandle, code: CURLcode)] = []
    /// Transfers that wait for another one to end, because no file descriptors are left.
    private var waiting: [CurlTransfer] = []
    /// The most transfers that the available file descriptors allow.
    ///
    /// libcurl would accept more, but their connect timeout would run while they wait for the others.
    private let transferLimit: Int
    /// No running or waiting transfer has an earlier deadline; nil if none has a deadline.
    ///
    /// It may belong to a transfer that has ended; then all are checked once more than necessary. A sorted
    /// queue would cost every request two moves in it.
    private var nextDeadline: ContinuousClock.Instant?
    /// The time until `nextDeadline`, computed at the end of this turn.
    private var timeLeft = Duration.zero
    /// Transfers that paused to let others run and continue in the next turn.
    private var resting: [CurlTransfer] = []
    /// The number of the current turn, a round over all transfers.
    private(set) var turn: UInt = 0
    let decodingLimits: DecodingLimits
    /// The time spent decoding bodies in this turn.
    var decodingTime = Duration.zero
    /// Whether a transfer was started that libcurl has not processed yet.
    private var hasBegun = false
    /// Whether a connection was closed in this turn because it occupied the thread.
    private(set) var hasCutConnection = false
    /// Whether no more transfers are started.
    private var isStopped = false

    init(_ engine: CurlEngine) {
        self.engine = engine
        decodingLimits = engine.configuration.decodingLimits
        let wanted = engine.configuration.maximumConnections
        let possible =
            engine.configuration.connectionsByDescriptors ?? Self.connectionsByDescriptors
        let connections = min(wanted, possible)
        transferLimit = possible < wanted ? possible : .max
        do throws(CurlError) {
            try CurlLibrary.load()
            multi = try CurlMulti(
                maximumConnections: connections,
                connectionsPerHost: engine.configuration.connectionsPerHost
            )
        } catch {
            multi = nil
            loadFault = error
        }
    }

    /// The number of connections that the free file descriptors allow.
    ///
    /// A name lookup takes two more for a moment, a TLS handshake opens a file, and the program has files
    /// of its own.
    private static var connectionsByDescriptors: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur < 1 << 20
        else { return .max }
        let count = Int(limit.rlim_cur)
        // Only the first 1,024 are checked, because the system assigns the lowest free numbers.
        var descriptors = (0..<Int32(min(count, 1024)))
            .map { pollfd(fd: $0, events: 0, revents: 0) }
        // A single call that reports for each descriptor whether it is open.
        guard poll(&descriptors, nfds_t(descriptors.count), 0) >= 0 else { return 1 }
        let used = descriptors.count { $0.revents & Int16(POLLNVAL) == 0 }
        let free = max(0, count - used - 8)
        return max(1, free - min(free / 4, 64))
    }

    // MARK: commands

    /// Whether there are commands posted on this thread.
    var hasCommands: Bool { !commands.isEmpty }
    /// Whether some transfers wait for the next turn.
    var hasResting: Bool { !resting.isEmpty }
    /// Whether another thread has called `stop`; checked also while a body is decoded.
    var isToStop: Bool { engine.isToStop.load(ordering: .relaxed) }

    /// Appends a command posted on this thread.
    func post(_ command: CurlEngine.Command) { commands.append(command) }

    func execute(_ command: CurlEngine.Command) {
        switch command {
        case .start(let transfer): start(transfer)
        case .cancel(let transfer): cancel(transfer)
        case .unpause(let transfer): unpause(transfer)
        case .run(let job): job.runSynchronously(on: engine.asUnownedTaskExecutor())
        }
    }

    /// Runs the commands that follow from ended transfers: their tasks continue and send the next requests.
    ///
    /// The work is done in phases for all of them, because the instructions of a whole request do not fit in the
    /// processor's cache (simulated: completing one request after the other costs a quarter more misses).
    private func settle() {
        // Limited, so that a task that always posts more does not stop the sockets.
        for _ in 0..<4 where hasCommands {
            swap(&commands, &underWay)
            for command in underWay { execute(command) }
            underWay.removeAll(keepingCapacity: true)
        }
    }

    private func start(_ transfer: CurlTransfer) {
        guard !transfer.isCancelled.load(ordering: .relaxed), !isStopped else {
            return transfer.fail(.cancelled)
        }
        if let deadline = transfer.deadline {
            nextDeadline = min(nextDeadline ?? deadline, deadline)
        }
        guard running.count < transferLimit else { return waiting.append(transfer) }
        guard let multi else {
            return transfer.fail(loadFault?.reason ?? CurlError.notLoaded("").reason)
        }
        do throws(ApusError) {
            if !transfer.isPrepared { try transfer.sink.prepare(for: transfer.request) }
            transfer.isPrepared = true
            let handle = try freeHandle(for: transfer)
            try transfer.configure(handle, engine.configuration)
            if transfer.upload?.hasStreams == true { wakeForBytes(of: transfer) }
            try add(handle, to: multi)
            handle.place = running.count
            running.append(transfer)
            transfer.begin(with: handle, in: self)
            patience = 0
            hasBegun = true
        } catch {
            transfer.fail(error.reason)
        }
    }

    /// Lets a body stream that has no bytes yet pause only its own transfer.
    private func wakeForBytes(of transfer: CurlTransfer) {
        transfer.upload?.wake = { [weak engine, weak transfer] in
            if let engine, let transfer { engine.post(.unpause(transfer)) }
        }
    }

    private func freeHandle(for transfer: CurlTransfer) throws(ApusError) -> CurlHandle {
        if let handle = pool.popLast(), transfer.fits(handle) || handle.renew() { return handle }
        do throws(CurlError) {
            let configuration = engine.configuration
            return try CurlHandle(
                headLimits: .init(
                    bytes: configuration.maximumHeaderSize,
                    lines: min(configuration.maximumHeaderLines, FieldLimits.mostLines)
                ),
                watchdog: multi?.watchdog
            )
        } catch {
            throw ApusError(error.reason)
        }
    }

    private func add(_ handle: CurlHandle, to multi: CurlMulti) throws(ApusError) {
        do throws(CurlError) {
            try multi.add(handle)
        } catch {
            throw ApusError(error.reason)
        }
    }

    private func cancel(_ transfer: CurlTransfer) {
        if let place = waiting.firstIndex(where: { $0 === transfer }) {
            waiting.remove(at: place)
            return transfer.fail(.cancelled)
        }
        if let handle = transfer.handle { end(transfer, handle, CopyOnWriteBox(.cancelled)) }
    }

    private func unpause(_ transfer: CurlTransfer) {
        guard let handle = transfer.handle else { return }
        handle.unpause()
        patience = 0
        // libcurl 7.88 continues after a callback that failed during this call.
        if transfer.failure != nil {
            end(transfer, handle, transfer.fault(for: CURLE_WRITE_ERROR, handle))
        }
    }

    /// Resumes a paused transfer in the next turn.
    func resumeNextTurn(_ transfer: CurlTransfer) {
        guard !transfer.decoding.isResting else { return }
        transfer.decoding.isResting = true
        resting.append(transfer)
    }

    /// Resumes the resting transfers in order until the decoding time is used up; the rest keep their order.
    private func beginTurn() {
        turn &+= 1
        decodingTime = .zero
        guard !resting.isEmpty else { return }
        var resumed = resting[...]
        resting = []
        while decodingTime < decodingLimits.turnTime, let transfer = resumed.popFirst() {
            transfer.decoding.isResting = false
            unpause(transfer)
        }
        resting.insert(contentsOf: resumed, at: 0)
    }

    // MARK: libcurl

    /// Advances all transfers as far as possible without waiting.
    func perform() {
        // Limited, as in `settle`.
        for _ in 0..<4 {
            hasBegun = false
            beginTurn()
            moveAll()
            settle()
            guard hasBegun else { break }
        }
        endOverdue()
    }

    private func moveAll() {
        guard let multi else { return }
        do throws(CurlError) {
            try multi.perform()
        } catch {
            return endAll(error.reason)
        }
        hasCutConnection = multi.watchdog.takeCut()
        // Collect all results first, because libcurl scans its pending messages whenever a handle is removed.
        while let next = multi.nextEnded() { ended.append(next) }
        for (handle, code) in ended {
            guard let transfer = handle.transfer else { continue }
            // The other transfers will free descriptors.
            if code != CURLE_OK, transfer.lacksDescriptor, running.count > 1 {
                postpone(transfer, handle)
                continue
            }
            if code == CURLE_OK { transfer.checkDecoding() }
            end(transfer, handle, transfer.fault(for: code, handle))
        }
        ended.removeAll(keepingCapacity: true)
    }

    /// Ends overdue transfers, also those that wait for a connection, whose limits libcurl 7.88 does not check.
    private func endOverdue() {
        guard let nextDeadline else { return }
        let now = ContinuousClock.now
        timeLeft = nextDeadline - now
        guard now >= nextDeadline else { return }
        let overdue = [running, waiting].joined().filter { $0.isOverdue(at: now) }
        waiting.removeAll { $0.isOverdue(at: now) }
        // At most a thousand checks a second, however many deadlines there are.
        self.nextDeadline = [running, waiting].joined().compactMap(\.deadline)
            .filter { $0 > now }.min().map { max($0, now + .milliseconds(1)) }
        for transfer in overdue { expire(transfer) }
        timeLeft = .zero
    }

    private func expire(_ transfer: CurlTransfer) {
        if let handle = transfer.handle {
            return end(transfer, handle, transfer.fault(for: CURLE_OPERATION_TIMEDOUT, handle))
        }
        transfer.fail(.timeout(.connecting, limit: transfer.request.options.timeout ?? .zero))
    }

    /// Sleeps until there is something to do.
    func wait() {
        // Longer than any timer, so that an idle engine does not wake up.
        let longest = sharingCount > 0 ? patience : .max
        do throws(CurlError) {
            let isReady = try multi?.wait(milliseconds: min(longest, millisecondsLeft)) == true
            patience = isReady ? 0 : min(max(1, patience * 2), Self.maximumPatience)
        } catch {
            endAll(error.reason)
        }
    }

    /// The time until the next deadline.
    private var millisecondsLeft: Int32 {
        guard nextDeadline != nil else { return .max }
        return Int32(min((timeLeft / .milliseconds(1)).rounded(.up), Double(Int32.max)))
    }

    /// Ends all transfers and starts no more.
    func stop() {
        isStopped = true
        endAll(.cancelled)
    }

    /// Puts off a transfer that got no file descriptor until another has ended.
    private func postpone(_ transfer: CurlTransfer, _ handle: CurlHandle) {
        multi?.remove(handle)
        forget(handle)
        transfer.postpone(handle)
        if handle.rest(afterFailure: true) { pool.append(handle) }
        waiting.append(transfer)
    }

    /// Starts waiting transfers: one for each transfer that ends, or all if none is running.
    private func startWaiting() {
        guard !waiting.isEmpty else { return }
        let count = running.isEmpty ? waiting.count : 1
        for transfer in waiting.prefix(count) { commands.append(.start(transfer)) }
        waiting.removeFirst(count)
    }

    private func endAll(_ reason: ApusError.Reason) {
        for transfer in waiting { transfer.fail(reason) }
        waiting = []
        for transfer in running {
            if let handle = transfer.handle { end(transfer, handle, CopyOnWriteBox(reason)) }
        }
    }

    private func end(
        _ transfer: CurlTransfer,
        _ handle: CurlHandle,
        _ fault: CopyOnWriteBox<ApusError.Reason>?
    ) {
        // Removed first, so that the following calls cannot end another transfer.
        multi?.remove(handle)
        forget(handle)
        handle.hadLongBody = handle.offset(CURLINFO_SIZE_DOWNLOAD_T) >= Self.longBodyCount
        transfer.end(fault, handle, certificates(handle))
        transfer.letGo(of: handle)
        startWaiting()
        guard pool.count < engine.configuration.maximumConnections,
            handle.rest(afterFailure: fault != nil)
        else {
            return
        }
        pool.append(handle)
    }

    private func forget(_ handle: CurlHandle) {
        guard let last = running.popLast(), let moved = last.handle, moved !== handle else {
            return
        }
        running[handle.place] = last
        moved.place = handle.place
    }

    private func certificates(_ handle: CurlHandle) -> [TransferMetrics.Certificate] {
        guard handle.isSecure, let address = handle.remoteAddressText() else { return [] }
        // The local port identifies the connection while it is open.
        let connection = "\(handle.number(CURLINFO_LOCAL_PORT)) \(address)"
        let chain = handle.certificates()
        guard chain.isEmpty else { return chains.add(chain, of: connection) }
        return handle.number(CURLINFO_NUM_CONNECTS) == 0 ? chains[connection] : []
    }

    /// Ends all transfers; the handles are freed with the loop.
    func close() {
        endAll(.cancelled)
        pool.removeAll()
    }
}
