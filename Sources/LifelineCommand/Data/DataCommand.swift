import ArgumentParser
import LifelineServer

struct DataCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "data", abstract: "Copies what a server keeps to another place.", subcommands: [DataCopyCommand.self])
}

/// Copies data between directories and databases while the servers are stopped (rules DC-1 to DC-9).
struct DataCopyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copies all that one place keeps to another, and compares both.",
        discussion: HelpText.text(
            """
            FROM and TO are what a server's setting data can be: a directory with SQLite databases, or the address of a PostgreSQL database. \
            No server may run on either; FROM is only read. Everything is copied: messages, actions, groups, grants, App Context, push \
            registrations, the records of files, chat, and applications that were made at run time. The contents of uploaded files (the \
            directory files) are yours to copy.

            At the end both places are read again, and the numbers of rows and checksums of every table are compared. A copy that was \
            interrupted continues when the command is given again. A TO with other data is refused; with --continue its rows stay, except \
            those with the same key as a row of FROM, which are replaced.

            The exit code is 0 when both places have the same rows, 1 when they do not or the copy failed, and 2 for an invalid command line.

            EXAMPLES
              lifeline data copy /var/lib/lifeline postgres://lifeline@db.example.com/lifeline --to-password-file password.txt
              lifeline data copy postgres://lifeline@db.example.com/lifeline /var/lib/lifeline-2 --json
            """))

    @Argument(help: "The directory or the address to copy from.")
    var from: String

    @Argument(help: "The directory or the address to copy to.")
    var to: String

    @Flag(
        name: .customLong("continue"),
        help: "Copies into a place with other data, which stay unless a row of FROM has the same key.")
    var continues = false

    @Option(
        help: ArgumentHelp("A file with the password of the database to copy from.", valueName: "file"), completion: .file())
    var fromPasswordFile: String?

    @Option(
        help: ArgumentHelp("A file with the password of the database to copy to.", valueName: "file"), completion: .file())
    var toPasswordFile: String?

    @Flag(help: "Prints the result as a JSON object.")
    var json = false

    func run() throws {
        let source = try DataPlace(from, passwordFile: fromPasswordFile)
        let target = try DataPlace(to, passwordFile: toPasswordFile)
        guard !source.isSame(as: target) else {
            throw CommandFailure("FROM and TO are the same place: name another one to copy to.", .usage)
        }
        let report = CopyReport(from: source, to: target, summary: try copy(source, target))
        if json {
            StandardOutput.print(report.json)
        } else {
            for line in report.lines { StandardOutput.print(line) }
        }
        if let note = report.note { StandardError.print("note: \(note)") }
        guard report.summary.isEqual else {
            throw CommandFailure(
                "\(target.shown) does not have the same rows as \(source.shown): copy once more into an empty place, and check the disk."
            )
        }
    }

    private func copy(_ source: DataPlace, _ target: DataPlace) throws -> DataCopySummary {
        do {
            let reading = try source.reading()
            defer { reading.close() }
            let writing = try target.writing(parts: reading.parts)
            defer { writing.close() }
            let start = ContinuousClock.now
            var meter = CopyMeter()
            let copy = DataCopy(from: reading, to: writing, replacesOthers: continues) { progress in
                if let line = meter.line(for: progress, at: ContinuousClock.now - start) { StandardError.print(line) }
            }
            return try copy.run()
        } catch {
            throw DataPlace.explain(error)
        }
    }
}
