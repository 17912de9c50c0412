/// What is wrong with a value that is of the right kind.
enum DecodingProblem {
    case doesNotFit(_ number: String, _ type: String)
    case notADate(String)
    case notBase64
    case notAURL(String)
}
