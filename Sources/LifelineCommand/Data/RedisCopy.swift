import LifelineServer
import NIOConcurrencyHelpers
import ServerStorage

/// Copies the data of a stopped cluster from Redis to a directory or a database (rules DC-12 to DC-17).
struct RedisCopy {
    let from: RedisPlace
    let to: DataPlace
    /// Whether the servers continue with this Redis and use the database beside it (`--beside-redis`).
    let staysBeside: Bool
    /// The directory for the contents of uploaded files; nil to leave them in Redis.
    let files: String?
    let replacesOthers: Bool

    private static let advice =
        "From now on the servers start only with `--redis` and this `--data` together. The histories, inboxes and "
        + "documents that were copied are also still in Redis, but servers no longer read them there."

    func run() async throws -> CopyReport {
        let source = try await RedisTables.open(from.configuration, staysBeside: staysBeside)
        defer { source.close() }
        let target = try to.writing(parts: source.parts)
        defer { target.close() }
        let progress = CopyProgress()
        try await source.load { progress.show("reading Redis", $0, of: "rows") }
        let copy = DataCopy(from: source, to: target, replacesOthers: replacesOthers, expiry: systemTicks()) { progress.show($0) }
        let summary = try await copy.run {
            // The source is read again before the comparison, so that the comparison also finds errors of the first reading.
            try await source.load { progress.show("reading Redis again", $0, of: "rows") }
        }
        var report = CopyReport(from: from.shown, to: to.shown, summary: summary)
        guard summary.isEqual else { return report }
        let found = try await source.copyFiles(to: files) { progress.show("copying files", $0, of: "files") }
        var redis = CopyReport.Redis(files: (found.files, found.contents), leftOut: source.leftOut)
        try await source.checkRest()
        if staysBeside {
            try await source.setBesideDatabase()
            redis.isBeside = true
        }
        report.redis = redis
        report.notes = notes(redis)
        return report
    }

    private func notes(_ redis: CopyReport.Redis) -> [String] {
        var notes: [String] = []
        if redis.leftOut > 0 {
            notes.append(
                "\(redis.leftOut) chat events were not copied: each has the same id as an event of another application, "
                    + "and \(to.shown) can store only one event with an id. Older versions gave events of different partitions "
                    + "the same ids.")
        }
        if staysBeside { notes.append(Self.advice) }
        guard !staysBeside, redis.files.all > 0 else { return notes }
        if let files {
            notes.append("the contents of \(redis.files.copied) of \(redis.files.all) uploaded files are in \(files).")
        } else {
            notes.append(
                "the contents of \(redis.files.all) uploaded files are still in Redis: give the same command again with --files DIRECTORY, and name this "
                    + "directory in the server's setting dataFiles.")
        }
        return notes
    }
}

/// Prints the progress of a copy. May be used from any thread.
final class CopyProgress: Sendable {
    private let start = ContinuousClock.now
    private let meter = NIOLockedValueBox(CopyMeter())

    func show(_ progress: DataCopy.Progress) { show { $0.line(for: progress, at: $1) } }

    func show(_ work: String, _ count: Int, of unit: String) { show { $0.line(work, count, of: unit, at: $1) } }

    private func show(_ line: (inout CopyMeter, Duration) -> String?) {
        let time = ContinuousClock.now - start
        if let line = meter.withLockedValue({ line(&$0, time) }) { StandardError.print(line) }
    }
}
