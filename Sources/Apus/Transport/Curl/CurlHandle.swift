// Half of the instructions of a small request are libcurl's own, so ours must be few. A head is parsed
// once, at its end. Handles keep the options of a plain GET (`preset`). Fields are set as header lines,
// which libcurl writes once instead of twice. URLs are set in parsed form (`CURLOPT_CURLU`), because
// libcurl would parse and print them again for every transfer, a seventh of all instructions.

import CCurl
import Documents
import Glibc
import HTTPTypes
import Secrets

/// An easy handle of libcurl: its options, its callbacks and the facts after a transfer.
///
/// It belongs to the engine's thread. Only this file, `CurlHandle+Facts`, `CurlMulti` and the callbacks use
/// its pointers.
final class CurlHandle {
    private(set) var pointer: UnsafeMutableRawPointer
    /// The transfer that receives the callbacks; set while the handle is in use.
    var transfer: CurlTransfer?
    /// Whether the last body was long; the next one often is too.
    var hadLongBody = false
    /// Collects the head of the response.
    let head: HeadCollector
    /// The handle's index among those in use.
    var place = 0
    /// The request whose options are set, if they may stay for the next one; nil for a new handle.
    var preset: PreparedRequest?
    /// Whether its connection may be an HTTP/2 connection that other transfers share.
    var mayShareConnection = false

    /// Under 64 KiB, because glibc trims its heap, often returning memory to the system, whenever more is
    /// freed: with 128 KiB a small request takes a tenth longer.
    private static let usualBufferSize = 60_000
    private static let largeBufferSize = 512 << 10

    private var hasLargeBuffer = false
    /// The URL, parsed by libcurl.
    private let urlParts: OpaquePointer?
    private(set) var url = ""
    /// The URL without its password.
    private(set) var urlShown = ""
    /// The number of the last handshake that began; 0 if none did.
    private var handshake: UInt = 0
    private var reportsProgress = false
    private var sendsTrailers = false
    let address = RemoteAddress()
    /// Watches the sockets opened for the handle; nil for a handle that is never sent.
    let watchdog: TurnWatchdog?
    private let message: UnsafeMutablePointer<CChar>
    private var headerLines: UnsafeMutablePointer<curl_slist>?
    private var connectTo: UnsafeMutablePointer<curl_slist>?
    /// Retained while libcurl's handle uses it.
    private var cookies: CurlCookies?

    init(
        headLimits: FieldLimits = .init(),
        watchdog: TurnWatchdog? = nil
    ) throws(CurlError) {
        guard let pointer = curl_easy_init() else { throw .notLoaded("curl_easy_init") }
        self.watchdog = watchdog
        head = HeadCollector(limits: headLimits)
        self.pointer = pointer
        urlParts = curl_url()
        message = .allocate(capacity: Int(CURL_ERROR_SIZE))
        message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        _ = prepare()
    }

    deinit {
        _ = takeHandshake()
        curl_easy_cleanup(pointer)
        curl_url_cleanup(urlParts)
        curl_slist_free_all(headerLines)
        curl_slist_free_all(connectTo)
        message.deallocate()
    }

    /// The handle that owns a libcurl pointer.
    static func of(_ pointer: UnsafeMutableRawPointer) -> CurlHandle? {
        var context: UnsafeMutableRawPointer?
        guard ccurl_get_context(pointer, &context) == CURLE_OK, let context else { return nil }
        return Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
    }

    /// libcurl's message about the last failure; empty if there is none.
    var detail: String { String(cString: message) }

    /// Prepares the handle for its next transfer; returns false if it cannot be used again.
    ///
    /// With a preset, its options are kept, because setting them all again costs a tenth of a small request. They
    /// move to a copy if libcurl must not reuse the handle itself. Otherwise the handle is replaced.
    func rest(afterFailure hasFailed: Bool) -> Bool {
        _ = takeHandshake()
        message.pointee = 0
        head.reset()
        guard preset != nil, !hasFailed, !sendsTrailers else { return renew() }
        return !CurlLibrary.keepsFreedHeaders || replace(by: curl_easy_duphandle(pointer))
    }

    private func replace(by new: UnsafeMutableRawPointer?) -> Bool {
        guard let new else { return false }
        curl_easy_cleanup(pointer)
        pointer = new
        return true
    }

