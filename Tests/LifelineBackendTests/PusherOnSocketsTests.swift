import Lifeline
import LifelineServer
import Testing

@testable import LifelineBackend

/// Every call against a server in this process.
@Suite("Pusher's backend on sockets", .timeLimit(.minutes(1)))
struct PusherOnSocketsTests {
    private func client(_ server: LifelineServer, _ backend: PusherBackend, user: String = "ann") -> LifelineClient {
        let access = PusherAccess.custom { request in
            let user = PusherBackendUser(id: user, infoJSON: #"{"name":"Ann"}"#)
            let grant = try backend.authorize(
                channel: request.channel, socketID: request.socketID,
                user: request.channel.hasPrefix("presence-") ? user : nil)
            return PusherAccess.Grant(auth: grant.auth, channelData: grant.channelData, sharedSecret: grant.sharedSecret)
        }
        return LifelineClient(
            .pusher(key: "app-key", host: .init("127.0.0.1", port: server.port, tls: false), access: access))
    }

    @Test(
        "BK-1, BK-5: clients that the backend authorises get what it triggers",
        arguments: ["room", "private-room", "presence-room", "private-encrypted-room"])
    func trigger(_ channel: String) async throws {
        try await withServer { server in
            let backend = try PusherBackend.of(server)
            let client = client(server, backend)
            try await client.connect(timeout: .seconds(30))
            let room = try await client.channel(channel).subscribe()
            try await backend.trigger("price", on: [channel], data: ["price": 3])
            var messages = room.messages.makeAsyncIterator()
            let message = try #require(await messages.next())
            #expect(message.event == "price")
            #expect(try message.decode([String: Int].self) == ["price": 3])
            await client.disconnect()
        }
    }

    @Test("BK-1: triggers, batches and questions answer with the attributes that were asked for")
    func questions() async throws {
        try await withServer { server in
            let backend = try PusherBackend.of(server)
            #expect(try await backend.channels() == [])
            let client = client(server, backend)
            try await client.connect(timeout: .seconds(30))
            _ = try await client.channel("presence-room").subscribe()
            let room = PusherChannelInfo(name: "presence-room", userCount: 1)
            #expect(try await backend.trigger("e", on: ["presence-room"], text: "1", attributes: [.userCount]) == [room])
            let batch = [
                PusherBatchEvent("e", on: "presence-room", data: "1", attributes: [.userCount]),
                PusherBatchEvent("e", on: "other", data: "2"),
            ]
            #expect(try await backend.trigger(batch) == [room, PusherChannelInfo(name: "other")])
            #expect(try await backend.trigger([batch[1]]) == [])
            let occupied = PusherChannelInfo(name: "presence-room", isOccupied: true, userCount: 1)
            #expect(try await backend.channels(prefix: "presence-", attributes: [.userCount]) == [occupied])
            #expect(try await backend.channel("presence-room", attributes: [.userCount]) == occupied)
            #expect(try await backend.channel("empty").isOccupied == false)
            #expect(try await backend.users(on: "presence-room") == ["ann"])
            try await backend.trigger("e", on: ["cache-a"], text: "last")
            #expect(try await backend.channel("cache-a", attributes: [.cache]).cachedData == "last")
            await client.disconnect()
        }
    }

    @Test("BK-1: users get what is sent to them, and their connections are closed")
    func users() async throws {
        try await withServer { server in
            let backend = try PusherBackend.of(server)
            try await backend.send("hello", toUser: "ann", data: 1)
            try await backend.terminateConnections(ofUser: "ann/ben ü")
            let denied = try PusherBackend.of(server, secret: "wrong")
            let error = await #expect(throws: BackendError.self) { try await denied.send("hello", toUser: "ann", data: 1) }
            #expect(error?.code == .accessDenied && error?.mayHaveTakenEffect == false)
        }
    }

    @Test("BK-2: where nothing listens, the call cannot have taken effect")
    func nobody() async throws {
        let port = try await unusedPort()
        let backend = try PusherBackend(
            appID: "1", keys: [PusherKey("k", secret: "s")], address: BackendAddress("127.0.0.1", port: port, tls: false),
            options: BackendOptions(retries: 0))
        let error = await #expect(throws: BackendError.self) { try await backend.trigger("e", on: ["a"], text: "1") }
        #expect(error?.code == .networkUnavailable && error?.mayHaveTakenEffect == false)
    }

    /// A port on which a server has just stopped listening.
    private func unusedPort() async throws -> Int {
        let server = try await LifelineServer.start(.init(port: 0))
        let port = server.port
        try await server.stop()
        return port
    }
}
