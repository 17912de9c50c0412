import Apus
import Documents

/// A failure as the value of the member `error`.
///
/// Version 1: `code` is what the program would exit with, `reason` the engine's number of the
/// reason, which says more, `message` is for people. What had come of an answer is in `response`.
enum FailureJSON {
    static func object(of error: ApusError) -> AnswerObject {
        var object = AnswerObject([
            ("code", JSON(ExitStatus.of(error))),
            ("reason", JSON(error.code)),
            ("message", JSON(FailureText.line(for: error))),
        ])
        // A body that cannot be read leaves the rest to be told.
        if let response = error.response, let answer = try? AnswerJSON.members(of: response) {
            object.append("response", .object(answer))
        }
        return object
    }
}
