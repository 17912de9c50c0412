// HTTP/2 needs a nudge: libcurl 7.88 can hold bytes of a stream without a socket or timer event,
// so the loop goes round again while transfers may share a connection. In clear text each request
// has a connection of its own there, because 7.88 begins HTTP/2 anew on one that it reuses.
//
// Among many transfers, all that have ended are ended, then all tasks go on, then all begin: a
// request brought to its end alone misses the processor's instruction cache a quarter more often.
//
// There is no epoll under libcurl, though it saves a system call for each request. Measured: fewer
// answers are taken at a time, so fewer requests go out together, and more of them wake the server
// (500 in flight on a virtual machine: three times the wake-ups, a sixth less throughput).

import CCurl
import Glibc
import Synchronization

/// What lives on the engine's thread: libcurl's set, its handles, the transfers.
final class CurlLoop {
    /// From here on a body is worth a larger buffer.
    private static let longBodyCount = 256 << 10
    private static let maximumPatience: Int32 = 1000

    /// libcurl's set; nil if libcurl could not be loaded.
    let multi: CurlMulti?
    private let engine: CurlEngine
    private var loadFault: CurlFault?
    private var pool: [CurlHandle] = []
    private var running: [CurlTransfer] = []
    private var chains = CertificateChains()

    /// How long to sleep while transfers share a connection, in milliseconds.
    ///
    /// libcurl 7.88 can hold what it has read or has to write for a stream of
    /// HTTP/2 without a socket or timer that says so (measured: one burst of 100
    /// in about 10 stood still until the next timer, 15 s later). Going round all
    /// transfers once more moves it; so the engine does that after each event, and
    /// then ever more seldom.
    private var patience: Int32 = 0

    /// How many transfers may share a connection of HTTP/2.
    var sharingCount = 0
    let recentHeads = RecentHeads()

    /// What this thread has told itself to do.
    private var commands: [CurlEngine.Command] = []
    private var underWay: [CurlEngine.Command] = []
    /// What has ended and is still in libcurl's set.
    private var ended: [(handle: CurlHandle, code: CURLcode)] = []
    /// What waits for another transfer to end, for there are no descriptors left.
    private var waiting: [CurlTransfer] = []
    /// How many transfers descriptors are there for.
    ///
    /// libcurl would take more, but their time to connect would pass while they wait for others.
    private let transferLimit: Int
    /// No transfer's time is over before this; nil if none has a limit.
    ///
    /// It may be that of one that has ended: then all are looked at once more than they need be. A
    /// queue in order would cost every request two moves in it.
    private var nextDeadline: ContinuousClock.Instant?
    /// How long until then, as it was at the end of this turn.
    private var timeLeft = Duration.zero
    /// What has paused for the others, and goes on in the next turn.
    private var resting: [CurlTransfer] = []
    /// Which round of all transfers it is.
    private(set) var turn: UInt = 0
    let decodingLimits: DecodingLimits
    /// How long bodies were decoded in this turn.
    var decodingTime = Duration.zero
    /// Whether libcurl has yet to look at a transfer that was begun.
    private var hasBegun = false
    /// Whether a connection held the thread in this turn, and was ended for it.
    private(set) var hasCutConnection = false
    /// Whether no more transfers are begun.
    private var isStopped = false

