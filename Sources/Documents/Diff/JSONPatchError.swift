/// Why a JSON Patch could not be read or applied, and which operation it was.
public struct JSONPatchError: Error, Equatable, Sendable {
    /// What was wrong.
    public enum Reason: Error, Equatable, Sendable {
        /// The patch is no whole JSON text.
        case broken(DocumentFault?)
        /// The patch is not a list.
        case notAList
        /// An operation is not an object.
        case notAnObject
        /// A member of this name is missing or has a value of another kind.
        case missing(String)
        /// There is no such operation.
        case unknownOperation(String)
        /// A text is no JSON Pointer.
        case badPointer(String)
        /// Nothing is at this place.
        case noValue(JSONPointer)
        /// This is not a place of an array.
        case badIndex(JSONPointer)
        /// What should hold this place is neither an array nor an object.
        case noContainer(JSONPointer)
        /// A value should be moved into itself.
        case insideItself(JSONPointer)
        /// A test found another value.
        case testFailed(JSONPointer)
    }

    /// The number of the operation, from 0; nil when it is about the whole patch.
    public let operation: Int?
    /// What was wrong.
    public let reason: Reason

    /// Says what was wrong with an operation.
    public init(operation: Int?, reason: Reason) {
        self.operation = operation
        self.reason = reason
    }
}
