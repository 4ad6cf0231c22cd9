import Foundation
import HubStorage
import Identifiers
import NIOConcurrencyHelpers
import ServerStorage
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Stores that are given to a server (SV-60)", .timeLimit(.minutes(1)))
struct ServerStoresTests {
    @Test("A server opens the stores that it is given, and closes them at its end")
    func injected() async throws {
        let directory = NSTemporaryDirectory() + "lifeline-\(UInt64.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        for round in 0..<2 {
            // A second server could not open what the first has not closed.
            try await withServer(quietApplication, { ($0.stores, $0.dataDirectory) = (.directory(directory), "/dev/null/none") })
            { server in
                let client = try await PollClient.connect(server)
                if round == 0 { try await client.publish("1", to: "room") }
                #expect(try await client.get("/v2/history/sub-key/demo/channel/room").body.hasPrefix("[[1],"))
                _ = try await server.issueChatToken(user: "ann")
            }
        }
    }

    @Test("A store that cannot be opened keeps the server from starting, and the other one is closed")
    func failing() async throws {
        let closed = NIOLockedValueBox(0)
        let stores = ServerStores(
            messages: { _ in ActionlessStore(closed: closed) },
            chat: { _ in throw MessageStoreError.inUse(directory: "elsewhere") })
        await #expect(throws: MessageStoreError.inUse(directory: "elsewhere")) {
            try await withServer(quietApplication, { $0.stores = stores }) { _ in }
        }
        #expect(closed.withLockedValue { $0 } == 1)
    }

    @Test("A reload asks the store for the keysets that it adds, and for no others (PV-153)")
    func restoring() async throws {
        let store = ActionlessStore()
        let stores = ServerStores(messages: { _ in store }, chat: { _ in InMemoryChatStore() })
        try await withServer(quietApplication, { $0.stores = stores }) { server in
            var other = Keyset.development
            (other.subscribeKey, other.publishKey) = ("other", "other")
            try await server.replace(keysets: [.development, other])
            try await server.replace(keysets: [other])
            try await server.replace(keysets: [.development, other])
            #expect(store.restored.withLockedValue { $0 } == [["other"]])
        }
    }
}
