import Apus
import Documents
import Secrets

extension Evaluation {
    mutating func value(of reference: Template.Reference) -> ResolvedValue? {
        value(of: reference.expression, reference)
    }

    private mutating func value(
        of expression: TemplateExpression,
        _ reference: Template.Reference
    ) -> ResolvedValue? {
        switch expression {
        case .text(let value): return ResolvedValue(value)
        case .variable(let name):
            // A variable of a function's name goes before the function.
            guard scope[name] == nil, let function = TemplateFunction.named(name),
                function.counts.contains(0)
            else { return value(named: name, reference.span) }
            return call(function, [], reference)
        case .call(let function, let arguments): return call(function, arguments, reference)
        }
    }

    private mutating func call(
        _ function: TemplateFunction,
        _ arguments: [TemplateExpression],
        _ reference: Template.Reference
    ) -> ResolvedValue? {
        if function.isVarying { isVarying = true }
        if case .fallback = function.work { return fallback(arguments, reference) }
        var values: [ResolvedValue] = []
        for argument in arguments {
            guard let value = value(of: argument, reference) else { return nil }
            values.append(value)
        }
        if let mark = mark(of: function, values.map(\.value)) { return ResolvedValue(mark) }
        do throws(TemplateFunction.Fault) {
            let result = try value(of: function, values, reference)
            guard let result, admit(result.size, reference.span) else { return nil }
            return result
        } catch {
            // What stands for a missing value may be no number, and no text.
            if purpose == .checking || isWaiting,
                values.contains(where: { $0.value != $0.shown || $0.isFromResponse })
            {
                return ResolvedValue(.string(CredentialMask.mask))
            }
            log.add(reference.span, "`\(function.name)` \(error.words)")
            return nil
        }
    }

    /// What stands for the value of a function that gives another each time, or works on what is not known; nil if
    /// its value is used.
    private func mark(of function: TemplateFunction, _ values: [Value]) -> Value? {
        guard let marks else { return nil }
        if case .environmentVariable = function.work, marks.hidesSecrets,
            let name = values[0].scalarText
        {
            return marks.value(for: .environmentVariable(name))
        }
        guard function.isVarying || values.contains(where: marks.isMarked) else { return nil }
        // A number has no quotes in JSON.
        var style = TemplateMarks.Style.text
        if case .value(let work) = function.work, case .number? = try? work(values) {
            style = .number
        }
        return marks.value(for: .call(function.name, arguments: values), as: style)
    }

    private mutating func value(
        of function: TemplateFunction,
        _ values: [ResolvedValue],
        _ reference: Template.Reference
    ) throws(TemplateFunction.Fault) -> ResolvedValue? {
        switch function.work {
        case .value(let work):
            let result = try work(values.map(\.value))
            let isFromResponse = values.contains(where: \.isFromResponse)
            guard values.contains(where: { $0.shown != $0.value }) else {
                return ResolvedValue(result, isFromResponse: isFromResponse)
            }
            // What is made of a secret is one.
            if let text = result.scalarText { secrets.insert(text) }
            return ResolvedValue(
                result,
                shown: .string(CredentialMask.mask),
                isFromResponse: isFromResponse
            )
        case .environmentVariable:
            guard let name = values[0].value.scalarText, !values[0].isFromResponse else {
                throw TemplateFunction.Fault("takes a name of the workspace's own")
            }
            guard let reader else { return ResolvedValue(.string(CredentialMask.mask)) }
            return reveal(reader.secret(environmentVariable: name), name, reference.span)
        case .file:
            guard let path = values[0].value.scalarText, !values[0].isFromResponse else {
                throw TemplateFunction.Fault("takes a path of the workspace's own")
            }
            guard purpose == .sending else { return ResolvedValue(.string("")) }
            let file = TextFile.resolve(path, besideFile: reference.span.source.name)
            do throws(FileReadError) {
                return ResolvedValue(.string(try TextFile.read(file, atMost: 1 << 20)))
            } catch {
                throw TemplateFunction.Fault("cannot read \(file): it \(error.detail)")
            }
        case .fallback: return values.first
        }
    }

    /// The first argument, or the second where the first has no value.
    private mutating func fallback(
        _ arguments: [TemplateExpression],
        _ reference: Template.Reference
    ) -> ResolvedValue? {
        if hasValue(arguments[0]), let value = value(of: arguments[0], reference) {
            if value.value != .null, value.value.scalarText != "" { return value }
        }
        return value(of: arguments[1], reference)
    }

    private func hasValue(_ expression: TemplateExpression) -> Bool {
        guard case .variable(let name) = expression else { return true }
        guard let binding = scope[name] else { return TemplateFunction.named(name) != nil }
        guard case .variable(let variable) = binding, case .secret(let secret) = variable.content
        else { return true }
        return secret.value != nil
    }
}