    /// Replaces libcurl's handle with a new one; returns false on failure.
    ///
    /// A reset would keep cookies, and in libcurl 7.88 also a pointer to freed headers and the state of
    /// trailers, which makes a second body crash.
    func renew() -> Bool {
        guard replace(by: curl_easy_init()) else { return false }
        cookies = nil
        curl_slist_free_all(headerLines)
        headerLines = nil
        curl_slist_free_all(connectTo)
        connectTo = nil
        reportsProgress = false
        sendsTrailers = false
        preset = nil
        return prepare()
    }

    /// Sets the options that every transfer needs.
    ///
    /// libcurl refuses a buffer size for a handle that still has its buffer, such as many that shared an
    /// HTTP/2 connection or failed early. Such a handle would read in pieces of 16 KiB, so it is not used.
    private func prepare() -> Bool {
        ccurl_set_pointer(pointer, CURLOPT_ERRORBUFFER, message)
        // Unretained, because libcurl calls back only while the handle is in use.
        let context = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_data_callback(pointer, CURLOPT_HEADERFUNCTION, receiveHeaderLine)
        ccurl_set_pointer(pointer, CURLOPT_HEADERDATA, context)
        ccurl_set_data_callback(pointer, CURLOPT_WRITEFUNCTION, receiveBody)
        ccurl_set_pointer(pointer, CURLOPT_WRITEDATA, context)
        ccurl_set_data_callback(pointer, CURLOPT_READFUNCTION, readBody)
        ccurl_set_pointer(pointer, CURLOPT_READDATA, context)
        ccurl_set_seek_callback(pointer, seekBody)
        ccurl_set_pointer(pointer, CURLOPT_SEEKDATA, context)
        ccurl_set_socket_callback(pointer, openSocket, context)
        ccurl_set_hop_callback(pointer, beginHop, context)
        // Not every TLS library has it; then handshakes are not noted.
        _ = ccurl_set_tls_callback(pointer, beginHandshake, context)
        if let watchdog {
            // A connection can outlive the handle that opened it; the multi handle retains the watchdog too.
            let context = Unmanaged.passUnretained(watchdog).toOpaque()
            ccurl_set_close_callback(pointer, closeSocket, context)
        }
        ccurl_set_pointer(pointer, CURLOPT_PRIVATE, context)
        hasLargeBuffer = false
        return ccurl_set_long(pointer, CURLOPT_BUFFERSIZE, Self.usualBufferSize) == CURLE_OK
            && ccurl_set_long(pointer, CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10) == CURLE_OK
    }

    // MARK: handshakes

    /// A number for the handshake that begins; an earlier one is forgotten.
    func expectHandshake() -> UInt {
        _ = takeHandshake()
        handshake = TLSHandshake.expect()
        return handshake
    }

    /// The last handshake since the last call; nil if there was none or it did not get to a certificate.
    func takeHandshake() -> TLSHandshake? {
        guard handshake != 0 else { return nil }
        defer { handshake = 0 }
        return TLSHandshake.removeExpected(handshake)
    }

    // MARK: options

    /// Sends trailer fields after a chunked body.
    func setTrailerCallback() throws(CurlError) {
        sendsTrailers = true
        let context = Unmanaged.passUnretained(self).toOpaque()
        try Self.check(
            ccurl_set_trailer_callback(pointer, addTrailers, context),
            setting: CURLOPT_TRAILERFUNCTION
        )
    }

    func set(_ option: CURLoption, _ value: Int) throws(CurlError) {
        try Self.check(ccurl_set_long(pointer, option, value), setting: option)
    }

    func set(_ option: CURLoption, _ value: Bool) throws(CurlError) {
        try set(option, value ? 1 : 0)
    }

    func set(_ option: CURLoption, _ value: String?) throws(CurlError) {
        try Self.check(ccurl_set_string(pointer, option, value), setting: option)
    }

    func set(_ option: CURLoption, byteCount: Int) throws(CurlError) {
        try Self.check(
            ccurl_set_offset(pointer, option, curl_off_t(byteCount)),
            setting: option
        )
    }

