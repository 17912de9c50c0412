public import Documents

/// Reads a value out of an answer.
///
/// The ones that are built in are found by a dot, wherever a value is asked for:
///
/// ```swift
/// let user = try response.value(using: .decodable(User.self, at: "data"))
/// let json = try await provider.value(for: .user(7), using: .json)
/// ```
/// One of your own is used in the same way:
///
/// ```swift
/// struct RowCount: ResponseSerializer {
///     func serialize(_ response: Response) throws(ApusError) -> Int {
///         try response.value(using: .string).split(separator: "\n").count
///     }
/// }
/// let rows = try await provider.value(for: .export, using: RowCount())
/// ```
/// It is called on no particular thread, and never blocks on anything but the body's file.
public protocol ResponseSerializer<Value>: Sendable {
    /// What is read.
    associatedtype Value

    /// Reads the value of an answer.
    ///
    /// - Throws: ``ApusError``, as a rule with the reason `.mapping` and the response attached.
    func serialize(_ response: Response) throws(ApusError) -> Value

    /// The same, with this envelope if it reads one and has none of its own.
    ///
    /// A ``Provider`` calls it with the target's envelope, or else its own, before anything is sent.
    /// The default is the serializer itself; one that holds another hands it on.
    ///
    /// - Throws: ``ApusError`` with the reason `.mapping`, kind `.envelope`, if it needs an envelope
    ///   and there is none.
    func resolvingEnvelope(
        _ envelope: @autoclosure () -> ResponseEnvelope?
    ) throws(ApusError) -> Self
}

extension ResponseSerializer {
    /// Itself: most read no envelope.
    public func resolvingEnvelope(
        _ envelope: @autoclosure () -> ResponseEnvelope?
    ) throws(ApusError) -> Self { self }
}

extension Response {
    /// What a serializer reads.
    ///
    /// - Throws: ``ApusError``, as a rule with the reason `.mapping`, the place of what is wrong, and
    ///   this response attached.
    public func value<S: ResponseSerializer>(using serializer: S) throws(ApusError) -> S.Value {
        try serializer.serialize(self)
    }
}

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

/// Reads the body's bytes as they are.
public struct BytesSerializer: ResponseSerializer {
    /// All bytes.
    ///
    /// - Throws: ``ApusError`` with the reason `.file` if they are in a file that cannot be read.
    public func serialize(_ response: Response) throws(ApusError) -> [UInt8] {
        do throws(ApusError) {
            return try response.body.load()
        } catch {
            throw ApusError(error.reason, request: response.request.line, response: response)
        }
    }
}

extension ResponseSerializer where Self == BytesSerializer {
    /// The body's bytes.
    public static var bytes: BytesSerializer { BytesSerializer() }
}

/// A serializer in a closure.
///
/// ```swift
/// let rows = CustomSerializer("rows") { try $0.value(using: .string).split(separator: "\n") }
/// ```
public struct CustomSerializer<Value>: ResponseSerializer {
    private let name: String
    private let read: @Sendable (Response) throws -> Value

    /// Makes a serializer; the name stands in errors.
    public init(_ name: String, read: @escaping @Sendable (Response) throws -> Value) {
        self.name = name
        self.read = read
    }

    /// What the closure returns.
    ///
    /// - Throws: an ``ApusError`` of the closure's as it is, any other error with the reason
    ///   `.mapping`, kind `.custom`.
    public func serialize(_ response: Response) throws(ApusError) -> Value {
        do {
            return try read(response)
        } catch let error as ApusError {
            throw error
        } catch {
            throw response.failure(.init(.custom, detail: "\(name): \(error)"))
        }
    }
}

/// Reads nothing: for answers of which only the arrival counts.
public struct NothingSerializer: ResponseSerializer {
    /// Nothing, whatever the answer.
    public func serialize(_ response: Response) throws(ApusError) {}
}

extension ResponseSerializer where Self == NothingSerializer {
    /// Nothing.
    public static var nothing: NothingSerializer { NothingSerializer() }
}

/// Fails for every answer: for a side of a convention that must not happen.
public struct NeverSerializer: ResponseSerializer {
    /// Never a value.
    ///
    /// - Throws: always, ``ApusError`` with the reason `.mapping`, kind `.custom`.
    public func serialize(_ response: Response) throws(ApusError) -> Never {
        throw response.failure(.init(.custom, detail: MappingMessages.never))
    }
}

extension ResponseSerializer where Self == NeverSerializer {
    /// Fails for every answer.
    public static var never: NeverSerializer { NeverSerializer() }
}

/// A type that knows how to read itself out of an answer, such as one made by Protocol Buffers.
public protocol ResponseReadable {
    /// Reads a value; any error becomes an ``ApusError`` with the reason `.mapping`.
    static func read(from response: Response) throws -> Self
}

extension ResponseSerializer {
    /// A value of a type that reads itself.
    public static func readable<T: ResponseReadable>(
        _ type: T.Type = T.self
    ) -> Self where Self == CustomSerializer<T>, T: SendableMetatype {
        CustomSerializer("\(T.self)") { response in try T.read(from: response) }
    }
}
