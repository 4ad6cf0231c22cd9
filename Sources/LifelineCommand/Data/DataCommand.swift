import ArgumentParser
import LifelineServer

struct DataCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "data", abstract: "Copies the stored data of a server to another directory or database.",
        subcommands: [DataCopyCommand.self])
}

/// Copies data between directories and databases, and from the Redis of a cluster, while the servers are stopped (rules DC-1 to DC-17).
struct DataCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copies all stored data of one directory or database to another, and compares both.",
        discussion: HelpText.text(
            """
            FROM and TO are what a server's setting data can be: a directory with SQLite databases, or the address of a PostgreSQL database. \
            No server may run on either; FROM is only read. Everything is copied: messages, actions, groups, grants, App Context, push \
            registrations, the records of files, chat, and applications that were made at run time. The contents of uploaded files (the \
            directory files) are yours to copy.

            FROM can also be the Redis of a cluster: redis://, or rediss:// for TLS, as the servers have it; with several Redis all of their \
            addresses, with spaces between them or with --redis. Sentinels and Redis Cluster are given as for servers. What has expired is \
            not copied. With --beside-redis the cluster goes on with this Redis and has TO, a PostgreSQL database, beside it: after the \
            comparison the layout in Redis is changed, so that servers start with TO as --data. Without it a single server can start with TO; \
            the contents of uploaded files then go from Redis into the directory of --files, or of TO.

            At the end both places are read again, and the numbers of rows and checksums of every table are compared. A copy that was \
            interrupted continues when the command is given again. A TO with other data is refused; with --continue its rows stay, except \
            those with the same key as a row of FROM, which are replaced.

            The exit code is 0 when both places have the same rows, 1 when they do not or the copy failed, and 2 for an invalid command line.

            EXAMPLES
              lifeline data copy /var/lib/lifeline postgres://lifeline@db.example.com/lifeline --to-password-file password.txt
              lifeline data copy postgres://lifeline@db.example.com/lifeline /var/lib/lifeline-2 --json
              lifeline data copy redis://10.0.0.5 postgres://lifeline@db.example.com/lifeline --beside-redis
            """))

    @Argument(help: "The directory, or the address of the database or Redis, to copy from.")
    var from: String

    @Argument(help: "The directory, or the address of the database, to copy to.")
    var to: String

    @Flag(
        name: .customLong("continue"),
        help:
            "Copies into a directory or database that contains other data. These data stay, but a row with the same key as a row of FROM is replaced by it."
    )
    var continues = false

    @Option(
        help: ArgumentHelp("A file with the password of the database, or of the Redis, to copy from.", valueName: "file"),
        completion: .file())
    var fromPasswordFile: String?

    @Option(
        help: ArgumentHelp("A file with the password of the database to copy to.", valueName: "file"), completion: .file())
    var toPasswordFile: String?

    @Option(help: ArgumentHelp("Another Redis of the cluster to copy from; may be repeated.", valueName: "address"))
    var redis: [String] = []

    @Option(help: ArgumentHelp("The prefix of the keys in Redis (default: lifeline).", valueName: "prefix"))
    var redisPrefix: String?

    @Flag(help: "Makes the cluster use this Redis and the database TO together from now on.")
    var besideRedis = false

    @Option(
        help: ArgumentHelp(
            "The directory to which the contents of uploaded files are copied from Redis.", valueName: "directory"),
        completion: .directory)
    var files: String?

    @Flag(help: "Prints the result as a JSON object.")
    var json = false

    func run() async throws {
        let target = try DataPlace(to, passwordFile: toPasswordFile)
        let report = RedisPlace.isAddress(from) ? try await copyRedis(target) : try copy(target)
        if json {
            StandardOutput.print(report.json)
        } else {
            for line in report.lines { StandardOutput.print(line) }
        }
        for note in report.notes { StandardError.print("note: \(note)") }
        guard report.summary.isEqual else {
            throw CommandFailure(
                "\(report.to) does not have the same rows as \(report.from). Copy again into an empty directory or "
                    + "database, and check the disk."
            )
        }
    }

    private func copy(_ target: DataPlace) throws -> CopyReport {
        guard redis.isEmpty, redisPrefix == nil, !besideRedis, files == nil else {
            throw CommandFailure(
                "--redis, --redis-prefix, --beside-redis and --files are for a copy from Redis: name a Redis as FROM, or leave them out.",
                .usage)
        }
        let source = try DataPlace(from, passwordFile: fromPasswordFile)
        guard !source.isSame(as: target) else {
            throw CommandFailure("FROM and TO are the same directory or database. Name another one as TO.", .usage)
        }
        do {
            let reading = try source.reading()
            defer { reading.close() }
            let writing = try target.writing(parts: reading.parts)
            defer { writing.close() }
            let progress = CopyProgress()
            let copy = DataCopy(from: reading, to: writing, replacesOthers: continues) { progress.show($0) }
            var report = CopyReport(from: source.shown, to: target.shown, summary: try copy.run(), files: source.files)
            if let files = source.files { report.notes = [Self.note(files, target)] }
            return report
        } catch {
            throw DataPlace.explain(error)
        }
    }

    private static func note(_ files: String, _ target: DataPlace) -> String {
        let place = target.isDatabase ? "the directory that the server's setting dataFiles names" : "\(target.shown)/files"
        return "the contents of uploaded files were not copied: copy \(files) to \(place), with the server's user as owner."
    }

    private func copyRedis(_ target: DataPlace) async throws -> CopyReport {
        let source = try RedisPlace(
            from, more: redis, prefix: redisPrefix ?? ServeSettings.defaultRedisPrefix, passwordFile: fromPasswordFile)
        guard !besideRedis || target.isDatabase else {
            throw CommandFailure(
                "--beside-redis needs a PostgreSQL database as TO. Name one, or leave the option out.", .usage)
        }
        guard !besideRedis || files == nil else {
            throw CommandFailure(
                "With --beside-redis the contents of uploaded files stay in Redis, so --files has no effect. Leave one "
                    + "of the two options out.", .usage)
        }
        let directory = besideRedis || target.isDatabase ? files : files ?? "\(target.shown)/files"
        do {
            return try await RedisCopy(
                from: source, to: target, staysBeside: besideRedis, files: directory, replacesOthers: continues
            ).run()
        } catch {
            throw DataPlace.explain(error)
        }
    }
}
