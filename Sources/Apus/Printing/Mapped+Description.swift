import Secrets

extension MappedResponse: CustomStringConvertible, CustomDebugStringConvertible {
    /// The value or the error, and the response: "User(id: 7) · GET https://api.test/users/7 · 200 · …".
    public var description: String {
        guard let response else { return outcome { "\($0)" } }
        return "\(outcome { "\($0)" }) · \(response)"
    }

    /// The value or the error, then the response with its fields and the first part of its body.
    public var debugDescription: String {
        let first = outcome { String(reflecting: $0) }
        return response.map { "\(first)\n\($0.debugDescription)" } ?? first
    }

    private func outcome(_ text: (Value) -> String) -> String {
        switch result {
        case .success(let value): response?.request.mask.masking(text: text(value)) ?? text(value)
        case .failure(let error): error.description
        }
    }
}

extension ServerFailure: CustomStringConvertible {
    /// "The server refused (422): Problem(title: …) (GET https://api.test/users)", or the error.
    public var description: String {
        switch self {
        case .refused(_, let response): "\(message) (\(response.request.line))"
        case .failed(let error): error.description
        }
    }

    /// The failure in words, with what the server said.
    public var message: ErrorMessage {
        switch self {
        case .refused(let body, let response):
            ErrorMessage(
                "The server refused (\(response.status))",
                response.request.mask.masking(text: String(describing: body))
            )
        case .failed(let error): error.message
        }
    }
}