    /// Sets header lines in libcurl's form: `Name: value`, `Name;` for an empty value, `Name:` to leave a
    /// field out; each ends with a NUL.
    func setHeaderLines(_ lines: [[UInt8]]) throws(CurlError) {
        var last = headerLines
        for line in lines {
            // With the last line as argument, libcurl does not walk the whole list.
            let longer = line.withUnsafeBytes { bytes in
                curl_slist_append(last, bytes.bindMemory(to: CChar.self).baseAddress)
            }
            guard let longer else {
                throw CurlError(code: Int(CURLE_OUT_OF_MEMORY.rawValue), detail: "out of memory")
            }
            headerLines = headerLines ?? longer
            last = longer
            while let next = last?.pointee.next { last = next }
        }
        guard headerLines != nil else { return }
        try Self.check(
            ccurl_set_list(pointer, CURLOPT_HTTPHEADER, headerLines),
            setting: CURLOPT_HTTPHEADER
        )
    }

    /// Removes fields and the client certificate, from the next hop on.
    func withhold(_ names: [HTTPField.Name]) throws(CurlError) {
        let names = Set(names.map(\.canonicalName))
        try removeHeaderLines(where: names.contains)
        for option in [CURLOPT_COOKIE, CURLOPT_SSLCERT, CURLOPT_SSLKEY, CURLOPT_KEYPASSWD] {
            try set(option, String?.none)
        }
        // The file's `default` entry, and a host's entry, which covers all ports, apply to any origin.
        try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    }

    /// Removes the lines of some fields, from the next hop on; names are passed in lowercase.
    func removeHeaderLines(where isLeftOut: (String) -> Bool) throws(CurlError) {
        let old = headerLines
        headerLines = nil
        defer { curl_slist_free_all(old) }
        var kept: [[UInt8]] = []
        var item = old
        while let line = item?.pointee {
            item = line.next
            guard let text = line.data.map({ String(cString: $0) }) else { continue }
            let name = text.prefix { $0 != ":" && $0 != ";" }.asciiLowercased
            guard !isLeftOut(name), let data = line.data else { continue }
            kept.append(
                Array(UnsafeBufferPointer(start: data, count: strlen(data) + 1)).map(
                    UInt8.init(bitPattern:)
                )
            )
        }
        // libcurl must not keep a pointer to a freed list, even if the new one fails.
        try Self.check(
            ccurl_set_list(pointer, CURLOPT_HTTPHEADER, nil),
            setting: CURLOPT_HTTPHEADER
        )
        try setHeaderLines(kept)
    }

    /// The scheme, host and port of a URL as libcurl reads it, relative to `base`; nil if it cannot be parsed.
    func origin(of text: String, from base: String? = nil) -> String? {
        guard let parts = curl_url() else { return nil }
        defer { curl_url_cleanup(parts) }
        // The flags that libcurl's Curl_follow uses.
        let flags = UInt32(CURLU_URLENCODE | CURLU_ALLOW_SPACE | CURLU_PATH_AS_IS)
        for text in [base, text].compactMap(\.self) {
            guard curl_url_set(parts, CURLUPART_URL, text, flags) == CURLUE_OK else { return nil }
        }
        var origin: [String] = []
        // libcurl does not count the zone as part of the host, but `[fe80::1]` on two links are two hosts.
        for part in [CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_ZONEID, CURLUPART_PORT] {
            var text: UnsafeMutablePointer<CChar>?
            let code = curl_url_get(parts, part, &text, UInt32(CURLU_DEFAULT_PORT))
            if code == CURLUE_NO_ZONEID {
                origin.append("")
                continue
            }
            guard code == CURLUE_OK, let text else { return nil }
            origin.append(String(cString: text).asciiLowercased)
            curl_free(text)
        }
        let zone = origin[2].isEmpty ? "" : "%\(origin[2])"
        return "\(origin[0])://\(origin[1])\(zone):\(origin[3])"
    }

    /// The URL, without a fragment, that libcurl would go to from `base`; nil if it cannot parse it.
    func resolved(_ location: RedirectLocation, from base: String) -> String? {
        guard let parts = curl_url() else { return nil }
        defer { curl_url_cleanup(parts) }
        // The flags that libcurl's Curl_follow uses.
        let flags = UInt32(CURLU_URLENCODE | CURLU_ALLOW_SPACE | CURLU_PATH_AS_IS)
        guard curl_url_set(parts, CURLUPART_URL, base, flags) == CURLUE_OK,
            location.withCString({ curl_url_set(parts, CURLUPART_URL, $0, flags) }) == CURLUE_OK
        else { return nil }
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(parts, CURLUPART_URL, &text, 0) == CURLUE_OK, let text else {
            return nil
        }
        defer { curl_free(text) }
        return Self.withoutFragment(String(cString: text))
    }

