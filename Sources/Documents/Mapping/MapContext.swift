/// What a caller hands to every `mapping(map:)`, such as a base address or a locale.
public protocol MapContext: Sendable {}
