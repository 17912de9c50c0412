public import HTTPTypes

extension Requests {
    /// GET, with the parameters in the query unless `encoding` says otherwise; as `send`.
    public func get(
        _ url: String,
        parameters: ParameterList = [],
        encoding: ParameterEncoding? = nil,
        headers: HTTPFields = [:],
        options: TransportOptions = TransportOptions(),
        from source: DataSource = .server
    ) async throws(ApusError) -> Response {
        try await send(
            .get,
            url,
            parameters: parameters,
            encoding: encoding,
            headers: headers,
            options: options,
            from: source
        )
    }

    /// HEAD, with the parameters in the query unless `encoding` says otherwise; as `send`.
    public func head(
        _ url: String,
        parameters: ParameterList = [],
        encoding: ParameterEncoding? = nil,
        headers: HTTPFields = [:],
        options: TransportOptions = TransportOptions(),
        from source: DataSource = .server
    ) async throws(ApusError) -> Response {
        try await send(
            .head,
            url,
            parameters: parameters,
            encoding: encoding,
            headers: headers,
            options: options,
            from: source
        )
    }

    /// DELETE, with the parameters in the query unless `encoding` says otherwise; as `send`.
    public func delete(
        _ url: String,
        parameters: ParameterList = [],
        encoding: ParameterEncoding? = nil,
        headers: HTTPFields = [:],
        options: TransportOptions = TransportOptions(),
        from source: DataSource = .server
    ) async throws(ApusError) -> Response {
        try await send(
            .delete,
            url,
            parameters: parameters,
            encoding: encoding,
            headers: headers,
            options: options,
            from: source
        )
    }

    /// POST, with the parameters as JSON unless `encoding` says otherwise; as `send`.
    public func post(
        _ url: String,
        parameters: ParameterList = [],
        encoding: ParameterEncoding? = nil,
        headers: HTTPFields = [:],
        options: TransportOptions = TransportOptions(),
        from source: DataSource = .server
    ) async throws(ApusError) -> Response {
        try await send(
            .post,
            url,
            parameters: parameters,
            encoding: encoding,
            headers: headers,
            options: options,
            from: source
        )
    }

    /// PUT, with the parameters as JSON unless `encoding` says otherwise; as `send`.
    public func put(
        _ url: String,
        parameters: ParameterList = [],
        encoding: ParameterEncoding? = nil,
        headers: HTTPFields = [:],
        options: TransportOptions = TransportOptions(),
        from source: DataSource = .server
    ) async throws(ApusError) -> Response {
        try await send(
            .put,
            url,
            parameters: parameters,
            encoding: encoding,
            headers: headers,
            options: options,
            from: source
        )
    }

    /// PATCH, with the parameters as JSON unless `encoding` says otherwise; as `send`.
    public func patch(
        _ url: String,
        parameters: ParameterList = [],
        encoding: ParameterEncoding? = nil,
        headers: HTTPFields = [:],
        options: TransportOptions = TransportOptions(),
        from source: DataSource = .server
    ) async throws(ApusError) -> Response {
        try await send(
            .patch,
            url,
            parameters: parameters,
            encoding: encoding,
            headers: headers,
            options: options,
            from: source
        )
    }
}
