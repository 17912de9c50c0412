public protocol T { var path: String { get } }
extension T {
 @available(*, unavailable, message: "write headerFields")
 public var headers: [String: String]? { nil }
}
