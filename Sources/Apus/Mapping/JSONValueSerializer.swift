public import Documents

/// A serializer that reads its value out of JSON, and so out of the data of an envelope too.
public protocol JSONValueSerializer<Value>: ResponseSerializer {
    /// The value out of JSON of a response, which errors carry.
    func value(from json: JSON, of response: Response) throws(ApusError) -> Value
}

extension JSONValueSerializer {
    /// The value out of the whole body.
    public func serialize(_ response: Response) throws(ApusError) -> Value {
        try value(from: JSON(document: response.openedJSON(for: .json)), of: response)
    }
}
