import Apus
import FoundationEssentials

/// A GET that keeps nothing.
struct Get: TargetType {
    let baseURL: URL
    let path = ""
}
