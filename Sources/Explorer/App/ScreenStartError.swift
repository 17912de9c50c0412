/// Why a screen could not be shown.
struct ScreenStartError: Error {
    var text: String
}
