import Foundation
import ServerStorage
import Testing

@testable import HubStorage

@Suite("The database of applications that are made at run time")
struct SQLiteApplicationStoreTests {
    private let scratch = Scratch()

    @Test func `AR-4: entries are kept, replaced and deleted`() async throws {
        var store = try SQLiteApplicationStore(directory: scratch.path)
        #expect(try await store.load() == StoredApplications())
        #expect(try await store.write([1, 0, 255], name: "pusher/7", after: 0) == 1)
        #expect(try await store.write([2], name: "chat/c", after: 1) == 2)
        #expect(try await store.write([3], name: "chat/c", after: 2) == 3)
        await store.close()
        store = try SQLiteApplicationStore(directory: scratch.path)
        #expect(
            try await store.load() == StoredApplications(version: 3, entries: ["pusher/7": [1, 0, 255], "chat/c": [3]]))
        #expect(try await store.write(nil, name: "chat/c", after: 3) == 4)
        #expect(try await store.load() == StoredApplications(version: 4, entries: ["pusher/7": [1, 0, 255]]))
        await store.close()
    }

    @Test func `AR-13: a change after an unknown one writes nothing`() async throws {
        let store = try SQLiteApplicationStore(directory: scratch.path)
        #expect(try await store.write([1], name: "chat/c", after: 0) == 1)
        #expect(try await store.write([2], name: "chat/c", after: 0) == nil)
        #expect(try await store.load().entries == ["chat/c": [1]])
        #expect(try await store.version() == 1)
        await store.close()
    }

    @Test func `AR-4: one server at a time uses the database, and only its owner reads it`() async throws {
        let store = try SQLiteApplicationStore(directory: scratch.path)
        #expect(throws: MessageStoreError.inUse(directory: scratch.path)) {
            try SQLiteApplicationStore(directory: scratch.path)
        }
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path + "/applications.sqlite")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        await store.close()
    }
}
