// Half of the instructions of a small request are libcurl's own, so the rest must add little: a
// head is read at its end; handles keep the options of a plain GET (`preset`); fields are given as
// lines, which libcurl writes once and not twice; URLs are given parsed (`CURLOPT_CURLU`), because
// libcurl parses and prints them again for every transfer: a seventh of all.

import CCurl
import Glibc
import HTTPTypes

/// One easy handle of libcurl: options in, callbacks out, facts afterwards.
///
/// It belongs to the engine's thread. No pointer leaves this file, that of its
/// facts, `CurlMulti` and the callbacks.
final class CurlHandle {
    private(set) var pointer: UnsafeMutableRawPointer
    /// What comes in goes to this transfer; it is set while the handle is in use.
    var transfer: CurlTransfer?
    /// Whether the last body was long: the next one often is too.
    var hadLongBody = false
    /// The head of the answer that comes in.
    let head: HeadCollector
    /// Where the handle is among those in use.
    var place = 0
    /// The request that the options were set for, if they may stay for the next
    /// one; nil for a handle as new.
    var preset: PreparedRequest?
    /// Whether its connection may be one of HTTP/2, which others use too.
    var mayShareConnection = false

    /// Under 64 KiB, for glibc tidies its heap, and often gives memory back, whenever
    /// more is freed: with 128 KiB a small request takes a tenth longer.
    private static let usualBufferSize = 60_000
    private static let largeBufferSize = 512 << 10

    private var hasLargeBuffer = false
    /// The URL, taken apart by libcurl.
    private let urlParts: OpaquePointer?
    private(set) var url = ""
    /// The URL without its password.
    private(set) var urlShown = ""
    private var reportsProgress = false
    private var sendsTrailers = false
    let address = RemoteAddress()
    /// What watches over the sockets that are opened for it; nil for a handle that is never sent.
    let watchdog: TurnWatchdog?
    private let message: UnsafeMutablePointer<CChar>
    private var headerLines: UnsafeMutablePointer<curl_slist>?
    private var connectTo: UnsafeMutablePointer<curl_slist>?
    /// Kept for as long as libcurl's handle has it.
    private var cookies: CurlCookies?

    init(
        headLimits: FieldLimits = .init(),
        watchdog: TurnWatchdog? = nil
    ) throws(CurlFault) {
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
        curl_easy_cleanup(pointer)
        curl_url_cleanup(urlParts)
        curl_slist_free_all(headerLines)
        curl_slist_free_all(connectTo)
        message.deallocate()
    }

    /// The handle that a pointer of libcurl's belongs to.
    static func of(_ pointer: UnsafeMutableRawPointer) -> CurlHandle? {
        var context: UnsafeMutableRawPointer?
        guard ccurl_get_context(pointer, &context) == CURLE_OK, let context else { return nil }
        return Unmanaged<CurlHandle>.fromOpaque(context).takeUnretainedValue()
    }

    /// What libcurl says about the last failure; empty if nothing.
    var detail: String { String(cString: message) }

