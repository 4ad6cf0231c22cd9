import Foundation
import Identifiers
import RealtimeHub
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime

@Suite("Files with a data directory (rules FI-7, FI-20 to FI-22)", .timeLimit(.minutes(1)))
struct PubNubFileRestartTests {
    private func withDirectory(_ body: (String) async throws -> Void) async throws {
        let directory = NSTemporaryDirectory() + "lifeline-\(UInt64.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await body(directory)
    }

    /// The files below a directory, by their paths in it.
    private func contents(_ directory: String) -> [String] {
        (FileManager.default.enumerator(atPath: directory + "/files")?.allObjects as? [String] ?? [])
            .filter { $0.contains("/") }.sorted()
    }

    @Test("Files outlive a restart with their contents, for their owner alone; deleted ones stay away")
    func restart() async throws {
        try await withDirectory { directory in
            let content = [UInt8](repeating: 7, count: 100_000)
            var (kept, listed) = ("", "")
            try await withServer(quietApplication, { $0.dataDirectory = directory }) { server in
                let client = FileClient(server: server)
                kept = try await client.store("a.bin", content)
                let gone = try await client.store("b.bin", [1])
                #expect(try await client.ask("DELETE", client.path(gone, "b.bin")).status == 200)
                listed = try await client.list().body
            }
            #expect(contents(directory).map { $0.split(separator: "/").last.map(String.init) } == [kept])
            for path in ["/files", "/files/" + (contents(directory).first ?? "")] {
                let attributes = try FileManager.default.attributesOfItem(atPath: directory + path)
                let rights = (attributes[.posixPermissions] as? NSNumber)?.intValue
                #expect(rights == (path == "/files" ? 0o700 : 0o600))
            }
            try await withServer(quietApplication, { $0.dataDirectory = directory }) { server in
                let client = FileClient(server: server)
                let again = try await client.list()
                #expect(again.body == listed)
                #expect(try await client.download(kept, "a.bin").bytes == content)
            }
        }
    }

    @Test("What a crash left behind is taken away: contents without a record, halves, and records without a content (FI-22)")
    func leftovers() async throws {
        try await withDirectory { directory in
            var ids: [String] = []
            try await withServer(quietApplication, { $0.dataDirectory = directory }) { server in
                for name in ["a", "b"] { ids.append(try await FileClient(server: server).store(name, [1])) }
            }
            let place = try #require(contents(directory).first).split(separator: "/")[0]
            let folder = "\(directory)/files/\(place)"
            try FileManager.default.removeItem(atPath: folder + "/" + ids[0])
            let orphan = FileID.make().text
            for name in [orphan, ids[1] + ".part"] { try Data([1]).write(to: URL(fileURLWithPath: folder + "/" + name)) }
            for _ in 0..<2 {
                try await withServer(quietApplication, { $0.dataDirectory = directory }) { server in
                    let client = FileClient(server: server)
                    let names = try await client.names()
                    #expect(names == ["b"])
                    #expect(try await client.download(ids[0], "a").status == 404)
                    await eventually { contents(directory) == ["\(place)/\(ids[1])"] }
                }
            }
        }
    }

    @Test("Files go when they are as old as the keyset says, their contents too (FI-7)")
    func lifetime() async throws {
        try await withDirectory { directory in
            let clock = ManualClock()
            var keyset = Keyset.development
            keyset.fileLifetime = .seconds(3600)
            try await withServer(
                quietApplication,
                { ($0.dataDirectory, $0.clock, $0.keysets) = (directory, clock.timeOfDayOnly, [keyset]) }
            ) { server in
                let client = FileClient(server: server)
                _ = try await client.store("old", [1])
                clock.advance(by: 1800)
                _ = try await client.store("new", [2])
                clock.advance(by: 1801)
                try await eventually { try await client.names() == ["new"] && contents(directory).count == 1 }
                clock.advance(by: 1800)
                try await eventually { try await client.names() == [] && contents(directory).isEmpty }
            }
        }
    }

    @Test("A directory that cannot be written to costs the upload and nothing else")
    func unwritable() async throws {
        try await withDirectory { directory in
            try await withServer(quietApplication, { $0.dataDirectory = directory }) { server in
                let client = FileClient(server: server)
                // A file where the directory would be.
                try Data([1]).write(to: URL(fileURLWithPath: directory + "/files"))
                let answer = try await client.send(client.upload("a"), [1])
                #expect(answer.status == 503 && answer.body.contains("<Code>ServiceUnavailable</Code>"))
                #expect(try await client.names() == [])
                try FileManager.default.removeItem(atPath: directory + "/files")
                _ = try await client.store("a", [1])
                #expect(try await client.names() == ["a"])
            }
        }
    }
}
