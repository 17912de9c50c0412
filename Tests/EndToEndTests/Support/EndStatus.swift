/// How a program ended.
enum EndStatus: Equatable {
    case exited(Int32)
    case killed(by: Int32)
}
