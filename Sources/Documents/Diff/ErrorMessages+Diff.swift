extension JSONPatchError: CustomStringConvertible {
    /// One sentence for people; operations are counted from 1.
    public var description: String {
        guard let operation else { return words }
        return "operation \(operation + 1): \(words)"
    }

    private var words: String {
        switch reason {
        case .broken(let fault):
            "the patch is not whole" + (fault.map { ": \($0) (byte \($0.offset))" } ?? "")
        case .notAList: "a patch is a list of operations"
        case .notAnObject: "an operation is an object"
        case .missing(let name): "its \"\(name)\" is missing or not of the right kind"
        case .unknownOperation(let name): "there is no operation \"\(name)\""
        case .badPointer(let text): "\"\(text)\" is no JSON Pointer"
        case .noValue(let path): "nothing is at \"\(path)\""
        case .badIndex(let path): "\"\(path)\" is no place of the array"
        case .noContainer(let path): "nothing that could hold \"\(path)\""
        case .insideItself(let path): "a value cannot be moved into itself (\"\(path)\")"
        case .testFailed(let path): "the value at \"\(path)\" is another one"
        }
    }
}
