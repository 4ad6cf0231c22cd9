import Foundation
import Testing

@testable import LifelineCommand

struct FileContentTests {
    @Test func `SO-99: a byte order mark at the beginning of a file is ignored, and at most the limit is read`() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString).txt").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        for (content, expected) in [
            (mark + [0x7B, 0x7D], [0x7B, 0x7D]), (mark, []), ([0xEF, 0xBB], [0xEF, 0xBB]), ([0x61] + mark, [0x61] + mark),
            ([], []),
        ] as [([UInt8], [UInt8])] {
            try Data(content).write(to: URL(fileURLWithPath: path))
            #expect(try FileContent.read(path, limit: 16) == expected)
        }
        try Data(repeating: 0x61, count: 17).write(to: URL(fileURLWithPath: path))
        #expect(throws: FileContent.Failure.self) { try FileContent.read(path, limit: 16) }
    }

    @Test func `SO-99: a configuration and a secret with a byte order mark are read`() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString).json").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("\u{FEFF}{\"port\": 7000}".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try ServeSettings(command: ServeCommand.parse(["--config", path]), environment: [:]).port == 7000)
        try Data("\u{FEFF}hidden\n".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try CredentialSources.secret(nil, file: path)?.revealed == "hidden")
    }
}
