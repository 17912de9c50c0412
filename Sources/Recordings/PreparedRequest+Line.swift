import Apus
import HTTPTypes

extension PreparedRequest {
    /// The method and URL, as far as they may be shown.
    var recordedLine: ApusError.RequestLine {
        ApusError.RequestLine(method: head.method.rawValue, url: url)
    }
}
