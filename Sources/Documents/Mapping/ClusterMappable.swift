/// A family of types, of which what is to be mapped decides one.
public protocol ClusterMappable: Mappable {
    /// An empty value of the type that fits; nil for this type itself.
    static func objectForMapping(map: Map) -> (any Mappable)?
}
