import CCurl
import Glibc
import Secrets

/// What libcurl reports about a transfer (curl_easy_getinfo(3)).
extension CurlHandle {
    func number(_ info: CURLINFO) -> Int {
        var value = 0
        return ccurl_get_long(pointer, info, &value) == CURLE_OK ? value : 0
    }

    func offset(_ info: CURLINFO) -> Int {
        var value: curl_off_t = 0
        return ccurl_get_offset(pointer, info, &value) == CURLE_OK ? Int(value) : 0
    }

    /// Whether its connection is known and still open; valid until the handle is removed from its multi handle.
    var isConnected: Bool {
        var socket = CURL_SOCKET_BAD
        return ccurl_get_socket(pointer, &socket) == CURLE_OK && socket != CURL_SOCKET_BAD
    }

    func string(_ info: CURLINFO) -> String? { text(info).map { String(cString: $0) } }

    /// The URL of the last hop, without its password.
    func shownURL() -> String? {
        guard let text = text(CURLINFO_EFFECTIVE_URL) else { return nil }
        // It is usually the requested URL; then no new string is needed.
        let isOwn = url.utf8.withContiguousStorageIfAvailable { own in
            guard let start = own.baseAddress else { return false }
            return start.withMemoryRebound(to: CChar.self, capacity: own.count) {
                strncmp(text, $0, own.count) == 0 && text[own.count] == 0
            }
        }
        guard isOwn != true else { return urlShown }
        return CredentialMask.maskingUser(in: Self.withoutFragment(String(cString: text)))
    }

    /// A URL as it is requested: libcurl's has the fragment of a location.
    static func withoutFragment(_ url: String) -> String {
        let end = url.utf8.firstIndex(of: UInt8(ascii: "#"))
        return end.map { String(url[..<$0]) } ?? url
    }

    /// The address and port of the server.
    func remoteAddressText() -> String? {
        guard let ip = text(CURLINFO_PRIMARY_IP), ip.pointee != 0 else { return nil }
        return address.text(ip, port: number(CURLINFO_PRIMARY_PORT))
    }

    /// Whether the last connection used TLS.
    var isSecure: Bool {
        guard let scheme = text(CURLINFO_SCHEME) else { return false }
        return strcasecmp(scheme, "https") == 0
    }

    /// A string owned by libcurl, valid until the next call.
    private func text(_ info: CURLINFO) -> UnsafeMutablePointer<CChar>? {
        var value: UnsafeMutablePointer<CChar>?
        return ccurl_get_string(pointer, info, &value) == CURLE_OK ? value : nil
    }

    /// What was agreed on in the TLS session of the current hop; nil if it is not known.
    ///
    /// It is known only in a callback, over TLS, if libcurl's TLS library is OpenSSL.
    func session() -> TLSHandshake? {
        var session: UnsafeMutableRawPointer?
        guard ccurl_get_openssl(pointer, &session) != 0, let session else { return nil }
        return OpenSSL.library?.facts(of: session)
    }

    func certificates() -> [TransferMetrics.Certificate] {
        var chain: UnsafeMutablePointer<curl_certinfo>?
        guard ccurl_get_certificates(pointer, &chain) == CURLE_OK, let chain,
            let lists = chain.pointee.certinfo
        else { return [] }
        return (0..<Int(chain.pointee.num_of_certs)).map { index in
            var fields: [TransferMetrics.Certificate.Field] = []
            var item = lists[index]
            while let current = item {
                if let data = current.pointee.data {
                    let text = String(cString: data)
                    let name = text.prefix { $0 != ":" }
                    let value = text[name.endIndex...].dropFirst()
                    fields.append(.init(name: String(name), value: String(value)))
                }
                item = current.pointee.next
            }
            return TransferMetrics.Certificate(fields: fields)
        }
    }
}

/// Formats the server's address; the text is made again only when the address changes.
final class RemoteAddress {
    /// More bytes than any address has.
    private static let room = 64

    private let known: UnsafeMutablePointer<CChar>
    private var knownPort = 0
    private var text = ""

    init() {
        known = .allocate(capacity: Self.room)
        known.initialize(repeating: 0, count: Self.room)
    }

    deinit { known.deallocate() }

    /// `192.0.2.1:80`, or `[2001:db8::1]:80`.
    func text(_ address: UnsafePointer<CChar>, port: Int) -> String {
        if port == knownPort, strcmp(address, known) == 0 { return text }
        strncpy(known, address, Self.room - 1)
        knownPort = port
        let isVersion6 = strchr(address, Int32(UInt8(ascii: ":"))) != nil
        let host = String(cString: address)
        text = isVersion6 ? "[\(host)]:\(port)" : "\(host):\(port)"
        return text
    }
}
