import Foundation
import Testing

@testable import DatabaseFile

@Suite("LL-100: the file of a database")
final class DatabaseFileTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-file-\(UUID().uuidString)").path

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func file(_ parts: String...) -> DatabaseFile { DatabaseFile(directory: folder, parts: parts, suffix: ".db") }

    @Test func `Parts that join to the same text are different owners`() {
        #expect(file("a", "bc").path != file("ab", "c").path)
        #expect(file("a", "b", "c").path != file("a", "bc").path)
        #expect(file("a", "b").path == file("a", "b").path)
        #expect(file("a", "b").path.hasSuffix(".db"))
    }

    @Test func `LL-100: whoever comes second is told that the file is in use, until it is released`() throws {
        let lock = try file("a").reserve()
        #expect(throws: DatabaseFileError.locked) { try file("a").reserve() }
        let other = try file("b").reserve()
        lock.release()
        try file("a").reserve().release()
        other.release()
    }

    @Test func `LL-100: the file is its owner's alone`() throws {
        #expect(try !file("a").prepare())
        #expect(try file("a").prepare())
        let attributes = try FileManager.default.attributesOfItem(atPath: file("a").path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        let above = try FileManager.default.attributesOfItem(atPath: folder)
        #expect(above[.posixPermissions] as? Int == 0o700)
    }
}
