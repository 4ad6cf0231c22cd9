import Foundation
import HubStorage
import ServerValues
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Ids of chat events (HB-20, HB-21)", .timeLimit(.minutes(1)))
struct ChatStorageTests {
    @Test("After an idle hour the first id is of now, as long as time is let pass")
    func idle() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let clock = ManualClock()
        let store = try SQLiteChatStore(directory: directory, now: clock.clock.unixTicks)
        let storage = ChatStorage(store: store, restored: try await store.restore(), unixTicks: clock.clock.unixTicks)
        try await storage.ids.prepare()
        clock.advance(by: 3600)
        storage.ids.sweep()
        while try await store.restore().highestID < storage.ids.now { await Task.yield() }
        // The store has remembered; the clock learns of it a moment later.
        let late = storage.ids.now - TimetokenClock.ticksPerSecond
        try await eventually("an id of now") { storage.ids.next() >= late }
        await store.close()
    }

    @Test("An id is of now, or a little before, whatever became of the reservation")
    func late() async throws {
        let clock = ManualClock()
        let store = InMemoryChatStore(now: clock.clock.unixTicks)
        let storage = ChatStorage(store: store, restored: try await store.restore(), unixTicks: clock.clock.unixTicks)
        let start = storage.ids.now
        try await storage.ids.prepare()
        clock.advance(by: 60)
        #expect(storage.ids.next() >= start)
    }
}
