import Glibc
import Synchronization

/// Waits on 127.0.0.1 for one redirect of a browser (RFC 8252 section 7.3).
///
/// Accepts on a thread of its own, because that blocks. Requests for other paths, such as an icon, get a 404
/// and are ignored.
final class LoopbackListener: Sendable {
    /// The port; the system chooses one if none was asked for.
    let port: UInt16
    private let path: String
    private let listener: Int32
    /// A pipe that becomes readable when the thread should end.
    private let stop: (reading: Int32, writing: Int32)
    private let isClosed = Mutex(false)

    /// Starts listening.
    ///
    /// - Throws: `.connect` if no port is available, or the port is taken.
    init(path: String, port: UInt16 = 0) throws(ApusError) {
        self.path = path
        (listener, self.port) = try Self.listen(on: port)
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            let number = errno
            Glibc.close(listener)
            throw Self.fault(number, self.port)
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        stop = (ends[0], ends[1])
    }

    deinit {
        Glibc.close(listener)
        Glibc.close(stop.reading)
        Glibc.close(stop.writing)
    }

    /// Ends the waiting, if any.
    func close() {
        let wasClosed = isClosed.withLock { isClosed in
            defer { isClosed = true }
            return isClosed
        }
        if !wasClosed { _ = write(stop.writing, [0], 1) }
    }

    /// Calls `opener` to show a page, and returns the query of the redirect that follows.
    ///
    /// - Throws: `.authorization(.timedOut)`; `.cancelled`; `.hookFailed` with the error that `opener`
    ///   throws.
    func query<C: Clock<Duration>>(
        state: String,
        within limit: Duration,
        _ clock: C,
        opener: @escaping @Sendable () async throws -> Void = {}
    ) async throws(ApusError) -> String {
        let ending = FirstOutcome<String>()
        var thread = pthread_t()
        let failure = DetachedThread.begin(&thread, named: "apus-loopback") { [self] in
            if let query = accept(state: state) { ending.end(.returned(query)) }
        }
        guard failure == 0 else { throw Self.fault(failure, port) }
        let opening = Task {
            do { try await opener() } catch { ending.end(.threw(error)) }
        }
        let alarm = Task {
            // A cancelled sleep is not a timeout.
            if (try? await clock.sleep(for: limit)) != nil { ending.end(.timedOut) }
        }
        let result = await withTaskCancellationHandler {
            await ending.wait()
        } onCancel: {
            ending.end(.cancelled)
        }
        alarm.cancel()
        opening.cancel()
        close()
        switch result {
        case .returned(let query): return query
        case .timedOut: throw ApusError(.timedOut)
        case .threw(let error): throw ApusError(hookFault: error, of: "opener")
        case .cancelled: throw ApusError(.cancelled)
        }
    }

    // MARK: the thread

    private func accept(state: String) -> String? {
        // Several connections at a time, because a browser opens some that it may never use.
        var peers: [LoopbackPeer] = []
        while let ready = waitUntilReady(peers) {
            var kept: [LoopbackPeer] = []
            for (peer, isReady) in zip(peers, ready.peers) {
                switch isReady ? peer.read() : .more {
                case .more: kept.append(peer)
                case .gone: break
                case .request(let target):
                    if let query = answer(peer, target, state: state) { return query }
                }
            }
            peers = kept
            if ready.listener, let peer = LoopbackPeer(accepting: listener) { peers.append(peer) }
        }
        return nil
    }

    /// Waits until something can be read; nil if the thread should end.
    private func waitUntilReady(
        _ peers: [LoopbackPeer]
    ) -> (listener: Bool, peers: [Bool])? {
        let descriptors = [stop.reading, listener] + peers.map(\.descriptor)
        var waiting = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        while poll(&waiting, nfds_t(waiting.count), -1) < 0 {
            guard errno == EINTR else { return nil }
        }
        guard !isClosed.withLock({ $0 }) else { return nil }
        return (waiting[1].revents != 0, waiting.dropFirst(2).map { $0.revents != 0 })
    }

    /// Sends the response; returns the query if the target is that of the redirect, else nil.
    private func answer(_ peer: LoopbackPeer, _ target: String, state: String) -> String? {
        let parts = target.split(separator: "?", maxSplits: 1)
        guard parts.first.map(String.init) == path else {
            peer.answer("404 Not Found", "There is nothing here.")
            return nil
        }
        let query = parts.count > 1 ? String(parts[1]) : ""
        let belongs = QueryEditing.value(of: "state", in: query) == state
        let isGranted = belongs && QueryEditing.value(of: "error", in: query) == nil
        peer.answer(
            belongs ? "200 OK" : "400 Bad Request",
            isGranted
                ? "You are signed in. You can close this page."
                : "You are not signed in. The program shows the reason."
        )
        return query
    }

    // MARK: the socket

    private static func listen(on port: UInt16) throws(ApusError) -> (Int32, UInt16) {
        let socket = Glibc.socket(
            AF_INET,
            Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue),
            0
        )
        guard socket >= 0 else { throw fault(errno, port) }
        // A port of one's own is needed again at once; connections to the last redirect may still be closing.
        var isReused: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, size) == 0 && Glibc.listen(socket, 8) == 0
                    && getsockname(socket, $0, &size) == 0
            }
        }
        guard isListening else {
            let number = errno
            Glibc.close(socket)
            throw fault(number, port)
        }
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    private static func fault(_ number: Int32, _ port: UInt16) -> ApusError {
        let detail =
            number == EADDRINUSE
            ? "the redirect's port is taken" : "cannot listen, \(FileErrorText.words(for: number))"
        let port = port == 0 ? nil : Int(port)
        return ApusError(.connect(host: "127.0.0.1", port: port, detail: detail))
    }
}

/// A connection to the loopback listener, from accept to the one response.
///
/// Used on the listener's thread only.
final class LoopbackPeer {
    enum Progress {
        /// The request is not complete yet.
        case more
        /// The connection has ended, or its request is not usable.
        case gone
        /// A GET for this target.
        case request(String)
    }

    private static let maximumHeadSize = 16 << 10

    let descriptor: Int32
    private var head: [UInt8] = []

    init?(accepting listener: Int32) {
        descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Reads what has arrived.
    func read() -> Progress {
        var chunk = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        if count < 0, errno == EAGAIN || errno == EINTR { return .more }
        guard count > 0, head.count < Self.maximumHeadSize else { return .gone }
        head += chunk[..<count]
        // Wait for the whole header: a response sent earlier could be lost to a reset.
        guard let end = head.firstIndex(of: UInt8(ascii: "\r")), isHeadComplete else {
            return .more
        }
        let words = String(decoding: head[..<end], as: UTF8.self).split(separator: " ")
        return words.count == 3 && words[0] == "GET" ? .request(String(words[1])) : .gone
    }

    private var isHeadComplete: Bool { head.suffix(4) == [13, 10, 13, 10] }

    /// Sends a page and ends the connection.
    func answer(_ status: String, _ text: String) {
        let page = "<!doctype html><meta charset=\"utf-8\"><title>Apus</title><p>\(text)</p>\n"
        let response =
            "HTTP/1.1 \(status)\r\nContent-Type: text/html; charset=utf-8\r\n"
            + "Content-Length: \(page.utf8.count)\r\nCache-Control: no-store\r\n"
            + "Connection: close\r\n\r\n\(page)"
        // This fails if the browser has gone, but the redirect still counts.
        _ = Array(response.utf8).withUnsafeBytes {
            send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        shutdown(descriptor, Int32(SHUT_WR))
    }
}
