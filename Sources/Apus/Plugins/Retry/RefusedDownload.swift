import Glibc

/// The file of an answer that is dropped and asked for again: it would be in the
/// way of the next one.
struct RefusedDownload {
    private let path: String

    /// Nil if no file was made, or if the next one replaces it anyway.
    init?(_ result: Result<Response, ApusError>, of request: PreparedRequest) {
        let response: Response? =
            switch result {
            case .success(let response): response
            case .failure(let error): error.response
            }
        guard let destination = request.destination, !destination.replacesExisting,
            case .file(let file) = response?.body, file.ownership == .borrowed
        else { return nil }
        path = file.path
    }

    func remove() throws(ApusError) {
        guard unlink(path) == 0 || errno == ENOENT else {
            throw ApusError(.file(path: path, errno: errno))
        }
    }
}
