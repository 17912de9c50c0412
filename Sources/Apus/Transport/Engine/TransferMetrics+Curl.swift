import CCurl

extension TransferMetrics {
    /// What a handle measured.
    init(
        _ handle: CurlHandle,
        _ transfer: CurlTransfer,
        _ fault: Box<ApusError.Reason>?,
        _ certificates: [Certificate]
    ) {
        let hop = transfer.times(handle)
        let hasAnswer = handle.head.isComplete
        phases = hop.phases(
            total: handle.offset(CURLINFO_TOTAL_TIME_T),
            redirects: handle.offset(CURLINFO_REDIRECT_TIME_T)
        )
        bytesSent = handle.offset(CURLINFO_SIZE_UPLOAD_T)
        bytesReceived = handle.offset(CURLINFO_SIZE_DOWNLOAD_T)
        negotiatedVersion = hasAnswer ? Self.version(handle) : nil
        remoteAddress = handle.remoteAddressText()
        reusedConnection = hasAnswer && hop.newConnections == 0
        redirects = transfer.followedRedirects(endingWith: fault)
        effectiveURL = handle.shownURL()
        self.certificates = certificates
        irregularHeaderLines = handle.head.irregularLines
        trace = transfer.wireTrace?.entries ?? []
    }

    private static func version(_ handle: CurlHandle) -> String? {
        switch handle.number(CURLINFO_HTTP_VERSION) {
        case CURL_HTTP_VERSION_1_0: "1.0"
        case CURL_HTTP_VERSION_1_1: "1.1"
        case CURL_HTTP_VERSION_2_0: "2"
        case CURL_HTTP_VERSION_3: "3"
        default: nil
        }
    }
}
