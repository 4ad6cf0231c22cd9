import LifelineServer
import NIOCore
import PusherProtocol
import Testing
import WireCoding

@testable import ServerTestSupport

@Suite("Hostile events and members (SP-8, SP-10, X6, X14)", .timeLimit(.minutes(1)))
struct HostileDataTests {
    @Test("Client events that are not allowed are refused, delivered to nobody and not echoed (X6)")
    func clientEvents() async throws {
        try await withServer { server in
            let sender = try await TestClient.connect(server)
            let reader = try await TestClient.connect(server)
            let channels = ["room", "cache-room", "private-encrypted-x", "private-x", "presence-x"]
            for channel in channels {
                let isPresence = channel == "presence-x"
                for (name, client) in [("reader", reader), ("sender", sender)] {
                    try await client.requestSubscription(channel, user: isPresence ? name : nil)
                    try await client.skip(to: PusherEventName.subscriptionSucceeded)
                }
            }
            try await reader.skip(to: PusherEventName.memberAdded)
            let large = String(repeating: "x", count: 10_241)
            let refused: [(String, Int?)] = [
                (#"{"event":"client-e","channel":"room","data":{}}"#, 4301),
                (#"{"event":"client-e","channel":"cache-room","data":{}}"#, 4301),
                (#"{"event":"client-e","channel":"private-encrypted-x","data":{}}"#, 4301),
                (#"{"event":"client-e","channel":"private-other","data":{}}"#, 4301),
                (##"{"event":"client-e","channel":"#server-to-user-a","data":{}}"##, 4301),
                (#"{"event":"client-e","data":{}}"#, 4301),
                (#"{"event":"client-e","channel":"private-x","data":"\#(large)"}"#, 4301),
                (#"{"event":"client-\#(large.prefix(200))","channel":"private-x","data":{}}"#, 4301),
                (#"{"event":"pusher:error","channel":"private-x","data":{}}"#, nil),
                (#"{"event":"pusher:anything","channel":"private-x","data":{}}"#, nil),
                (#"{"event":"pusher_internal:member_removed","channel":"presence-x","data":"{\"user_id\":\"reader\"}"}"#, nil),
                (#"{"event":"Client-e","channel":"private-x","data":{}}"#, nil),
                (#"{"event":"e","channel":"private-x","data":{}}"#, nil),
                (#"{"event":"client-e","channel":["private-x"],"data":{}}"#, nil),
            ]
            for (message, code) in refused {
                try await sender.send(message)
                #expect(try await sender.expectError().code == code)
            }
            try await sender.expectSilence()
            try await reader.expectSilence()
        }
    }

    // Proof of SP-10.
    @Test("Of more than ten client events in a second ten are delivered, in order, and the others are refused with 4301 (X6)")
    func rate() async throws {
        let clock = ManualClock()
        try await withServer(quietApplication, { $0.clock = clock.clock }) { server in
            let sender = try await TestClient.connect(server)
            let reader = try await TestClient.connect(server)
            for client in [sender, reader] { try await client.subscribe("private-x") }
            for second in 0..<2 {
                for number in 0..<50 { try await sender.send(#"{"event":"client-e","channel":"private-x","data":\#(number)}"#) }
                for _ in 0..<40 { #expect(try await sender.expectError().code == 4301) }
                try await sender.expectSilence()
                for number in 0..<10 { #expect(try await reader.expect("client-e").data == "\(number)") }
                try await reader.expectSilence()
                clock.advance(by: Int64(second + 1))
            }
        }
    }

    @Test("Client events are not kept by cache channels")
    func notCached() async throws {
        try await withServer { server in
            let sender = try await TestClient.connect(server)
            try await sender.subscribe("private-cache-x")
            try await sender.expect(PusherEventName.cacheMiss)
            try await sender.send(#"{"event":"client-e","channel":"private-cache-x","data":{}}"#)
            try await sender.expectSilence()
            let late = try await TestClient.connect(server)
            try await late.subscribe("private-cache-x")
            try await late.expect(PusherEventName.cacheMiss)
            try await late.expectSilence()
        }
    }

    @Test(
        "A server's event is kept for 30 minutes, by every kind of cache channel",
        arguments: ["cache-x", "private-cache-x", "private-encrypted-cache-x", "presence-cache-x"])
    func cached(channel: String) async throws {
        let clock = ManualClock()
        try await withServer(quietApplication, { $0.clock = clock.clock }) { server in
            try server.publish(channel: channel, event: "kept", data: "1")
            let user = channel.hasPrefix("presence-") ? "ann" : nil
            clock.advance(by: 1799)
            let early = try await TestClient.connect(server)
            try await early.subscribe(channel, user: user)
            #expect(try await early.expect("kept").data == "1")
            await early.closeSocket()
            clock.advance(by: 1)
            let late = try await TestClient.connect(server)
            try await late.subscribe(channel, user: user.map { $0 + "2" })
            try await late.skip(to: PusherEventName.cacheMiss)
        }
    }

    @Test("A member's information comes to others as it was written, script and all (X14)")
    func script() async throws {
        try await withServer { server in
            let ann = try await TestClient.connect(server)
            try await ann.subscribe("presence-x", user: "ann")
            let info = #"{"name":"</script><script>alert(1)</script>\u0000\u2028","n":1.50e+2, "e":"é😀"}"#
            let eve = try await TestClient.connect(server)
            try await eve.subscribe("presence-x", channelData: #"{"user_id":"<b>\"eve\"</b>","user_info":\#(info)}"#)
            let added = try await ann.expect(PusherEventName.memberAdded)
            #expect(PusherMember(parsing: added.data ?? "") == PusherMember(userID: #"<b>"eve"</b>"#, infoJSON: info))
            let late = try await TestClient.connect(server)
            let list = try await late.subscribe("presence-x", user: "late")
            #expect(PusherMember.list(parsing: list.data ?? "")?[1].infoJSON == info)
        }
    }

    // Proof of HB-2, HB-4.
    @Test("A member of 1 MB never gets in; one that is just too large gets an error (X14)")
    func large() async throws {
        try await withServer { server in
            let eve = try await TestClient.connect(server)
            let info = String(repeating: "x", count: 1_100)
            let data = #"{"user_id":"eve","user_info":"\#(info)"}"#
            try await eve.requestSubscription("presence-x", channelData: data)
            #expect(try await eve.expectError().message.contains("1024"))
            try await eve.expectSilence()
            let huge = #"{"user_id":"eve","user_info":"\#(String(repeating: "x", count: 1 << 20))"}"#
            try? await eve.requestSubscription("presence-x", channelData: huge)
            guard case .close(1009?, _) = try await eve.next() else {
                Issue.record("no close frame with 1009")
                return
            }
            #expect(server.statistics.channels == 0)
        }
    }

    @Test("A user id that comes twice with other data is one member with the data of the first (X14)")
    func duplicate() async throws {
        try await withServer { server in
            let ann = try await TestClient.connect(server)
            try await ann.subscribe("presence-x", user: "ann")
            let eve = try await TestClient.connect(server)
            let list = try await eve.subscribe("presence-x", channelData: #"{"user_id":"ann","user_info":{"admin":true}}"#)
            #expect(list.data == #"{"presence":{"count":1,"ids":["ann"],"hash":{"ann":{"name":"ann"}}}}"#)
            try await ann.expectSilence()
            let late = try await TestClient.connect(server)
            let members = PusherMember.list(parsing: try await late.subscribe("presence-x", user: "late").data ?? "")
            #expect(members?.first?.infoJSON == #"{"name":"ann"}"#)
            try await ann.expect(PusherEventName.memberAdded)
            await ann.closeSocket()
            try await eve.expect(PusherEventName.memberAdded)
            try await eve.expectSilence()
        }
    }

    // Proof of H8.
    @Test("Ids that are numbers become texts, in the list and in the hash; no information becomes null (hazard 8)")
    func integers() async throws {
        try await withServer { server in
            let ann = try await TestClient.connect(server)
            try await ann.subscribe("presence-x", channelData: #"{"user_id":7}"#)
            let second = try await TestClient.connect(server)
            let list = try await second.subscribe("presence-x", channelData: #"{"user_id":"7"}"#)
            #expect(list.data == #"{"presence":{"count":1,"ids":["7"],"hash":{"7":null}}}"#)
            let third = try await TestClient.connect(server)
            try await third.subscribe("presence-x", channelData: #"{"user_id":8,"user_info":null}"#)
            for client in [ann, second] {
                #expect(try await client.expect(PusherEventName.memberAdded).data == #"{"user_id":"8"}"#)
                try await client.expectSilence()
            }
            try await third.expectSilence()
        }
    }
}
