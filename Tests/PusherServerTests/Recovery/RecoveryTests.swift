import PusherProtocol
import ServerStorage
import Testing
import WireCoding

@testable import LifelineServer
@testable import PusherServer
@testable import ServerTestSupport

/// Connections with recovery on real sockets.
@Suite("Missed events are replayed (RV-1 to RV-13)", .timeLimit(.minutes(1)))
struct RecoveryTests {
    /// What a client got that came back.
    private struct Back: Equatable {
        var events: [String]
        var recovered: String?

        init(_ events: [String], _ recovered: String?) {
            (self.events, self.recovered) = (events, recovered)
        }
    }

    /// What a client sends that comes back with the last position it had.
    private func recover(_ message: PusherEnvelope, _ client: TestClient) async throws -> PusherRecoverRequest {
        let position = try #require(message.position.flatMap(PusherPosition.init))
        return PusherRecoverRequest(position: position, socketID: await client.socketID)
    }

    private func recovered(_ confirmation: PusherEnvelope) throws -> String? {
        try confirmation.extras.flatMap { try JSONText($0)["recovered"]?.text }
    }

    @Test("The greeting offers recovery to who asks and to nobody else (RV-1)")
    func greeting() async throws {
        try await withServer { server in
            for (query, expected) in [
                ("&recovery=1", #"{"messages":100,"seconds":120}"#), ("", nil), ("&recovery=0", nil), ("&recovery", nil),
            ] {
                let client = try await TestClient.open(server, path: "/app/app-key?protocol=7" + query)
                let greeting = try await client.expect(PusherEventName.connectionEstablished)
                #expect(try JSONText(greeting.data ?? "")["recovery"]?.text == expected)
            }
        }
    }

    @Test("A client that comes back gets what it missed, in order, once, and before the confirmation (RV-4, RV-5)")
    func replay() async throws {
        try await withServer { server in
            let first = try await TestClient.connect(server, recovers: true)
            let start = try await first.subscribe("room")
            #expect(start.position?.hasSuffix(":0") == true)
            #expect(try recovered(start) == nil)
            try server.publish(channel: "room", event: "e", data: "1")
            let last = try await first.expect("e")
            let request = try await recover(last, first)
            await first.closeSocket()
            for number in 2...50 { try server.publish(channel: "room", event: "e", data: "\(number)") }
            let second = try await TestClient.connect(server, recovers: true)
            try await second.requestSubscription("room", recover: request)
            for number in 2...50 { #expect(try await second.expect("e").data == "\(number)") }
            let confirmation = try await second.expect(PusherEventName.subscriptionSucceeded)
            #expect(try recovered(confirmation) == "true")
            #expect(confirmation.position?.hasSuffix(":50") == true)
            try await second.expectSilence()
            try server.publish(channel: "room", event: "e", data: "51")
            #expect(try await second.expect("e").position?.hasSuffix(":51") == true)
        }
    }

    @Test("Beyond what is kept the client is told, whatever it was that went: number, time, the server (RV-5)")
    func losses() async throws {
        let clock = ManualClock()
        var application = quietApplication
        application.recovery = RecoverySettings(messages: 3, lifetime: .seconds(60))
        try await withServer(application, { $0.clock = clock.withTimeOfDay }) { server in
            // Somebody stays, so the history does.
            let other = try await TestClient.connect(server, recovers: true)
            try await other.subscribe("room")
            let first = try await TestClient.connect(server, recovers: true)
            let request = try await recover(try await first.subscribe("room"), first)
            func back() async throws -> Back {
                let client = try await TestClient.connect(server, recovers: true)
                try await client.requestSubscription("room", recover: request)
                var events: [String] = []
                while true {
                    guard case .message(let message) = try await client.next() else { continue }
                    if message.event == PusherEventName.subscriptionSucceeded { return Back(events, try recovered(message)) }
                    events.append(message.data ?? "")
                }
            }
            for number in 1...3 { try server.publish(channel: "room", event: "e", data: "\(number)") }
            #expect(try await back() == Back(["1", "2", "3"], "true"))
            try server.publish(channel: "room", event: "e", data: "4")
            #expect(try await back() == Back(["2", "3", "4"], "false"))
            clock.advance(by: 61)
            #expect(try await back() == Back([], "false"))
        }
    }

    @Test("The only subscriber, away for longer than events are kept, is told of a gap only if there was an event (RV-18)")
    func quiet() async throws {
        let clock = ManualClock()
        var application = quietApplication
        application.recovery = RecoverySettings(messages: 3, lifetime: .seconds(60))
        try await withServer(application, { $0.clock = clock.withTimeOfDay }) { server in
            func visit(_ request: PusherRecoverRequest?) async throws -> (PusherRecoverRequest, String?) {
                let client = try await TestClient.connect(server, recovers: true)
                try await client.requestSubscription("room", recover: request)
                let message = try await client.skip(to: PusherEventName.subscriptionSucceeded)
                let result = (try await recover(message, client), try recovered(message))
                await client.closeSocket()
                await eventually { server.statistics.channels == 0 }
                return result
            }
            let (first, _) = try await visit(nil)
            clock.advance(by: 3_600)
            server.services.pusher.sweep()
            let (second, isComplete) = try await visit(first)
            #expect(isComplete == "true")
            try server.publish(channel: "room", event: "e", data: "1")
            clock.advance(by: 3_600)
            server.services.pusher.sweep()
            #expect(try await visit(second).1 == "false")
        }
    }

    @Test func `RV-18: the only member of a presence channel misses nothing by its own leaving`() async throws {
        let clock = ManualClock()
        var application = quietApplication
        application.recovery = RecoverySettings(messages: 3, lifetime: .seconds(60))
        try await withServer(application, { $0.clock = clock.withTimeOfDay }) { server in
            func visit(_ user: String, _ request: PusherRecoverRequest?) async throws -> (PusherRecoverRequest, String?) {
                let client = try await TestClient.connect(server, recovers: true)
                try await client.requestSubscription("presence-room", user: user, recover: request)
                let message = try await client.skip(to: PusherEventName.subscriptionSucceeded)
                let result = (try await recover(message, client), try recovered(message))
                await client.closeSocket()
                await eventually { server.statistics.channels == 0 }
                clock.advance(by: 3_600)
                server.services.pusher.sweep()
                return result
            }
            let first = try await visit("ann", nil).0
            let (second, isComplete) = try await visit("ann", first)
            #expect(isComplete == "true")
            _ = try await visit("bob", nil)
            #expect(try await visit("ann", second).1 == "false")
        }
    }

    @Test("Connections without recovery get the bytes that they get without it (RV-1)", arguments: [true, false])
    func others(_ isEnabled: Bool) async throws {
        var application = quietApplication
        if !isEnabled { application.recovery = RecoverySettings(messages: 0) }
        application.allowsClientEvents = true
        try await withServer(application) { server in
            let recovering = try await TestClient.connect(server, recovers: true)
            let plain = try await TestClient.connect(server)
            for client in [recovering, plain] { try await client.subscribe("private-room") }
            try server.publish(channel: "private-room", event: "e", data: "1")
            let event = try await plain.expect("e")
            #expect(event.position == nil && event.extras == nil)
            let positioned = try await recovering.expect("e")
            #expect((positioned.position != nil) == isEnabled)
            try await recovering.send(PusherClientFrames.event(name: "client-e", channel: "private-room", json: #""x""#))
            #expect(try await plain.expect("client-e").position == nil)
            // It may send what it likes: nothing is replayed to it.
            let again = try await TestClient.connect(server)
            let request = PusherRecoverRequest(position: PusherPosition(epoch: "e", number: 0), socketID: nil)
            try await again.requestSubscription("private-room", recover: request)
            let confirmation = try await again.expect(PusherEventName.subscriptionSucceeded)
            #expect(confirmation.position == nil && confirmation.extras == nil)
        }
    }

    @Test("Who came and went meanwhile is replayed, but not the client's own going (RV-4)")
    func presence() async throws {
        try await withServer { server in
            let ann = try await TestClient.connect(server, recovers: true)
            let request = try await recover(try await ann.subscribe("presence-x", user: "ann"), ann)
            let bob = try await TestClient.connect(server)
            try await bob.subscribe("presence-x", user: "bob")
            await ann.closeSocket()
            #expect(try await bob.expect(PusherEventName.memberRemoved).data?.contains("ann") == true)
            await bob.closeSocket()
            let cat = try await TestClient.connect(server)
            try await cat.requestSubscription("presence-x", user: "cat")
            try await cat.skip(to: PusherEventName.subscriptionSucceeded)
            // Bob's going may come after the confirmation.
            while !(try await server.get("/apps/1001/channels/presence-x/users").body.contains(#"[{"id":"cat"}]"#)) {}
            let back = try await TestClient.connect(server, recovers: true)
            try await back.requestSubscription("presence-x", user: "ann", recover: request)
            var changes: [String] = []
            while true {
                guard case .message(let message) = try await back.next() else { continue }
                guard message.event != PusherEventName.subscriptionSucceeded else {
                    #expect(try recovered(message) == "true")
                    break
                }
                let user = message.data.flatMap(PusherMember.init(parsing:))?.userID ?? "-"
                changes.append((message.event == PusherEventName.memberAdded ? "+" : "-") + user)
            }
            #expect(changes.first == "+bob" && Set(changes) == ["+bob", "-bob", "+cat"] && changes.count == 3)
        }
    }

    @Test("Whoever was left out of an event as its cause is not sent it later (RV-4)")
    func exclusion() async throws {
        try await withServer { server in
            let client = try await TestClient.connect(server, recovers: true)
            let request = try await recover(try await client.subscribe("room"), client)
            let body = #"{"name":"mine","channel":"room","data":"x","socket_id":"\#(await client.socketID)"}"#
            #expect(try await server.post("/apps/1001/events", body).status == 200)
            try server.publish(channel: "room", event: "other", data: "1")
            await client.closeSocket()
            let back = try await TestClient.connect(server, recovers: true)
            try await back.requestSubscription("room", recover: request)
            try await back.expect("other")
            #expect(try recovered(try await back.expect(PusherEventName.subscriptionSucceeded)) == "true")
        }
    }

    @Test("Client events are a loss for others, or replayed where the application says so (RV-6)", arguments: [false, true])
    func clientEvents(_ isKept: Bool) async throws {
        var application = quietApplication
        application.recovery.includesClientEvents = isKept
        try await withServer(application) { server in
            let sender = try await TestClient.connect(server, recovers: true)
            let client = try await TestClient.connect(server, recovers: true)
            let sent = try await recover(try await sender.subscribe("private-x"), sender)
            let request = try await recover(try await client.subscribe("private-x"), client)
            await client.closeSocket()
            try await sender.send(PusherClientFrames.event(name: "client-e", channel: "private-x", json: #""1""#))
            try await sender.expectSilence()
            try server.publish(channel: "private-x", event: "e", data: "2")
            let back = try await TestClient.connect(server, recovers: true)
            try await back.requestSubscription("private-x", recover: request)
            if isKept { #expect(try await back.expect("client-e").data == "1") }
            try await back.expect("e")
            #expect(try recovered(try await back.expect(PusherEventName.subscriptionSucceeded)) == "\(isKept)")
            let own = try await TestClient.connect(server, recovers: true)
            try await own.requestSubscription("private-x", recover: sent)
            try await own.expect("e")
            #expect(try recovered(try await own.expect(PusherEventName.subscriptionSucceeded)) == "true")
        }
    }

    @Test("A cache channel does not repeat its event to who has it, and says when it has none (RV-7)")
    func cache() async throws {
        try await withServer { server in
            let client = try await TestClient.connect(server, recovers: true)
            let start = try await recover(try await client.subscribe("cache-x"), client)
            try await client.expect(PusherEventName.cacheMiss)
            try server.publish(channel: "cache-x", event: "e", data: "1")
            let last = try await recover(try await client.expect("e"), client)
            for (request, count) in [(start, 1), (last, 0)] {
                let back = try await TestClient.connect(server, recovers: true)
                try await back.requestSubscription("cache-x", recover: request)
                for _ in 0..<count { try await back.expect("e") }
                try await back.expect(PusherEventName.subscriptionSucceeded)
                try await back.expectSilence()
            }
            let new = try await TestClient.connect(server, recovers: true)
            try await new.subscribe("cache-x")
            #expect(try await new.expect("e").position == nil)
        }
    }

    @Test("A replay larger than what may wait for a connection does not make it a slow reader (RV-13)")
    func large() async throws {
        // Time stands still: the room for replays is given back after a pause.
        let clock = ManualClock()
        func configure(_ configuration: inout ServerConfiguration) {
            configuration.maximumPendingBytes = 65_536
            configuration.clock = clock.withTimeOfDay
        }
        try await withServer(quietApplication, configure) { server in
            let first = try await TestClient.connect(server, recovers: true)
            var requests: [PusherRecoverRequest] = []
            for channel in ["a", "b"] { requests.append(try await recover(try await first.subscribe(channel), first)) }
            await first.closeSocket()
            let data = String(repeating: "x", count: 10_000)
            for channel in ["a", "b"] {
                for _ in 0..<12 { try server.publish(channel: channel, event: "e", data: data) }
            }
            let back = try await TestClient.connect(server, recovers: true)
            try await back.setReading(false)
            for (channel, request) in zip(["a", "b"], requests) {
                try await back.requestSubscription(channel, recover: request)
            }
            try await back.setReading(true)
            for channel in ["a", "b"] {
                for _ in 0..<12 { #expect(try await back.expect("e").channel == channel) }
                #expect(try recovered(try await back.expect(PusherEventName.subscriptionSucceeded)) == "true")
            }
            // The room of both is used up, as long as it may be on its way still.
            let third = try await TestClient.connect(server, recovers: true)
            for (channel, request) in zip(["a", "b"], requests) {
                try await third.requestSubscription(channel, recover: request)
                try await third.skip(to: PusherEventName.subscriptionSucceeded)
                try await third.send(PusherClientFrames.unsubscribe(channel: channel))
            }
            try await third.requestSubscription("a", recover: requests[0])
            #expect(try recovered(try await third.skip(to: PusherEventName.subscriptionSucceeded)) == "false")
        }
    }

    @Test("Who subscribes to new channels, leaves and comes again does not make the histories grow beyond their bytes (RV-16)")
    func churn() async throws {
        var application = quietApplication
        application.recovery.bytes = 262_144
        application.limits.channelsPerConnection = 200
        try await withServer(application) { server in
            let quiet = try await TestClient.connect(server, recovers: true)
            let request = try await recover(try await quiet.subscribe("quiet"), quiet)
            for round in 0..<10 {
                let client = try await TestClient.connect(server, recovers: true)
                for number in 0..<200 { try await client.requestSubscription("c-\(round)-\(number)") }
                for _ in 0..<200 { try await client.expect(PusherEventName.subscriptionSucceeded) }
                await client.closeSocket()
            }
            #expect(server.services.pusher.channels.recoveries.reduce(0) { $0 + $1.tally.bytes } <= 262_144)
            try server.publish(channel: "quiet", event: "e", data: "1")
            let back = try await TestClient.connect(server, recovers: true)
            try await back.requestSubscription("quiet", recover: request)
            #expect(try await back.expect("e").data == "1")
            #expect(try recovered(try await back.expect(PusherEventName.subscriptionSucceeded)) == "true")
        }
    }

    @Test("A client that takes nothing of its replay is cut, and one that reads is not (RV-17)")
    func deaf() async throws {
        let clock = ManualClock()
        func configure(_ configuration: inout ServerConfiguration) {
            configuration.clock = clock.withTimeOfDay
            configuration.closeTimeout = .milliseconds(500)
            // More than what the sockets take by themselves fits into a replay.
            configuration.maximumPendingBytes = 8 << 20
        }
        var application = quietApplication
        application.limits.eventDataBytes = 1 << 20
        application.recovery.bytes = 1 << 30
        try await withServer(application, configure) { server in
            func sweep() async throws {
                for loop in server.context.loops {
                    try await loop.eventLoop.submit {
                        server.services.pusher.mailboxes[loop.number].part.sweepConnections(at: server.context.now)
                    }.get()
                }
            }
            let first = try await TestClient.connect(server, recovers: true)
            let request = try await recover(try await first.subscribe("room"), first)
            let data = String(repeating: "x", count: 300_000)
            for _ in 0..<60 {
                try server.publish(channel: "room", event: "e", data: data)
                try await first.expect("e")
            }
            let deaf = try await TestClient.connect(server, recovers: true)
            try await deaf.setReading(false)
            try await deaf.requestSubscription("room", recover: request)
            try await eventually { try await server.mostPendingBytes() > 65_536 }
            let reader = try await TestClient.connect(server, recovers: true)
            try await reader.requestSubscription("room", recover: request)
            try await reader.skip(to: PusherEventName.subscriptionSucceeded)
            try await sweep()
            clock.advance(by: 14)
            try await sweep()
            #expect(server.statistics.slowSubscribersCut == 0)
            clock.advance(by: 1)
            try await sweep()
            await eventually { server.statistics.slowSubscribersCut == 1 }
            for client in [reader, first] { try await client.expectSilence() }
            for client in [deaf, reader, first] { await client.closeSocket() }
            #expect(try await server.leftoversInTheEnd() == Leftovers())
        }
    }

    @Test("What is kept and what came of it is in the metrics (RV-15)")
    func metrics() async throws {
        try await withServer { server in
            let client = try await TestClient.connect(server, recovers: true)
            let request = try await recover(try await client.subscribe("room"), client)
            try server.publish(channel: "room", event: "e", data: "1")
            for (epoch, _) in [(request.position.epoch, 0), ("other", 0)] {
                let back = try await TestClient.connect(server, recovers: true)
                let position = PusherPosition(epoch: epoch, number: 0)
                try await back.requestSubscription("room", recover: PusherRecoverRequest(position: position))
                try await back.skip(to: PusherEventName.subscriptionSucceeded)
            }
            let metrics = try await server.request("GET", "/metrics").body
            func value(_ name: String) -> Int? {
                metrics.split(separator: "\n").first { $0.hasPrefix("lifeline_\(name){") && $0.contains(#"app="1001""#) }
                    .flatMap { $0.split(separator: " ").last }.flatMap { Int($0) }
            }
            #expect(value("recovery_channels") == 1)
            #expect(value("recovery_events") == 1)
            #expect((value("recovery_bytes") ?? 0) > 512)
            #expect(value("recovered_total") == 1)
            #expect(value("not_recovered_total") == 1)
        }
    }
}
