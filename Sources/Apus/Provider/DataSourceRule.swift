/// Decides, knowing the cached answer, whether the server is asked and whether
/// its answer is stored.
public protocol DataSourceRule: Sendable {
    /// Whether to ask the server; `cached` is nil on a miss.
    func shouldSendRequest(_ target: any TargetType, cached: Response?) -> Bool
    /// Whether the server's answer takes the place of the cached one.
    func shouldUpdateCache(_ target: any TargetType, cached: Response?, fresh: Response) -> Bool
}
