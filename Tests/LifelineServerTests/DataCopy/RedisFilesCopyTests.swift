import Foundation
import Identifiers
import RedisClient
import RedisTestSupport
import ServerStorage
import Testing

@testable import LifelineServer
@testable import PubNubServer

@Suite(
    "Contents of files that a cluster keeps in Redis", .enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"),
    .timeLimit(.minutes(1)))
struct RedisFilesCopyTests {
    @Test("DC-16: Contents of files are written as a server without Redis keeps them, and counted where they are left")
    func contents() async throws {
        let redis = try await CopiedRedis()
        let store = redis.messages()
        let keys = RedisStreamKeys(reader: redis.reader())
        let files = (1...3).map { number in
            StoredFile(id: FileID.make(), channel: "room", name: "a.txt", size: number, created: UInt64(number))
        }
        // The content of the last one is gone.
        for file in files.dropLast() {
            try await redis.run("SET", .text(keys.file("demo", file.id).name), .text(String(repeating: "x", count: file.size)))
        }
        let error: (any Error)? = await withCheckedContinuation { continuation in
            let changes = files.map { KeysetRecordChange.put($0.record) } + [.put(KeysetRecord(.init(.user, [1]), [2]))]
            store.commit(changes, with: [], application: "demo") { continuation.resume(returning: $0) }
        }
        #expect(error == nil)
        let source = try await RedisTables.open(redis.redis, staysBeside: false)
        defer { source.close() }
        let counted = try await source.copyFiles(to: nil)
        #expect(counted == (3, 0))
        let directory = redis.scratch.path + "/files"
        try FileManager.default.createDirectory(atPath: redis.scratch.path, withIntermediateDirectories: true)
        // The second time all are there already.
        for _ in 1...2 {
            let copied = try await source.copyFiles(to: directory)
            #expect(copied == (3, 2))
        }
        let contents = DirectoryFileContents(directory, subscribeKey: "demo")
        for file in files.dropLast() {
            #expect(try await contents.content(of: file.id) == [UInt8](repeating: UInt8(ascii: "x"), count: file.size))
        }
        #expect(try await contents.content(of: files[2].id) == nil)
    }
}
