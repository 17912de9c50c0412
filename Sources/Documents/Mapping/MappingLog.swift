/// What a lenient mapping passed over.
final class MappingLog {
    var problems: [MappingError] = []
}
