import PubNubProtocol
import Testing

@testable import Lifeline

@Suite("Channel groups", .timeLimit(.minutes(1)))
struct ChannelGroupTests {
    @Test(
        "LL-54: where the service has no groups, all of it is unsupported",
        arguments: [
            Service.pusher(key: "k", host: ServiceHost("127.0.0.1", port: 1)),
            .nexconn(appKey: "k", host: ServiceHost("127.0.0.1", port: 1), access: .token("t")),
        ])
    func unsupported(service: Service) async {
        let group = LifelineClient(service).channelGroup("news")
        for call in 0..<5 {
            let error = await #expect(throws: LifelineError.self) {
                switch call {
                case 0: _ = try await group.subscribe()
                case 1: _ = try await group.channels()
                case 2: try await group.add(["a"])
                case 3: try await group.remove(["a"])
                default: try await group.delete()
                }
            }
            #expect(error?.code == .unsupported && error?.feature == "channel groups")
        }
        group.unsubscribe()
    }

    @Test("LL-56: names that are none are refused, and a group is no channel", arguments: ["", "a,b", "a*", "a:b", "a-pnpres"])
    func names(name: String) async throws {
        let client = PubNubFixture().client
        let error = await #expect(throws: LifelineError.self) { _ = try await client.channelGroup(name).subscribe() }
        #expect(error?.code == .badRequest)
        await #expect(throws: LifelineError.self) { try await client.channelGroup("news").add([]) }
        let refused = await #expect(throws: LifelineError.self) { _ = try await client.channel(":news").publish(1) }
        #expect(refused?.code == .badRequest)
    }

    @Test("LL-55: a group's room is confirmed, gets what comes by the group, and not what comes by a channel of its own")
    func routing() async throws {
        let fixture = PubNubFixture(presence: false)
        try await fixture.connect()
        let news = try await fixture.client.channelGroup("news").subscribe()
        let sports = try await fixture.client.channel("sports").subscribe()
        var byGroup = PubNubFixture.message("1", 1001, in: "weather")
        byGroup.subscription = "news"
        var byBoth = PubNubFixture.message("2", 1002, in: "sports")
        byBoth.subscription = "news"
        var again = PubNubFixture.message("3", 1003, in: "weather")
        again.subscription = "news"
        fixture.publish(byGroup, byBoth, again)
        var seen: [Message] = []
        for await message in news.messages.prefix(2) { seen.append(message) }
        #expect(seen.map(\.data) == ["1", "3"] && seen.map(\.channel) == ["weather", "weather"])
        #expect(seen.allSatisfy { $0.pattern == ":news" })
        for await message in sports.messages.prefix(1) { #expect(message.data == "2" && message.pattern == nil) }
        #expect(fixture.service.targets.contains { $0.contains("channel-group=news") })
    }

    @Test("LL-110: groups and wildcards are left with the last of their rooms", arguments: [":news", "news.*"])
    func rooms(name: String) async throws {
        let fixture = PubNubFixture(presence: false)
        try await fixture.connect()
        let isGroup = name.hasPrefix(":")
        func subscribe() async throws -> Room {
            if isGroup { return try await fixture.client.channelGroup("news").subscribe() }
            return try await fixture.client.channel(name).subscribe()
        }
        let (first, second) = (try await subscribe(), try await subscribe())
        var message = PubNubFixture.message("1", 1001, in: "news.weather")
        message.subscription = isGroup ? "news" : name
        first.unsubscribe()
        fixture.publish(message)
        let messages = second.messages
        #expect(await messages.first { _ in true }?.data == "1")
        #expect(!fixture.service.targets.contains { $0.contains("/leave") })
        second.unsubscribe()
        fixture.client.settle()
        #expect(fixture.service.targets.last?.contains("/leave") == true)
    }
}
