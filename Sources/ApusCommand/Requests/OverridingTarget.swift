import Apus
import FoundationEssentials
import HTTPTypes

/// A target, some of it overridden for one call.
struct OverridingTarget: TargetType {
    /// The target itself.
    let base: any TargetType
    var method: HTTPRequest.Method
    var task: RequestTask
    var headerFields: HTTPFields
    var cachePolicy: CachePolicy
    var options: TransportOptions

    /// Begins with all that the target has.
    init(_ target: some TargetType) {
        base = target
        method = target.method
        task = target.task
        headerFields = target.headerFields
        cachePolicy = target.cachePolicy
        options = target.options
    }

    var baseURL: URL { base.baseURL }
    var path: String { base.path }
    var validation: Validation { base.validation }
    var sample: StubAnswer { base.sample }
}
