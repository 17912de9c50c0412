/// The program's version, as `apus --version` and the `User-Agent` say it.
enum Version {
    static let text = "0.1.0"
}
