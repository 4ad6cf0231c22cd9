import ChatDatabase
import ChatProtocol
import Foundation

/// What the chat client's local database takes and gives: messages that were missed, and keywords searched in a million messages.
///
/// `ChatDatabaseBenchmark [offline] [search] [DIRECTORY] [MESSAGES]` (default: both parts, a temporary directory that is removed
/// again, 1,000,000). A directory that is given is kept, and searched again by the next run.
@main struct ChatDatabaseBenchmark {
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        let parts = arguments.filter { ["offline", "search"].contains($0) }
        let count = arguments.compactMap { Int($0) }.first ?? 1_000_000
        let given = arguments.first { $0.contains("/") }
        let directory = given ?? FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID())").path
        defer { if given == nil { try? FileManager.default.removeItem(atPath: directory) } }
        if parts.isEmpty || parts.contains("offline") { try offline(directory) }
        if parts.isEmpty || parts.contains("search") { try search(directory, count) }
    }

    /// 10,000 messages into a new database, in packages of 200, each with its place.
    private static func offline(_ directory: String) throws {
        for run in 1...5 {
            var corpus = Corpus()
            let packages = (0..<50).map { corpus.package(200, after: UInt64($0) * 200) }
            let (database, _) = try ChatDatabase.open(directory: directory + "/offline-\(run)", appKey: "app", user: Corpus.me)
            let cpu = CPU.used()
            var new = 0
            let time = try ContinuousClock().measure {
                for package in packages {
                    let place = ChatPlace(epoch: "e", sequence: package.last?.sequence ?? 0)
                    new += try database.receive(package, place: place).count
                }
            }
            print("offline \(run): \(new) messages in \(milli(time.inSeconds)) ms, \(milli(CPU.used() - cpu)) ms CPU")
            database.close()
            try FileManager.default.removeItem(atPath: directory + "/offline-\(run)")
        }
    }

    private static func search(_ directory: String, _ count: Int) throws {
        let (database, _) = try ChatDatabase.open(directory: directory + "/search", appKey: "app", user: Corpus.me)
        var corpus = Corpus()
        let there = Int(database.place?.sequence ?? 0)
        if there < count {
            let time = try ContinuousClock().measure {
                for start in stride(from: 0, to: count, by: 1000) {
                    let package = corpus.package(min(1000, count - start), after: UInt64(start))
                    guard start >= there else { continue }
                    let place = ChatPlace(epoch: "e", sequence: package.last?.sequence ?? 0)
                    _ = try database.receive(package, place: place)
                }
            }
            print("\(count - there) messages in \(milli(time.inSeconds)) ms")
        }
        let size = try FileManager.default.attributesOfItem(atPath: database.path)[.size] as? Int ?? 0
        print("file: \(size / count) bytes a message")
        try Searches(database: database, corpus: corpus).run()
        database.close()
    }
}

func milli(_ seconds: Double) -> String { String(format: "%.2f", seconds * 1000) }

enum CPU {
    /// Seconds of processor time that this process has used.
    static func used() -> Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
