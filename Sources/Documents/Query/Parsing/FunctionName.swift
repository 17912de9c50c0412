/// The functions of RFC 9535 section 2.4.
enum FunctionName: String {
    case length
    case count
    case value
    case match
    case search

    var argumentCount: Int { self == .match || self == .search ? 2 : 1 }
}
