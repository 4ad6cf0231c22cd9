import Foundation
import Identifiers
import ServerStorage
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

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

    @Test("Contents without a record are set aside, halves are deleted, and records without a content are not shown (FI-22)")
    func leftovers() async throws {
        try await withDirectory { directory in
            var ids: [String] = []
            try await withServer(quietApplication, { $0.dataDirectory = directory }) { server in
                for name in ["a", "b"] { ids.append(try await FileClient(server: server).store(name, [1])) }
            }
            let place = try #require(contents(directory).first).split(separator: "/")[0]
            let folder = "\(directory)/files/\(place)"
            try FileManager.default.moveItem(atPath: folder + "/" + ids[0], toPath: directory + "/moved")
            let orphan = FileID.make().text
            for name in [orphan, ids[1] + ".part"] { try Data([1]).write(to: URL(fileURLWithPath: folder + "/" + name)) }
            for _ in 0..<2 {
                try await withServer(quietApplication, { $0.dataDirectory = directory }) { server in
                    let client = FileClient(server: server)
                    let names = try await client.names()
                    #expect(names == ["b"])
                    #expect(try await client.download(ids[0], "a").status == 404)
                    let expected = ["\(place)/\(ids[1])", "\(place)/aside", "\(place)/aside/\(orphan)"].sorted()
                    #expect(contents(directory) == expected)
                }
            }
            // A content that was missing is put back.
            try FileManager.default.moveItem(atPath: directory + "/moved", toPath: folder + "/" + ids[0])
            try await withServer(quietApplication, { $0.dataDirectory = directory }) { server in
                let names = try await FileClient(server: server).names()
                #expect(Set(names) == ["a", "b"])
            }
        }
    }

    @Test("Without its database a server keeps the contents of files, logs how many, and has them again with it (FI-22)")
    func withoutDatabase() async throws {
        try await withDirectory { directory in
            let files = FileManager.default
            var id = ""
            try await withServer(quietApplication, { $0.dataDirectory = directory }) { server in
                id = try await FileClient(server: server).store("a", [1, 2, 3])
            }
            try files.createDirectory(atPath: directory + "/away", withIntermediateDirectories: false)
            let database = try files.contentsOfDirectory(atPath: directory).filter { $0.hasPrefix("lifeline.sqlite") }
            for name in database { try files.moveItem(atPath: "\(directory)/\(name)", toPath: "\(directory)/away/\(name)") }
            let lines = LogLines()
            try await withServer(
                quietApplication, { ($0.dataDirectory, $0.logger) = (directory, lines.logger()) }
            ) { server in
                let names = try await FileClient(server: server).names()
                #expect(names.isEmpty)
                #expect(contents(directory).contains { $0.hasSuffix("aside/" + id) })
                #expect(lines.all.contains { $0.contains("Uploaded files that are not in the database: 1.") })
            }
            for name in try files.contentsOfDirectory(atPath: directory) where name.hasPrefix("lifeline.sqlite") {
                try files.removeItem(atPath: "\(directory)/\(name)")
            }
            for name in database { try files.moveItem(atPath: "\(directory)/away/\(name)", toPath: "\(directory)/\(name)") }
            try await withServer(quietApplication, { $0.dataDirectory = directory }) { server in
                let client = FileClient(server: server)
                let file = try await client.download(id, "a")
                #expect(file.bytes == [1, 2, 3])
            }
        }
    }

    @Test("Contents that were aside for 30 days are deleted (FI-22)")
    func asideForLong() async throws {
        try await withDirectory { directory in
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            let place = DirectoryFileContents(directory + "/files", subscribeKey: "demo")
            let (id, now) = (FileID.make(), Int(Date().timeIntervalSince1970))
            try await place.put([1], for: id)
            #expect(try place.restore([], at: now)?.setAside == 1)
            #expect(try place.restore([], at: now + 29 * 86_400)?.deleted == 0)
            #expect(try place.restore([], at: now + 31 * 86_400)?.deleted == 1)
            let last = try place.restore([id], at: now)
            #expect(last?.returned == 0 && last?.present == [])
        }
    }

    @Test(
        "Forms stay good over a restart, and the form of a deleted file does not bring it back (FI-25)")
    func formOfBefore() async throws {
        try await withDirectory { directory in
            let clock = ManualClock()
            var uploads: [FileClient.Upload] = []
            let configure: (inout ServerConfiguration) -> Void = {
                ($0.dataDirectory, $0.clock) = (directory, clock.timeOfDayOnly)
            }
            try await withServer(quietApplication, configure) { server in
                let client = FileClient(server: server)
                for name in ["kept", "deleted", "late"] { uploads.append(try await client.upload(name)) }
                for upload in uploads.prefix(2) { #expect(try await client.send(upload, [1]).status == 204) }
                #expect(try await client.ask("DELETE", client.path(uploads[1].id, "deleted")).status == 200)
            }
            clock.advance(by: 1)
            try await withServer(quietApplication, configure) { server in
                let client = FileClient(server: server)
                var answers: [Int] = []
                for upload in uploads {
                    let here = FileClient.Upload(id: upload.id, url: client.base + "/v1/files/demo/upload", fields: upload.fields)
                    answers.append(try await client.send(here, [2]).status)
                }
                #expect(answers == [204, 403, 204])
                #expect(try await client.names() == ["late", "kept"])
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
