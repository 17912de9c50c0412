import Documents
import FoundationEssentials
import HTTPTypes

@testable import Apus

extension HTTPFields {
    init(pairs: [(String, String)]) {
        self.init()
        for (name, value) in pairs {
            if let name = HTTPField.Name(name) { append(HTTPField(name: name, value: value)) }
        }
    }
}

extension HTTPRequest {
    static func make(_ method: Method = .get, _ fields: [(String, String)] = []) -> Self {
        HTTPRequest(
            method: method,
            scheme: "https",
            authority: "example.com",
            path: "/a",
            headerFields: HTTPFields(pairs: fields)
        )
    }
}

extension HTTPResponse {
    static func make(_ status: Int = 200, _ fields: [(String, String)] = []) -> Self {
        HTTPResponse(status: Status(code: status), headerFields: HTTPFields(pairs: fields))
    }
}

extension StoredHead {
    /// Received at `CacheModel.start`, at once.
    static func make(
        id: Int = 1,
        status: Int = 200,
        _ fields: [(String, String)] = [],
        selecting: [(String, String)] = [],
        content: Content = .whole(length: 10),
        at time: Date = CacheModel.start
    ) -> Self {
        StoredHead(
            id: id,
            selecting: SelectingFields(
                selecting.compactMap { HTTPField.Name($0.0) },
                of: HTTPFields(pairs: selecting)
            ),
            response: .make(status, fields),
            content: content,
            requestTime: time,
            responseTime: time
        )
    }
}

/// A date this many seconds from the start, as a field gives it.
func httpDate(_ seconds: Double) -> String {
    HTTPDate.format(CacheModel.start.addingTimeInterval(seconds))
}
