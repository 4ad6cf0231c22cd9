import Foundation
import Testing

@testable import NexconnChatSDK

/// What an installation remembers.
@Suite final class InstallationStoreTests {
    private let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
        "installation-\(UUID().uuidString)", isDirectory: true)

    deinit { try? FileManager.default.removeItem(at: directory) }

    @Test func `the device's id stays, over starts and for all who ask at once`() async {
        let directory = directory
        let ids = await withTaskGroup(of: String.self) { group in
            for _ in 0..<8 { group.addTask { InstallationStore(directory: directory).deviceID } }
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
        #expect(ids.first == InstallationStore(directory: directory).deviceID)
    }

    @Test func `tokens are known by their digest, for one application`() throws {
        let store = InstallationStore(directory: directory)
        store.remember("alice", appKey: "k", token: "secret-token")
        let later = InstallationStore(directory: directory)
        #expect(later.user(appKey: "k", token: "secret-token") == "alice")
        #expect(later.user(appKey: "other", token: "secret-token") == nil && later.user(appKey: "k", token: "t") == nil)
        let file = directory.appendingPathComponent("accounts.json")
        #expect(!(try String(contentsOf: file, encoding: .utf8)).contains("secret"))
        let rights = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(rights == 0o600)
    }

    @Test func `the oldest of many tokens is forgotten, and a broken file starts over`() throws {
        let store = InstallationStore(directory: directory)
        for number in 0..<20 { store.remember("u\(number)", appKey: "k", token: "t\(number)") }
        let later = InstallationStore(directory: directory)
        #expect(later.user(appKey: "k", token: "t0") == nil && later.user(appKey: "k", token: "t19") == "u19")
        try Data("{".utf8).write(to: directory.appendingPathComponent("accounts.json"))
        let broken = InstallationStore(directory: directory)
        #expect(broken.user(appKey: "k", token: "t19") == nil)
        broken.remember("u", appKey: "k", token: "t")
        #expect(InstallationStore(directory: directory).user(appKey: "k", token: "t") == "u")
    }

    @Test func `without a place to write everything holds for the process`() {
        let store = InstallationStore(directory: URL(fileURLWithPath: "/dev/null/nowhere"))
        #expect(store.deviceID == store.deviceID)
        store.remember("u", appKey: "k", token: "t")
        #expect(store.user(appKey: "k", token: "t") == "u")
    }
}
