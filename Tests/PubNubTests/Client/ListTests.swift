import PubNubProtocol
import Testing

@testable import PubNub

/// What is subscribed to, from the calls of the API to the engine's commands.
struct ListTests {
    private let fixture = Fixture()

    @Test func `lists are visible at once and keep the order`() {
        let client = fixture.client
        client.subscribeToChannels(["b", "a"], withPresence: true)
        client.subscribeToChannelGroups(["g"], withPresence: true)
        client.subscribeToPresenceChannels(["c"])
        #expect(client.channels() == ["b", "a"])
        #expect(client.channelGroups() == ["g", "g-pnpres"])
        #expect(client.presenceChannels() == ["b-pnpres", "a-pnpres", "c-pnpres"])
        #expect(client.isSubscribed(on: "a") && client.isSubscribed(on: "g") && client.isSubscribed(on: "c-pnpres"))
        #expect(!client.isSubscribed(on: "c"))
        #expect(
            fixture.engine.log == [
                "subscribe b,a,b-pnpres,a-pnpres", "connect", "subscribe group:g,group:g-pnpres", "connect",
                "subscribe c-pnpres", "connect",
            ])
    }

    @Test func `timetoken and state reach the engine`() {
        fixture.client.subscribeToChannels(["a"], withPresence: false, usingTimeToken: 15, clientState: ["a": ["mood": "good"]])
        fixture.client.subscribeToChannelGroups(["g"], withPresence: false, usingTimeToken: 16)
        #expect(
            fixture.engine.log.filter { $0 != "connect" } == [
                #"subscribe a from 15 a={"mood":"good"}"#, "subscribe group:g from 16",
            ])
    }

    @Test func `unsubscribing without presence leaves the presence channel`() {
        fixture.client.subscribeToChannels(["a"], withPresence: true)
        fixture.client.unsubscribeFromChannels(["a"], withPresence: false)
        #expect(fixture.client.channels().isEmpty && fixture.client.presenceChannels() == ["a-pnpres"])
        fixture.client.unsubscribeFromPresenceChannels(["a"])
        #expect(fixture.client.presenceChannels().isEmpty)
        // Nothing is left, so nothing is connected for.
        #expect(fixture.engine.log.suffix(1) == ["unsubscribe a-pnpres"])
    }

    @Test func `a filter is remembered and set again`() {
        fixture.client.filterExpression = "x > 1"
        #expect(fixture.client.filterExpression == "x > 1")
        #expect(fixture.engine.log == ["filter x > 1"])
        fixture.client.filterExpression = nil
        #expect(fixture.engine.log.last == "filter -")
    }

    @Test func `a copy takes over list, place, filter and listeners`() throws {
        let client = fixture.client
        client.filterExpression = "x"
        client.subscribeToChannels(["a"], withPresence: false)
        fixture.engine.cursor = PubNubCursor(timetoken: Timetoken(rawValue: 99))
        fixture.engine.states = ["a": "{}"]
        fixture.engine.forgetLog()
        let configuration = client.currentConfiguration()
        configuration.requestMessageCountThreshold = 100
        let copies = Copies()
        client.copyWithConfiguration(configuration) { copies.add($0) }
        let copy = try #require(copies.all.first)
        #expect(copy.currentConfiguration().requestMessageCountThreshold == 100)
        #expect(copy.channels() == ["a"] && client.channels().isEmpty)
        #expect(copy.filterExpression == "x")
        // Both clients of the fixture share the scripted engine.
        #expect(fixture.engine.log == ["filter x", "abandon", "subscribe a from 99 a={}", "connect"])
    }

    @Test func `a copy for another user lets the former leave first`() {
        let client = fixture.client
        client.subscribeToChannels(["a"], withPresence: false)
        fixture.engine.forgetLog()
        let configuration = client.currentConfiguration()
        configuration.uuid = "another"
        let copies = Copies()
        client.copyWithConfiguration(configuration) { copies.add($0) }
        #expect(copies.all.isEmpty)
        fixture.engine.completeAll()
        #expect(fixture.engine.log == ["filter -", "unsubscribeAll", "subscribe a", "connect"])
        #expect(copies.all.map { $0.uuid() } == ["another"])
    }
}
