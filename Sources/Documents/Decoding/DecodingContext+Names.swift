/// The names of members.
extension DecodingContext {
    /// A member's name as its coding key has it.
    func codingName(_ member: Int) -> String {
        let name = document.key(of: NodeIndex(member)) ?? ""
        switch options.keyDecodingStrategy {
        case .useDefaultKeys: return name
        case .convertFromSnakeCase:
            if let camel = camelNames[name] { return camel }
            let camel = SnakeCase.camel(name)
            camelNames[name] = camel
            return camel
        case .custom(let convert): return convert(codingPath(member)).stringValue
        }
    }
}
