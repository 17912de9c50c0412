import ArgumentParser

/// What is printed of an answer.
struct OutputArguments: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write the body to a file, once it is whole; until then the file stays as it is.",
            valueName: "file"
        ),
        completion: .file()
    )
    var output: String?

    @Flag(help: "With -o -: print on a terminal also what it obeys or does not show.")
    var force = false

    @Flag(name: .shortAndLong, help: "Print the status and the header fields before the body.")
    var include = false

    @Flag(name: .shortAndLong, help: "Show what goes over the wire, on standard error.")
    var verbose = false

    @Flag(help: "Print the whole answer as a JSON object instead of the body.")
    var json = false

    @Flag(help: "Exit with 1 if the status is 400 or more.")
    var fail = false

    func validate() throws {
        if json, include || output != nil {
            throw ValidationError("--json does not go with --include or --output.")
        }
        if force, output == nil { throw ValidationError("--force goes with --output.") }
    }
}
