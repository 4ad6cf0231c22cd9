import Foundation
import Testing
import TransportCommon

@Suite("SO-113: where clients keep what survives a start")
struct ApplicationFolderTests {
    @Test("XDG_DATA_HOME decides if it is an absolute path")
    func environment() {
        #expect(ApplicationFolder.url("pubnub", environment: ["XDG_DATA_HOME": "/data"])?.path == "/data/lifeline/pubnub")
        let usual = ApplicationFolder.url("pubnub", environment: [:])
        #expect(usual != nil && usual == ApplicationFolder.url("pubnub", environment: ["XDG_DATA_HOME": "data"]))
        #expect(usual?.path.hasSuffix("/lifeline/pubnub") == true)
    }

    @Test("On tvOS it is the folder for caches, since no other one can be written there")
    func television() throws {
        let caches = try #require(FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first)
        let folder = ApplicationFolder.url("nexconn", environment: [:], isTelevision: true)
        #expect(folder?.path == caches.appendingPathComponent("lifeline/nexconn").path)
    }

    @Test("The folder is its owner's alone, and making it again does no harm")
    func making() throws {
        let base = FileManager.default.temporaryDirectory.appendingPathComponent(
            "lifeline-\(UUID().uuidString)", isDirectory: true)
        defer { try? FileManager.default.removeItem(at: base) }
        let folder = base.appendingPathComponent("a/b", isDirectory: true)
        try ApplicationFolder.make(folder)
        try ApplicationFolder.make(folder)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
        #expect(mode == 0o700)
    }
}
