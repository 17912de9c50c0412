// Nothing of this is read: it lets the compiler list what a target of Moya has left over. Moya's properties of
// other names would otherwise compile and be ignored, because every requirement of `TargetType` but two has a
// default.
//
// A property of Moya's type becomes the witness of a requirement here, and its type an associated type. Only if
// that type is `NoMoyaProperty` is there a default implementation of `headersOfMoya` and its like that is not
// deprecated; otherwise the compiler warns that it uses a deprecated one, with our message. Properties of the same
// name and another type are no witnesses, so a target may have them.

public import FoundationEssentials

/// What the compiler looks for in a target that was written for Moya.
public protocol MoyaLeftovers {
    /// The type of a property `headers`.
    associatedtype MoyaHeaders: MoyaHeadersValue = NoMoyaProperty
    /// The type of a property `sampleData`.
    associatedtype MoyaSampleData: MoyaSampleDataValue = NoMoyaProperty
    /// The type of a property `validationType`.
    associatedtype MoyaValidation: MoyaValidationValue = NoMoyaProperty

    /// Not read: write ``TargetType/headerFields``.
    var headers: MoyaHeaders { get }
    /// Not read: write ``TargetType/sample``.
    var sampleData: MoyaSampleData { get }
    /// Not read: write ``TargetType/validation``.
    var validationType: MoyaValidation { get }

    /// Makes the compiler warn of `headers`.
    static var headersOfMoya: Void { get }
    /// Makes the compiler warn of `sampleData`.
    static var sampleDataOfMoya: Void { get }
    /// Makes the compiler warn of `validationType`.
    static var validationTypeOfMoya: Void { get }
}

/// Moya's type of `headers`, or none.
public protocol MoyaHeadersValue {}
/// Moya's type of `sampleData`, or none.
public protocol MoyaSampleDataValue {}
/// The type that stands for Moya's `ValidationType`, or none.
public protocol MoyaValidationValue {}

/// Says that a target has no property of this name and of Moya's type.
public struct NoMoyaProperty: Sendable, MoyaHeadersValue, MoyaSampleDataValue, MoyaValidationValue {
}

extension Optional: MoyaHeadersValue where Wrapped == [String: String] {}
extension Data: MoyaSampleDataValue {}
extension Validation: MoyaValidationValue {}

/// Moya's name of ``Validation``.
@available(*, deprecated, renamed: "Validation")
public typealias ValidationType = Validation

extension MoyaLeftovers where MoyaHeaders == NoMoyaProperty {
    /// There is no such property.
    public var headers: NoMoyaProperty { NoMoyaProperty() }
    /// There is nothing to warn of.
    public static var headersOfMoya: Void { () }
}

extension MoyaLeftovers where MoyaSampleData == NoMoyaProperty {
    /// There is no such property.
    public var sampleData: NoMoyaProperty { NoMoyaProperty() }
    /// There is nothing to warn of.
    public static var sampleDataOfMoya: Void { () }
}

extension MoyaLeftovers where MoyaValidation == NoMoyaProperty {
    /// There is no such property.
    public var validationType: NoMoyaProperty { NoMoyaProperty() }
    /// There is nothing to warn of.
    public static var validationTypeOfMoya: Void { () }
}

extension MoyaLeftovers {
    /// Chosen, with a warning, for a target that has `headers`.
    @available(
        *,
        deprecated,
        message: "`headers` is not read. Write `var headerFields: HTTPFields { [.accept: \"…\"] }`."
    )
    public static var headersOfMoya: Void { () }
    /// Chosen, with a warning, for a target that has `sampleData`.
    @available(
        *,
        deprecated,
        message: "`sampleData` is not read. Write `var sample: StubResponse { .json(\"…\") }`."
    )
    public static var sampleDataOfMoya: Void { () }
    /// Chosen, with a warning, for a target that has `validationType`.
    @available(
        *,
        deprecated,
        message:
            "`validationType` is not read. Write `var validation: Validation { .successCodes }`."
    )
    public static var validationTypeOfMoya: Void { () }
}
