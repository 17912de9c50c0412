import CCurl
import Glibc

/// libcurl's multi handle: the set of running transfers.
///
/// Everything except `wake` must be called on one thread.
final class CurlMulti: @unchecked Sendable {
    // @unchecked because curl_multi_wakeup, the only function called from other threads, is the one that
    // libcurl allows there.
    private let pointer: UnsafeMutableRawPointer
    /// Ends connections that occupy the thread.
    ///
    /// It must outlive `pointer`, because libcurl closes the last sockets through it.
    let watchdog = TurnWatchdog()

    init(maximumConnections: Int, connectionsPerHost: Int) throws(CurlError) {
        guard let pointer = curl_multi_init() else { throw .notLoaded("curl_multi_init") }
        self.pointer = pointer
        // Without descriptors, libcurl makes a multi handle that cannot be woken: it would sleep forever.
        guard curl_multi_wakeup(pointer) == CURLM_OK else {
            curl_multi_cleanup(pointer)
            throw CurlError(
                code: Int(CURLM_WAKEUP_FAILURE.rawValue),
                detail: """
                    no file descriptors are left for transfers: \
                    \(String(cString: strerror(EMFILE)))
                    """
            )
        }
        try set(CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
        try set(CURLMOPT_MAX_TOTAL_CONNECTIONS, maximumConnections)
        try set(CURLMOPT_MAX_HOST_CONNECTIONS, connectionsPerHost)
        try set(CURLMOPT_MAXCONNECTS, maximumConnections)
    }

    deinit { curl_multi_cleanup(pointer) }

    private func set(_ option: CURLMoption, _ value: Int) throws(CurlError) {
        try Self.check(ccurl_multi_set_long(pointer, option, value))
    }

    func add(_ handle: CurlHandle) throws(CurlError) {
        try Self.check(curl_multi_add_handle(pointer, handle.pointer))
    }

    func remove(_ handle: CurlHandle) {
        curl_multi_remove_handle(pointer, handle.pointer)
    }

    /// Advances all transfers as far as possible without waiting.
    func perform() throws(CurlError) {
        var running: Int32 = 0
        watchdog.turnBegins()
        defer { watchdog.turnEnds() }
        try Self.check(curl_multi_perform(pointer, &running))
    }

    /// Sleeps until a socket is ready, a timer of libcurl fires, `wake` is called or the time is over.
    ///
    /// - Returns: Whether a socket was ready.
    func wait(milliseconds: Int32) throws(CurlError) -> Bool {
        var ready: Int32 = 0
        try Self.check(curl_multi_poll(pointer, nil, 0, milliseconds, &ready))
        return ready > 0
    }

    /// Ends the current `wait`, or else the next one; callable from any thread.
    func wake() { curl_multi_wakeup(pointer) }

    /// The next transfer that has ended, with its result; nil if there is none.
    func nextEnded() -> (handle: CurlHandle, code: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(pointer, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let pointer = message.pointee.easy_handle,
                let handle = CurlHandle.of(pointer)
            else { continue }
            return (handle, ccurl_message_result(message))
        }
        return nil
    }

    private static func check(_ code: CURLMcode) throws(CurlError) {
        guard code == CURLM_OK else {
            throw CurlError(
                code: Int(code.rawValue),
                detail: curl_multi_strerror(code).map { String(cString: $0) } ?? ""
            )
        }
    }
}