    init(_ engine: CurlEngine) {
        self.engine = engine
        decodingLimits = engine.configuration.decodingLimits
        let wanted = engine.configuration.maximumConnections
        let possible =
            engine.configuration.connectionsByDescriptors ?? Self.connectionsByDescriptors
        let connections = min(wanted, possible)
        transferLimit = possible < wanted ? possible : .max
        do throws(CurlFault) {
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

    /// As many connections as descriptors may be opened beside them: a lookup of a name takes two
    /// more for a moment, a TLS handshake a file, and the program has files of its own.
    private static var connectionsByDescriptors: Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur < 1 << 20
        else { return .max }
        let count = Int(limit.rlim_cur)
        // More than a thousand in use would not fit below anyway.
        var descriptors = (0..<Int32(min(count, 1024)))
            .map { pollfd(fd: $0, events: 0, revents: 0) }
        // One call in place of a thousand: it says of each whether it is open.
        guard poll(&descriptors, nfds_t(descriptors.count), 0) >= 0 else { return 1 }
        let used = descriptors.count { $0.revents & Int16(POLLNVAL) == 0 }
        let free = max(0, count - used - 8)
        return max(1, free - min(free / 4, 64))
    }

    // MARK: commands

    /// Whether there are commands that this thread gave itself.
    var hasCommands: Bool { !commands.isEmpty }
    /// Whether some transfers only wait for the next turn.
    var hasResting: Bool { !resting.isEmpty }
    /// Whether another thread ends all transfers; it is seen also while a body is decoded.
    var isToStop: Bool { engine.isToStop.load(ordering: .relaxed) }

    /// Takes a command of this thread's.
    func post(_ command: CurlEngine.Command) { commands.append(command) }

    func execute(_ command: CurlEngine.Command) {
        switch command {
        case .start(let transfer): start(transfer)
        case .cancel(let transfer): cancel(transfer)
        case .unpause(let transfer): unpause(transfer)
        case .run(let job): job.runSynchronously(on: engine.asUnownedTaskExecutor())
        }
    }

    /// Carries out what ended transfers lead to: their tasks go on, and send the next requests.
    ///
    /// One kind of work for all of them before the next, for the processor's cache has no room
    /// for the instructions of a whole request (simulated: to bring one request after the
    /// other to its end costs a quarter more misses).
    private func settle() {
        // Not without end: a task that always has more to do may not stop the sockets.
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
            return transfer.fail(loadFault?.reason ?? CurlFault.notLoaded("").reason)
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

    /// A stream whose bytes are late pauses its transfer only.
    private func wakeForBytes(of transfer: CurlTransfer) {
        transfer.upload?.wake = { [weak engine, weak transfer] in
            if let engine, let transfer { engine.post(.unpause(transfer)) }
        }
    }

    private func freeHandle(for transfer: CurlTransfer) throws(ApusError) -> CurlHandle {
        if let handle = pool.popLast(), transfer.fits(handle) || handle.renew() { return handle }
        do throws(CurlFault) {
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
        do throws(CurlFault) {
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
        // libcurl 7.88 goes on after a callback that failed in there.
        if transfer.failure != nil {
            end(transfer, handle, transfer.fault(for: CURLE_WRITE_ERROR, handle))
        }
    }

    /// Has a transfer that has paused go on after the others.
    func resumeNextTurn(_ transfer: CurlTransfer) {
        guard !transfer.decoding.isResting else { return }
        transfer.decoding.isResting = true
        resting.append(transfer)
    }

    /// Has those go on that rest, the first first; who finds no time left stays where it is.
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

    /// Moves all transfers as far as they go without waiting.
    func perform() {
        // Not without end, as in `settle`.
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
        do throws(CurlFault) {
            try multi.perform()
        } catch {
            return endAll(error.reason)
        }
        hasCutConnection = multi.watchdog.takeCut()
        // All are asked for first: libcurl looks through what it has yet to tell whenever a
        // handle is taken out.
        while let next = multi.nextEnded() { ended.append(next) }
        for (handle, code) in ended {
            guard let transfer = handle.transfer else { continue }
            // The others have descriptors that they will let go of.
            if code != CURLE_OK, transfer.lacksDescriptor, running.count > 1 {
                postpone(transfer, handle)
                continue
            }
            if code == CURLE_OK { transfer.checkDecoding() }
            end(transfer, handle, transfer.fault(for: code, handle))
        }
        ended.removeAll(keepingCapacity: true)
    }

    /// Ends what has not ended in its time, wherever it is: libcurl 7.88 does not look at the limits
    /// of those that wait for a connection.
    private func endOverdue() {
        guard let nextDeadline else { return }
        let now = ContinuousClock.now
        timeLeft = nextDeadline - now
        guard now >= nextDeadline else { return }
        let overdue = [running, waiting].joined().filter { $0.isOverdue(at: now) }
        waiting.removeAll { $0.isOverdue(at: now) }
        // At most a thousand looks a second, however many limits there are.
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
        // Longer than any timer: an idle engine never wakes by itself.
        let longest = sharingCount > 0 ? patience : .max
        do throws(CurlFault) {
            let isReady = try multi?.wait(milliseconds: min(longest, millisecondsLeft)) == true
            patience = isReady ? 0 : min(max(1, patience * 2), Self.maximumPatience)
        } catch {
            endAll(error.reason)
        }
    }

    /// How long until a transfer's time is over.
    private var millisecondsLeft: Int32 {
        guard nextDeadline != nil else { return .max }
        return Int32(min((timeLeft / .milliseconds(1)).rounded(.up), Double(Int32.max)))
    }

    /// Ends all transfers, and begins no more.
    func stop() {
        isStopped = true
        endAll(.cancelled)
    }

    /// Has a transfer that got no descriptor wait until another has ended.
    private func postpone(_ transfer: CurlTransfer, _ handle: CurlHandle) {
        multi?.remove(handle)
        forget(handle)
        transfer.postpone(handle)
        if handle.rest(afterFailure: true) { pool.append(handle) }
        waiting.append(transfer)
    }

    /// Begins what waits for a descriptor: one for each that ends, all when none is left.
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
        // Out of the set first: what ends after this ends nothing else.
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
        // The local port is this connection's own for as long as it is open.
        let connection = "\(handle.number(CURLINFO_LOCAL_PORT)) \(address)"
        let chain = handle.certificates()
        guard chain.isEmpty else { return chains.add(chain, of: connection) }
        return handle.number(CURLINFO_NUM_CONNECTS) == 0 ? chains[connection] : []
    }

    /// Ends what is left; the set and the handles go with the loop.
    func close() {
        endAll(.cancelled)
        pool.removeAll()
    }
}
