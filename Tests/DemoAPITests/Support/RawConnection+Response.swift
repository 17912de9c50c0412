import TestSupport

extension RawConnection {
    func send(
        _ method: String,
        _ target: String,
        _ fields: [String] = [],
        body: [UInt8]? = nil
    ) throws {
        var lines = ["\(method) \(target) HTTP/1.1", "Host: demo.test"] + fields
        if let body { lines.append("Content-Length: \(body.count)") }
        try send(Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? []))
    }

    func response(to method: String = "GET") throws -> RawResponse {
        var response = try head()
        if method == "HEAD" || [204, 304].contains(response.status) {
            response.isComplete = true
        } else if let length = response["Content-Length"].flatMap({ Int($0) }) {
            response.body = try bytes(length)
            response.isComplete = response.body.count == length
        } else if response["Transfer-Encoding"] == "chunked" {
            try readChunks(into: &response)
        }
        return response
    }

    @discardableResult
    func head() throws -> RawResponse {
        var response = RawResponse()
        response.status = Int(try line().split(separator: " ").dropFirst().first ?? "") ?? 0
        while case let line = try line(), !line.isEmpty {
            let words = line.split(separator: ":", maxSplits: 1)
            let value = words.last?.drop(while: \.isWhitespace) ?? ""
            response.fields.append((String(words[0]), String(value)))
        }
        return response
    }

    private func readChunks(into response: inout RawResponse) throws {
        while let size = Int(try line(), radix: 16) {
            let chunk = try bytes(size)
            response.body += chunk
            guard chunk.count == size else { return }
            _ = try line()
            if size == 0 {
                response.isComplete = true
                return
            }
        }
    }
}
