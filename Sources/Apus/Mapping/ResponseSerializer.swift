public import Documents

/// Reads a value from a response.
///
/// Name a built-in serializer with a leading dot wherever a serializer is expected:
///
/// ```swift
/// let user = try response.value(using: .decodable(User.self, at: "data"))
/// let json = try await provider.value(for: .user(7), using: .json)
/// ```
/// Use one of your own likewise:
///
/// ```swift
/// struct RowCount: ResponseSerializer {
///     func serialize(_ response: Response) throws(ApusError) -> Int {
///         try response.value(using: .string).split(separator: "\n").count
///     }
/// }
/// let rows = try await provider.value(for: .export, using: RowCount())
/// ```
/// A serializer may run on any thread, and must not block except to read the body's file.
public protocol ResponseSerializer<Value>: Sendable {
    /// The type of the value.
    associatedtype Value

    /// Reads the value of a response.
    ///
    /// - Throws: ``ApusError``, usually with the reason `.mapping` and the response attached.
    func serialize(_ response: Response) throws(ApusError) -> Value

    /// A copy of this serializer that reads `envelope`, if it reads one and has none of its own.
    ///
    /// Before it sends anything, a ``Provider`` calls this with the target's envelope, or else its own. By
    /// default the serializer returns itself. One that wraps another serializer must pass the call on.
    ///
    /// - Throws: ``ApusError`` with the reason `.mapping`, kind `.envelope`, if it needs an envelope
    ///   and there is none.
    func resolvingEnvelope(
        _ envelope: @autoclosure () -> ResponseEnvelope?
    ) throws(ApusError) -> Self

    /// A copy of this serializer that decodes with `decoder`, if it decodes and has no decoder of its own.
    ///
    /// Before it sends anything, a ``Provider`` that has a decoder calls this with it. By default the serializer
    /// returns itself. One that wraps another serializer must pass the call on.
    func resolvingDecoder(_ decoder: DocumentDecoder) -> Self
}

extension ResponseSerializer {
    /// Returns the serializer itself, because most decode nothing.
    public func resolvingDecoder(_ decoder: DocumentDecoder) -> Self { self }

    /// Returns the serializer itself, because most read no envelope.
    public func resolvingEnvelope(
        _ envelope: @autoclosure () -> ResponseEnvelope?
    ) throws(ApusError) -> Self { self }
}

extension Response {
    /// Reads the response with a serializer.
    ///
    /// - Throws: ``ApusError``, usually with the reason `.mapping`, the position of the fault, and this
    ///   response attached.
    public func value<S: ResponseSerializer>(using serializer: S) throws(ApusError) -> S.Value {
        try serializer.serialize(self)
    }
}

/// A serializer that reads its value from JSON, and therefore also from the data of an envelope.
public protocol JSONValueSerializer<Value>: ResponseSerializer {
    /// Reads the value from JSON of a response; errors carry the response.
    func value(from json: JSON, of response: Response) throws(ApusError) -> Value
}

extension JSONValueSerializer {
    /// Reads the value from the whole body.
    public func serialize(_ response: Response) throws(ApusError) -> Value {
        try value(from: JSON(document: response.openedJSON(for: .json)), of: response)
    }
}

/// Reads the body's bytes as they are.
public struct BytesSerializer: ResponseSerializer {
    /// Reads all bytes.
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
    /// Reads the body's bytes.
    public static var bytes: BytesSerializer { BytesSerializer() }
}

/// A serializer made from a closure.
///
/// ```swift
/// let rows = CustomSerializer("rows") { try $0.value(using: .string).split(separator: "\n") }
/// ```
public struct CustomSerializer<Value>: ResponseSerializer {
    private let name: String
    private let read: @Sendable (Response) throws -> Value

    /// Creates a serializer; the name appears in errors.
    public init(_ name: String, read: @escaping @Sendable (Response) throws -> Value) {
        self.name = name
        self.read = read
    }

    /// What the closure returns.
    ///
    /// - Throws: an ``ApusError`` from the closure unchanged. Any other error becomes one with the reason
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

/// Reads nothing, for requests where only the arrival of a response matters.
public struct NothingSerializer: ResponseSerializer {
    /// Returns nothing, whatever the response.
    public func serialize(_ response: Response) throws(ApusError) {}
}

extension ResponseSerializer where Self == NothingSerializer {
    /// Reads nothing.
    public static var nothing: NothingSerializer { NothingSerializer() }
}

/// Fails for every response, for a side of a ``ServerConvention`` that must not happen.
public struct NeverSerializer: ResponseSerializer {
    /// Never returns a value.
    ///
    /// - Throws: always, ``ApusError`` with the reason `.mapping`, kind `.custom`.
    public func serialize(_ response: Response) throws(ApusError) -> Never {
        throw response.failure(.init(.custom, detail: MappingMessages.never))
    }
}

extension ResponseSerializer where Self == NeverSerializer {
    /// Fails for every response.
    public static var never: NeverSerializer { NeverSerializer() }
}

/// A type that can read itself from a response, such as a Protocol Buffers message.
public protocol ResponseReadable {
    /// Reads a value; an error other than ``ApusError`` becomes one with the reason `.mapping`.
    static func read(from response: Response) throws -> Self
}

extension ResponseSerializer {
    /// Reads a value of a type that reads itself.
    public static func readable<T: ResponseReadable>(
        _ type: T.Type = T.self
    ) -> Self where Self == CustomSerializer<T>, T: SendableMetatype {
        CustomSerializer("\(T.self)") { response in try T.read(from: response) }
    }
}
