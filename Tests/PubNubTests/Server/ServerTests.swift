import LifelineServer
import PubNubProtocol
import Testing

@testable import PubNub

/// The client against a server on real sockets: what scripts cannot show.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ServerTests {
    @Test func `messages, presence and metadata arrive`() async throws {
        try await withServer { server in
            let me = LiveClient(server)
            let them = LiveClient(server, user: "them")
            me.client.subscribeToChannels(["room"], withPresence: true)
            await me.listener.wait { $0.first == "Connected [room,room-pnpres]" }
            them.client.subscribeToChannels(["room"], withPresence: false)
            await me.listener.wait { $0.contains("presence room join them 2") }
            them.client.publish(["n": 1], toChannel: "room", withMetadata: ["level": 3])
            await me.listener.wait { $0.contains(#"message room {"n":1}"#) }
            let message = try #require(me.listener.messages.first).data
            #expect(message.publisher == "them" && message.userMetadata?["level"] as? Int == 3)
            them.client.unsubscribeFromAll()
            await me.listener.wait { $0.contains("presence room leave them 1") }
        }
    }

    @Test func `PK-72: what was published during the background arrives upon return, once`() async throws {
        try await withServer { server in
            let me = LiveClient(server)
            me.client.subscribeToChannels(["room"], withPresence: false)
            await me.listener.wait(for: "Connected [room]")
            try await server.publish(channel: "room", message: "1")
            await me.listener.wait(for: "message room 1")
            me.client.applicationDidEnterBackground()
            await me.listener.wait { $0.last?.hasPrefix("Unexpected Disconnect") ?? false }
            #expect(me.listener.statuses.last?.failure?.category == "background")
            try await server.publish(channel: "room", message: "2")
            me.client.applicationWillEnterForeground()
            await me.listener.wait(for: "message room 2")
            try await server.publish(channel: "room", message: "3")
            await me.listener.wait(for: "message room 3")
            #expect(me.listener.messages.map(\.data.json) == ["1", "2", "3"])
            #expect(me.listener.lines.contains("Reconnected [room]"))
        }
    }

    @Test func `changes of the list neither lose nor repeat a message`() async throws {
        try await withServer { server in
            let me = LiveClient(server)
            me.client.subscribeToChannels(["room"], withPresence: false)
            await me.listener.wait(for: "Connected [room]")
            for number in 0..<60 {
                try await server.publish(channel: "room", message: "\(number)")
                if number % 20 == 10 { me.client.subscribeToChannels(["other-\(number)"], withPresence: false) }
            }
            await me.listener.wait { $0.contains("message room 59") }
            #expect(me.listener.messages.map(\.data.json) == (0..<60).map { "\($0)" })
        }
    }

    @Test func `a service that is not there is an unexpected disconnect until it is`() async throws {
        try await withServer { server in
            let me = LiveClient(server, port: 1)
            me.client.subscribeToChannels(["room"], withPresence: false)
            await me.listener.wait { $0.count >= 2 }
            #expect(me.listener.lines.prefix(2) == ["Unexpected Disconnect ~ [room]", "Unexpected Disconnect ~ [room]"])
            #expect(me.listener.statuses[0].statusCode == -1 && me.listener.statuses[0].retryDelay != nil)
            me.listener.statuses[1].cancelAutomaticRetry()
        }
    }

    @Test func `a malformed filter is refused, a good one filters`() async throws {
        try await withServer { server in
            let me = LiveClient(server)
            me.client.filterExpression = "level >"
            me.client.subscribeToChannels(["room"], withPresence: false)
            await me.listener.wait(for: "Malformed Filter Expression ! [room]")
            me.client.filterExpression = "level > 2"
            await me.listener.wait(for: "Connected [room]")
            try await server.publish(channel: "room", message: "1", metadata: #"{"level":1}"#)
            try await server.publish(channel: "room", message: "3", metadata: #"{"level":3}"#)
            await me.listener.wait(for: "message room 3")
            #expect(!me.listener.lines.contains("message room 1"))
        }
    }

    @Test func `sequences bring what listeners hear`() async throws {
        try await withServer { server in
            let me = LiveClient(server)
            let messages = me.client.messages(on: "room")
            me.client.subscribeToChannels(["room"], withPresence: false)
            await me.listener.wait(for: "Connected [room]")
            for number in 0..<80 { try await server.publish(channel: "room", message: "\(number)") }
            var heard: [String] = []
            for await message in messages {
                heard.append(message.json)
                #expect(message.precedingGap == nil)
                if heard.count == 80 { break }
            }
            #expect(heard == (0..<80).map { "\($0)" })
        }
    }

    @Test func `unsubscribing from all completes, and a released client leaves no poll behind`() async throws {
        try await withServer { server in
            var me: LiveClient? = LiveClient(server)
            me?.client.subscribeToChannels(["room"], withPresence: false)
            await me?.listener.wait(for: "Connected [room]")
            let client = me?.client
            await withCheckedContinuation { done in client?.unsubscribeFromAll { _ in done.resume() } }
            #expect(me?.listener.lines.last == "Expected Disconnect (Unsubscribe)")
            weak let gone = client
            #expect(gone?.channels() == [])
            me = nil
        }
    }
}