    /// Reroutes connections; each route has libcurl's form `host:port:to:port`.
    func setConnectTo(_ routes: [String]) throws(CurlError) {
        for route in routes {
            guard let longer = curl_slist_append(connectTo, route) else {
                throw CurlError(code: Int(CURLE_OUT_OF_MEMORY.rawValue), detail: "out of memory")
            }
            connectTo = longer
        }
        try Self.check(
            ccurl_set_list(pointer, CURLOPT_CONNECT_TO, connectTo),
            setting: CURLOPT_CONNECT_TO
        )
    }

    /// Chooses a large or the usual read buffer; an existing buffer keeps its size.
    func expectLongBody(_ isLong: Bool) {
        guard isLong != hasLargeBuffer else { return }
        let size = isLong ? Self.largeBufferSize : Self.usualBufferSize
        guard ccurl_set_long(pointer, CURLOPT_BUFFERSIZE, size) == CURLE_OK else { return }
        hasLargeBuffer = isLong
    }

    /// Sets the URL of the transfer.
    ///
    /// The URL is parsed here, because libcurl would parse it for every transfer and print it again, a
    /// seventh of the instructions of a small request.
    func setURL(_ text: String) throws(CurlError) {
        try set(CURLOPT_URL, text)
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS)
        // Without the parts, libcurl parses the URL itself and reports what is wrong.
        let isWhole = curl_url_set(urlParts, CURLUPART_URL, text, flags) == CURLUE_OK
        let parts = isWhole ? urlParts.map { UnsafeMutableRawPointer($0) } : nil
        try Self.check(ccurl_set_pointer(pointer, CURLOPT_CURLU, parts), setting: CURLOPT_CURLU)
        url = text
        urlShown = CredentialMask.maskingUser(in: text)
    }

    /// Turns progress reports to the transfer on or off.
    func reportProgress(_ isWanted: Bool) throws(CurlError) {
        guard isWanted != reportsProgress else { return }
        reportsProgress = isWanted
        ccurl_set_progress_callback(pointer, tellProgress)
        ccurl_set_pointer(pointer, CURLOPT_XFERINFODATA, Unmanaged.passUnretained(self).toOpaque())
        try set(CURLOPT_NOPROGRESS, !isWanted)
    }

    /// Reports the traffic on the wire to the transfer.
    func trace() throws(CurlError) {
        ccurl_set_debug_callback(pointer, traceWire)
        ccurl_set_pointer(pointer, CURLOPT_DEBUGDATA, Unmanaged.passUnretained(self).toOpaque())
        try set(CURLOPT_VERBOSE, true)
    }

    /// Sends and stores the cookies of a jar.
    func use(_ cookies: CurlCookies) throws(CurlError) {
        try list(cookies)
        self.cookies = cookies
    }

    /// Attaches the cookies of a jar without retaining the jar, which retains this handle.
    func list(_ cookies: CurlCookies) throws(CurlError) {
        try Self.check(cookies.attach(to: pointer), setting: CURLOPT_SHARE)
        // The empty name reads no file, but makes the handle use cookies.
        try set(CURLOPT_COOKIEFILE, "")
    }

    func cookieLines() -> [String] {
        var list: UnsafeMutablePointer<curl_slist>?
        guard ccurl_get_list(pointer, CURLINFO_COOKIELIST, &list) == CURLE_OK else { return [] }
        defer { curl_slist_free_all(list) }
        var lines: [String] = []
        var item = list
        while let current = item {
            if let data = current.pointee.data { lines.append(String(cString: data)) }
            item = current.pointee.next
        }
        return lines
    }

    /// Resumes a paused transfer; the body callback may run during the call.
    func unpause() { _ = ccurl_unpause(pointer) }

    private static func check(
        _ code: CURLcode,
        setting option: CURLoption
    ) throws(CurlError) {
        guard code == CURLE_OK else {
            let words = curl_easy_strerror(code).map { String(cString: $0) } ?? ""
            throw CurlError(
                code: Int(code.rawValue),
                detail: "option \(option.rawValue): \(words)"
            )
        }
    }
}
