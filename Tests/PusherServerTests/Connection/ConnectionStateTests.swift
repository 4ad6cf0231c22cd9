import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("What a Pusher connection remembers (SP-21)", .timeLimit(.minutes(1)))
struct ConnectionStateTests {
    @Test("An idle connection is small: what few have takes a pointer until they have it")
    func size() {
        #expect(MemoryLayout<LazyBox<PusherFront.User>>.size == 8)
        #expect(MemoryLayout<PusherFront>.size <= 80)
    }

    @Test("A rare value comes, changes and goes")
    func rare() {
        var rare = LazyBox<String>()
        #expect(rare.value == nil)
        for text in ["a", "b"] {
            rare.value = text
            #expect(rare.value == text)
        }
        rare.change("c") { $0 += "d" }
        #expect(rare.value == "bd")
        rare.value = nil
        #expect(rare.value == nil)
        rare.change("c") { $0 += "d" }
        #expect(rare.value == "cd")
    }

    @Test("Subscriptions are found and removed, few or many", arguments: [3, 16, 17, 40, 2_000])
    func subscriptions(count: Int) {
        var random = FuzzRandom(seed: UInt64(count))
        var list = ChannelSubscriptions()
        var model: Set<String> = []
        for _ in 0..<count * 8 {
            let channel = "c\(Int.random(in: 0..<count, using: &random))"
            if Int.random(in: 0..<3, using: &random) > 0 {
                #expect((list[channel] != nil) == model.contains(channel))
                if model.insert(channel).inserted { list.append(PusherFront.Subscription(channel: channel, userID: channel)) }
            } else {
                #expect((list.remove(channel)?.userID == channel) == (model.remove(channel) != nil))
            }
            #expect(list.count == model.count)
        }
        #expect(Set(list.all.map(\.channel)) == model)
        #expect(Set(list.removeAll().map(\.channel)) == model)
        #expect(list.count == 0)
        #expect(list["c0"] == nil)
    }

    // Proof of SP-21.
    @Test("Joining and leaving again and again is slowed down, and asking for all channels at once is not (X9)")
    func churn() {
        let harness = FrontHarness()
        harness.application.limits.channelsPerConnection = 500
        for number in 0..<500 { #expect(harness.subscribe("c\(number)").error == nil) }
        var refused = 0
        for _ in 0..<1_000 {
            _ = harness.send(#"{"event":"pusher:unsubscribe","data":{"channel":"c0"}}"#)
            if harness.subscribe("c0").error != nil { refused += 1 }
        }
        #expect(refused == 800)
        harness.now = .seconds(1)
        var taken = 0
        for _ in 0..<1_000 {
            if harness.subscribe("c0").error == nil { taken += 1 }
            _ = harness.send(#"{"event":"pusher:unsubscribe","data":{"channel":"c0"}}"#)
        }
        #expect(taken == 100)
        harness.now = .seconds(100)
        #expect(harness.subscribe("c0").error == nil)
    }

    @Test(
        "Who leaves and joins is slowed down however many channels it may have, on presence channels sooner (SP-64)",
        arguments: [("room", 1_000, 100), ("presence-room", 100, 10)])
    func flapping(channel: String, atOnce: Int, perSecond: Int) {
        let harness = FrontHarness()
        let data = #"{"user_id":"ann"}"#
        func flaps() -> Int {
            for count in 0..<2_000 {
                guard harness.join(channel, channelData: channel == "room" ? nil : data).error == nil else { return count }
                _ = harness.send(#"{"event":"pusher:unsubscribe","data":{"channel":"\#(channel)"}}"#)
            }
            return 2_000
        }
        #expect(flaps() == atOnce)
        harness.now = .seconds(1)
        #expect(flaps() == perSecond)
        // Leaving is never refused, and a minute later everything is forgiven.
        for number in 0..<100 { #expect(harness.subscribe("c\(number)").error != nil) }
        harness.now = .seconds(70)
        for number in 0..<2_000 { #expect(harness.subscribe("c\(number)").error == nil) }
        for number in 0..<2_000 {
            let ended = harness.send(#"{"event":"pusher:unsubscribe","data":{"channel":"c\#(number)"}}"#)
            #expect(ended == .unsubscribe(PusherFront.Subscription(channel: "c\(number)")))
        }
        #expect(harness.subscribe("c0").error != nil)
        harness.now = .seconds(81)
        #expect(harness.subscribe("c0").error == nil)
    }
}
