import Apus
import FoundationEssentials
import HTTPTypes

/// A target whose every property can be given.
struct TestTarget: TargetType {
    var base = "http://api.test"
    var path = "/users/7"
    var method = HTTPRequest.Method.get
    var task = RequestTask.plain
    var headerFields: HTTPFields = [:]
    var validation = Validation.none
    var cachePolicy = CachePolicy.keep(in: .memory)
    var options = TransportOptions()

    var baseURL: URL {
        guard let url = URL(string: base) else { preconditionFailure("not a URL: \(base)") }
        return url
    }
}
