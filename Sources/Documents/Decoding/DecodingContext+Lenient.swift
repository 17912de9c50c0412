/// What lenient decoding does where strict decoding throws.
extension DecodingContext {
    /// Whether a default may replace a missing value.
    private var makesDefaults: Bool {
        isLenient && options.lenience.missingValues == .typeDefault
    }

    /// Whether an empty container may replace null or a missing value; if so, notes that one does.
    func invents(at node: Int) -> Bool {
        guard makesDefaults && kind(node) == .null else { return false }
        hasInvented = true
        return true
    }

    /// The default of a type if the value is null or missing and defaults are allowed; throws otherwise.
    func missing<T>(_ type: T.Type, at node: Int) throws -> T {
        if makesDefaults && kind(node) == .null, let value: T = typeDefault() {
            note(.defaulted, at: node, type, "\(value)")
            return value
        }
        throw mismatch(type, at: node)
    }

    /// Reports a value that was read from a scalar of another kind, and returns it.
    func coerced<T>(_ value: T, at node: Int) -> T {
        note(.converted, at: node, T.self, "\(value)")
        return value
    }

    /// Decodes a value, or returns a coerced value or a default instead.
    func lenientValue<T: Decodable>(_ type: T.Type, at node: Int, _ strategy: TypeStrategy) throws
        -> T
    {
        let noted = coercions.count
        let wasInventing = isInventing
        if makesDefaults && kind(node) == .null { isInventing = true }
        hasInvented = false
        let member = missingMember
        defer { isInventing = wasInventing }
        do {
            let value = try strictValue(type, at: node, strategy)
            isInventing = wasInventing
            missingMember = member
            if hasInvented { note(.defaulted, at: node, type, "\(type)") }
            return value
        } catch let error as DecodingError {
            // Coercions before an error are part of no value.
            coercions.removeSubrange(noted...)
            isInventing = wasInventing
            missingMember = member
            if let value = standIn(type, at: node, strategy) { return value }
            throw error
        }
    }

    private func standIn<T>(_ type: T.Type, at node: Int, _ strategy: TypeStrategy) -> T? {
        if case .defaulted(let declared) = strategy {
            note(.defaulted, at: node, declared.wrappedType, declared.defaultText)
            return declared.init() as? T
        }
        let kind = kind(node)
        if !kind.isContainer, let coercible = type as? any DecodingCoercible.Type,
            let value = coercible.init(coercing: scalar(node)) as? T
        {
            return coerced(value, at: node)
        }
        if makesDefaults && kind == .null, let value: T = typeDefault() {
            note(.defaulted, at: node, type, "\(value)")
            return value
        }
        return nil
    }

    private func typeDefault<T>() -> T? {
        (T.self as? any DecodingDefaultProviding.Type)?.decodingDefault as? T
    }

    /// Whether elements that cannot be decoded are left out.
    private var skipsElements: Bool { isLenient && options.lenience.undecodableElements == .skip }

    /// Decodes an element of an array or a value of a dictionary, or leaves it out.
    @inline(__always) func element(
        _ type: Any.Type,
        at node: Int,
        _ decode: () throws -> Void
    ) throws {
        let noted = coercions.count
        do {
            try decode()
        } catch is DecodingError where skipsElements {
            coercions.removeSubrange(noted...)
            note(.skipped, at: node, type, "")
        }
    }

    // MARK: - Missing members

    /// Throws unless a default may replace a missing member.
    @inline(never) func allowMissing(_ key: any CodingKey, in object: Int) throws {
        guard makesDefaults else { throw noMember(key, in: object) }
        missingMember = (key.stringValue, object)
    }

    /// Reports that the default of a member's `DecodingDefault` is used.
    @inline(never) func noteDefault<T>(
        _ type: T.Type,
        _ key: any CodingKey,
        at node: Int,
        in object: Int
    ) {
        guard isReporting, case .defaulted(let declared) = strategy(for: type) else { return }
        missingMember = (key.stringValue, object)
        note(.defaulted, at: node, declared.wrappedType, declared.defaultText)
    }

    /// The members of a type's default value; nil if it has none, or if defaults are not allowed.
    func declaredMembers(of type: Any.Type) -> DeclaredMembers? {
        guard makesDefaults else { return nil }
        if let known = declaredMembers[ObjectIdentifier(type)] { return known }
        let declared = DeclaredMembers(of: type)
        declaredMembers[ObjectIdentifier(type)] = .some(declared)
        return declared
    }

    /// Reports that a member's value in the model's `decodingDefault` is used.
    func noteDeclared<T>(_ value: T, _ key: any CodingKey, at node: Int, in object: Int) {
        missingMember = (key.stringValue, object)
        note(.defaulted, at: node, T.self, "\(value)")
    }

    // MARK: - The report

    private func note(
        _ kind: DecodingCoercion.Kind,
        at node: Int,
        _ type: Any.Type,
        _ result: String
    ) {
        hasInvented = hasInvented || kind == .defaulted
        guard !isInventing else { return }
        hasInvented = false
        var path = path(node)
        var place = node
        if node < 0, let missing = missingMember {
            path = memberPath(missing.name, in: missing.object)
            place = missing.object
        }
        coercions.append(
            DecodingCoercion(
                kind: kind,
                path: path,
                offset: nodes.start(max(place, root)),
                source: node < 0 ? "" : cutText(node),
                type: "\(type)",
                result: DecodingErrorMessages.cut(result)
            )
        )
    }

    /// A value as a scalar to coerce; a container counts as null.
    func scalar(_ node: Int) -> DecodingScalar {
        switch kind(node) {
        case .true: .bool(true)
        case .false: .bool(false)
        case .integer, .decimal: .number(document.sourceText(of: NodeIndex(node)))
        case .string: .string(document.string(of: NodeIndex(node)) ?? "")
        case .null, .array, .object: .null
        }
    }
}
