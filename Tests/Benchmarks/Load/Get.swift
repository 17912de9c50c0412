import Apus
import FoundationEssentials

/// A GET that keeps nothing.
struct Get: TargetType {
    let baseURL: URL
    let path = ""
    // All bodies in memory: what is compared does the same.
    var options: TransportOptions { TransportOptions(memoryLimit: .max) }
}