    /// Makes the handle wait for its next transfer; false if it cannot serve one.
    ///
    /// With a preset its options stay, in a copy where libcurl must not use the handle itself again: to
    /// set them all anew costs a tenth of a small request. Else nothing of the last transfer stays.
    func rest(afterFailure hasFailed: Bool) -> Bool {
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

    /// Makes the handle as new; false if that cannot be.
    ///
    /// It is a new one of libcurl's. A reset would keep cookies, and in 7.88 a pointer to freed headers,
    /// and the state of trailers, with which a second body crashes.
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

    /// Sets what every transfer has.
    ///
    /// libcurl refuses a buffer size for a handle that still has its buffer:
    /// many of those that shared an HTTP/2 connection, or failed before they had
    /// one. Without it, it would read in pieces of 16 KiB.
    private func prepare() -> Bool {
        ccurl_set_pointer(pointer, CURLOPT_ERRORBUFFER, message)
        // Unretained: libcurl calls back only while the handle is in use.
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
        if let watchdog {
            // A connection keeps this longer than the handle that made it: the set has it too.
            let context = Unmanaged.passUnretained(watchdog).toOpaque()
            ccurl_set_close_callback(pointer, closeSocket, context)
        }
        ccurl_set_pointer(pointer, CURLOPT_PRIVATE, context)
        hasLargeBuffer = false
        return ccurl_set_long(pointer, CURLOPT_BUFFERSIZE, Self.usualBufferSize) == CURLE_OK
            && ccurl_set_long(pointer, CURLOPT_UPLOAD_BUFFERSIZE, 256 << 10) == CURLE_OK
    }

    // MARK: options

    /// Sends fields behind a body that goes in chunks.
    func setTrailerCallback() throws(CurlFault) {
        sendsTrailers = true
        let context = Unmanaged.passUnretained(self).toOpaque()
        try Self.check(
            ccurl_set_trailer_callback(pointer, addTrailers, context),
            setting: CURLOPT_TRAILERFUNCTION
        )
    }

    func set(_ option: CURLoption, _ value: Int) throws(CurlFault) {
        try Self.check(ccurl_set_long(pointer, option, value), setting: option)
    }

    func set(_ option: CURLoption, _ value: Bool) throws(CurlFault) {
        try set(option, value ? 1 : 0)
    }

    func set(_ option: CURLoption, _ value: String?) throws(CurlFault) {
        try Self.check(ccurl_set_string(pointer, option, value), setting: option)
    }

    func set(_ option: CURLoption, byteCount: Int) throws(CurlFault) {
        try Self.check(
            ccurl_set_offset(pointer, option, curl_off_t(byteCount)),
            setting: option
        )
    }

    /// Header lines as libcurl wants them: `Name: value`, `Name;` for an empty
    /// value, `Name:` to leave one out; each ends with a NUL.
    func setHeaderLines(_ lines: [[UInt8]]) throws(CurlFault) {
        var last = headerLines
        for line in lines {
            // Given the last line, libcurl need not walk to it from the first.
            let longer = line.withUnsafeBytes { bytes in
                curl_slist_append(last, bytes.bindMemory(to: CChar.self).baseAddress)
            }
            guard let longer else {
                throw CurlFault(code: Int(CURLE_OUT_OF_MEMORY.rawValue), detail: "out of memory")
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

    /// Takes fields away, and the client certificate, from the next hop on.
    func withhold(_ names: [HTTPField.Name]) throws(CurlFault) {
        let names = Set(names.map(\.canonicalName))
        try removeHeaderLines(where: names.contains)
        for option in [CURLOPT_COOKIE, CURLOPT_SSLCERT, CURLOPT_SSLKEY, CURLOPT_KEYPASSWD] {
            try set(option, String?.none)
        }
        // Its `default`, and a host's entry for all of its ports, are for any origin.
        try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
    }

    /// Takes the lines of some fields away, from the next hop on; names come in small letters.
    func removeHeaderLines(where isLeftOut: (String) -> Bool) throws(CurlFault) {
        let old = headerLines
        headerLines = nil
        defer { curl_slist_free_all(old) }
        var kept: [[UInt8]] = []
        var item = old
        while let line = item?.pointee {
            item = line.next
            guard let text = line.data.map({ String(cString: $0) }) else { continue }
            let name = text.prefix { $0 != ":" && $0 != ";" }.lowercased()
            guard !isLeftOut(name), let data = line.data else { continue }
            kept.append(
                Array(UnsafeBufferPointer(start: data, count: strlen(data) + 1)).map(
                    UInt8.init(bitPattern:)
                )
            )
        }
        // libcurl must know no list that is freed, also if the new one fails.
        try Self.check(
            ccurl_set_list(pointer, CURLOPT_HTTPHEADER, nil),
            setting: CURLOPT_HTTPHEADER
        )
        try setHeaderLines(kept)
    }

    /// Scheme, host and port of a URL as libcurl reads it, given where it was found; nil if it
    /// cannot be told.
    func origin(of text: String, from base: String? = nil) -> String? {
        guard let parts = curl_url() else { return nil }
        defer { curl_url_cleanup(parts) }
        // As Curl_follow has them.
        let flags = UInt32(CURLU_URLENCODE | CURLU_ALLOW_SPACE | CURLU_PATH_AS_IS)
        for text in [base, text].compactMap(\.self) {
            guard curl_url_set(parts, CURLUPART_URL, text, flags) == CURLUE_OK else { return nil }
        }
        var origin: [String] = []
        // The zone of an address is no part of the host here, but `[fe80::1]` of two links are two.
        for part in [CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_ZONEID, CURLUPART_PORT] {
            var text: UnsafeMutablePointer<CChar>?
            let code = curl_url_get(parts, part, &text, UInt32(CURLU_DEFAULT_PORT))
            if code == CURLUE_NO_ZONEID {
                origin.append("")
                continue
            }
            guard code == CURLUE_OK, let text else { return nil }
            origin.append(String(cString: text).lowercased())
            curl_free(text)
        }
        let zone = origin[2].isEmpty ? "" : "%\(origin[2])"
        return "\(origin[0])://\(origin[1])\(zone):\(origin[3])"
    }

    /// Where connections go instead, as libcurl writes it: `host:port:to:port`.
    func setConnectTo(_ routes: [String]) throws(CurlFault) {
        for route in routes {
            guard let longer = curl_slist_append(connectTo, route) else {
                throw CurlFault(code: Int(CURLE_OUT_OF_MEMORY.rawValue), detail: "out of memory")
            }
            connectTo = longer
        }
        try Self.check(
            ccurl_set_list(pointer, CURLOPT_CONNECT_TO, connectTo),
            setting: CURLOPT_CONNECT_TO
        )
    }

    /// Reads in larger pieces, or not; a buffer that is there stays as it is.
    func expectLongBody(_ isLong: Bool) {
        guard isLong != hasLargeBuffer else { return }
        let size = isLong ? Self.largeBufferSize : Self.usualBufferSize
        guard ccurl_set_long(pointer, CURLOPT_BUFFERSIZE, size) == CURLE_OK else { return }
        hasLargeBuffer = isLong
    }

    /// Sets where the transfer goes.
    ///
    /// The URL is taken apart here: libcurl would do it for every transfer, and put the parts
    /// together again, one in seven instructions of a small request.
    func setURL(_ text: String) throws(CurlFault) {
        try set(CURLOPT_URL, text)
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS)
        // Without parts libcurl tries itself, and tells what is wrong.
        let isWhole = curl_url_set(urlParts, CURLUPART_URL, text, flags) == CURLUE_OK
        let parts = isWhole ? urlParts.map { UnsafeMutableRawPointer($0) } : nil
        try Self.check(ccurl_set_pointer(pointer, CURLOPT_CURLU, parts), setting: CURLOPT_CURLU)
        url = text
        urlShown = CredentialMask.maskingUser(in: text)
    }

    /// Has the transfer told how far it is, or not.
    func reportProgress(_ isWanted: Bool) throws(CurlFault) {
        guard isWanted != reportsProgress else { return }
        reportsProgress = isWanted
        ccurl_set_progress_callback(pointer, tellProgress)
        ccurl_set_pointer(pointer, CURLOPT_XFERINFODATA, Unmanaged.passUnretained(self).toOpaque())
        try set(CURLOPT_NOPROGRESS, !isWanted)
    }

    /// Gives what goes over the wire to the transfer.
    func trace() throws(CurlFault) {
        ccurl_set_debug_callback(pointer, traceWire)
        ccurl_set_pointer(pointer, CURLOPT_DEBUGDATA, Unmanaged.passUnretained(self).toOpaque())
        try set(CURLOPT_VERBOSE, true)
    }

    /// Sends and takes the cookies of a jar.
    func use(_ cookies: CurlCookies) throws(CurlFault) {
        try list(cookies)
        self.cookies = cookies
    }

    /// Has the cookies of a jar to list and edit them, without keeping the jar: it keeps the handle.
    func list(_ cookies: CurlCookies) throws(CurlFault) {
        try Self.check(cookies.attach(to: pointer), setting: CURLOPT_SHARE)
        // No file: its name is what makes a handle look at cookies at all.
        try set(CURLOPT_COOKIEFILE, "")
    }

    /// The cookies as lines of a cookie file.
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

    /// Lets a paused transfer go on; the body callback may run inside.
    func unpause() { _ = ccurl_unpause(pointer) }

    private static func check(
        _ code: CURLcode,
        setting option: CURLoption
    ) throws(CurlFault) {
        guard code == CURLE_OK else {
            let words = curl_easy_strerror(code).map { String(cString: $0) } ?? ""
            throw CurlFault(
                code: Int(code.rawValue),
                detail: "option \(option.rawValue): \(words)"
            )
        }
    }
}
