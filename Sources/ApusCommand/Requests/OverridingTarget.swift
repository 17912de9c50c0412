import Apus
import FoundationEssentials
import HTTPTypes

/// A target with another cache policy or other options than its own.
struct OverridingTarget: TargetType {
    let baseURL: URL
    let path: String
    let method: HTTPRequest.Method
    var task: RequestTask
    var headerFields: HTTPFields
    let validation: Validation
    var cachePolicy: CachePolicy
    var options: TransportOptions

    /// Begins with all that the target has.
    init(_ target: some TargetType) {
        baseURL = target.baseURL
        path = target.path
        method = target.method
        task = target.task
        headerFields = target.headerFields
        validation = target.validation
        cachePolicy = target.cachePolicy
        options = target.options
    }
}
