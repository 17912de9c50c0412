extension ApusError {
    /// The reason's name and number, or the status: nothing in it can be secret.
    var summary: String {
        if case .unacceptableStatus(let status) = reason { return "\(status)" }
        let name = String(describing: reason).prefix { $0 != "(" }
        return "\(name) (error \(code))"
    }
}
