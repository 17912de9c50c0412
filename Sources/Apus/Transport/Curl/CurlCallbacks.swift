import CCurl
import Glibc
import HTTPTypes

// The callbacks of libcurl. They are global functions because a C callback cannot capture anything; the
// context is the handle.

private func handle(_ context: UnsafeMutableRawPointer?) -> CurlHandle? {
    context.map { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue() }
}

private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
    handle(context)?.transfer
}

func receiveHeaderLine(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return -1 }
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    // Not retained, because the loop holds every handle in use and this runs for every line.
    let goesOn = Unmanaged<CurlHandle>.fromOpaque(context)._withUnsafeGuaranteedRef { handle in
        if handle.head.isAtStart { handle.transfer?.responseBegins() }
        let event = handle.head.handle(line)
        // The transfer ignores most lines.
        if case .line = event {
            if handle.head.isComplete { handle.transfer?.traceTrailer(line) }
            return true
        }
        return handle.transfer?.receive(event) == true
    }
    return goesOn ? line.count : -1
}

func receiveBody(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let chunk = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return switch transfer(context)?.receive(body: chunk) {
    case .taken: chunk.count
    case .full: ccurl_write_pause()
    // Any other count than the chunk's is a failure, also for an empty chunk.
    case .failed, nil: chunk.isEmpty ? 1 : 0
    }
}

func readBody(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    let room = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
    return switch transfer(context)?.read(into: room) {
    case .bytes(let count): count
    case .pause: ccurl_read_pause()
    case nil: ccurl_read_abort()
    }
}

func addTrailers(
    _ list: UnsafeMutablePointer<UnsafeMutablePointer<curl_slist>?>?,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    for line in transfer(context)?.trailerLines ?? [] {
        let longer = line.withUnsafeBytes { bytes in
            curl_slist_append(list?.pointee, bytes.bindMemory(to: CChar.self).baseAddress)
        }
        // On abort, libcurl frees the lines added so far.
        guard let longer else { return CURL_TRAILERFUNC_ABORT }
        list?.pointee = longer
    }
    return CURL_TRAILERFUNC_OK
}

func seekBody(
    _ context: UnsafeMutableRawPointer?,
    _ offset: curl_off_t,
    _ origin: Int32
) -> Int32 {
    let done = transfer(context)?.seek(to: Int(offset), from: origin) == true
    return done ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
}

/// Opens a socket that child processes do not inherit, unlike libcurl's own sockets: a child process would
/// keep its connection open for as long as it runs.
func openSocket(
    _ context: UnsafeMutableRawPointer?,
    _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let address = address?.pointee else { return CURL_SOCKET_BAD }
    let kind = address.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.family, kind, address.protocol)
    if descriptor < 0 {
        transfer(context)?.socketErrno = errno
    } else {
        handle(context)?.watchdog?.noteProgress()
        handle(context)?.watchdog?.opened(descriptor)
        transfer(context)?.sockets.append(descriptor)
    }
    return descriptor
}

func closeSocket(_ context: UnsafeMutableRawPointer?, _ descriptor: curl_socket_t) -> Int32 {
    guard let context else { return close(descriptor) }
    return Unmanaged<TurnWatchdog>.fromOpaque(context).takeUnretainedValue().close(descriptor)
}

func beginHop(
    _ context: UnsafeMutableRawPointer?,
    _ address: UnsafeMutablePointer<CChar>?,
    _ ownAddress: UnsafeMutablePointer<CChar>?,
    _ port: Int32,
    _ ownPort: Int32
) -> Int32 {
    guard let transfer = transfer(context) else { return ccurl_hop_abort() }
    transfer.noteSession()
    return transfer.mayBeginHop() ? ccurl_hop_ok() : ccurl_hop_abort()
}

/// Has the TLS library note the handshake that is about to begin.
func beginHandshake(
    _ easy: UnsafeMutableRawPointer?,
    _ tlsContext: UnsafeMutableRawPointer?,
    _ context: UnsafeMutableRawPointer?
) -> CURLcode {
    var session: UnsafeMutableRawPointer?
    guard let easy, let tlsContext, ccurl_get_openssl(easy, &session) != 0,
        let library = OpenSSL.library, let handle = handle(context)
    else { return CURLE_OK }
    library.watch(tlsContext, as: handle.expectHandshake())
    return CURLE_OK
}

func tellProgress(
    _ context: UnsafeMutableRawPointer?,
    _ expected: curl_off_t,
    _ received: curl_off_t,
    _ toSend: curl_off_t,
    _ sent: curl_off_t
) -> Int32 {
    transfer(context)?.moved(received: Int(received), sent: Int(sent))
    return 0
}

func traceWire(
    _ handle: UnsafeMutableRawPointer?,
    _ kind: curl_infotype,
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    let entry: WireTraceEntry.Kind
    switch kind {
    case CURLINFO_TEXT: entry = .remark
    case CURLINFO_HEADER_IN: entry = .headerIn
    case CURLINFO_HEADER_OUT: entry = .headerOut
    default: return 0
    }
    let text = UnsafeRawBufferPointer(start: bytes, count: count)
    transfer(context)?.trace(entry, HTTPField.text(of: text))
    return 0
}
