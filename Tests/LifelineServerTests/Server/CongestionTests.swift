import NIOCore
import PusherProtocol
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

/// Publishers that are faster than an event loop, made certain: a loop whose thread does nothing until the test lets it.
@Suite("What waits for an event loop is bounded (SV-14, SV-15, F86)", .timeLimit(.minutes(5)))
struct CongestionTests {
    private static let limit = 65_536
    private static let data = String(repeating: "x", count: 8_000)

    /// What may wait beyond the limit: what each of two threads publishes at that moment.
    private static let excess = 2 * 9_000

    private func configure(_ configuration: inout ServerConfiguration) {
        configuration.threads = 2
        configuration.maximumQueuedBytes = Self.limit
        configuration.publishTimeout = .seconds(600)
    }

    private func event(_ name: String, on channel: String, data: String = CongestionTests.data) -> String {
        #"{"name":"\#(name)","channel":"\#(channel)","data":"\#(data)"}"#
    }

    /// Waits until this many are held back on a loop that is not blocked.
    private func expectHeld(_ count: Int, on loop: EventLoopContext) async throws {
        var held = 0
        try await eventually {
            held = try await loop.eventLoop.submit { loop.state.held.count }.get()
            return held == count
        }
        #expect(held == count)
    }

    // Proof of SV-14, SV-15.
    @Test("Requests to publish wait for a loop that stands still; nothing is lost, memory is bounded, and others notice nothing")
    func requestsWait() async throws {
        try await withServer(quietApplication, configure) { server in
            let slow = try await server.client(on: 0)
            let other = try await server.client(on: 1)
            try await slow.subscribe("room")
            try await other.subscribe("other")
            var publishers: [RawSocket] = []
            for _ in 0..<4 { publishers.append(try await server.requester(on: 1)) }
            let free = try await server.requester(on: 1)
            let loop = server.context.loops[0]
            let blocked = await BlockedLoop(loop)
            defer { blocked.release() }
            let each = 30
            try await withThrowingTaskGroup(of: Int.self) { group in
                for (number, publisher) in publishers.enumerated() {
                    group.addTask {
                        for count in 0..<each {
                            let answer = try await publisher.publish(event("\(number)-\(count)", on: "room"), to: server)
                            #expect(answer.status == 200)
                        }
                        return 0
                    }
                }
                try await expectHeld(4, on: server.context.loops[1])
                #expect(loop.queue.bytes > Self.limit)
                #expect(loop.queue.bytes <= Self.limit + Self.excess)
                // A channel without subscribers on the loop, one without any at all, and one that has some there and here.
                #expect(try await free.publish(event("tick", on: "other"), to: server).status == 200)
                #expect(try await free.publish(event("tick", on: "nobody"), to: server).status == 200)
                try await other.expect("tick")
                try await other.expectSilence()
                #expect(loop.queue.bytes <= Self.limit + Self.excess)
                blocked.release()
                try await group.waitForAll()
            }
            var seen: [String: Int] = [:]
            for _ in 0..<(4 * each) {
                guard case .message(let message) = try await slow.next() else { break }
                let parts = message.event.split(separator: "-")
                // Of each publisher everything, once and in order.
                #expect(Int(parts[1]) == seen[String(parts[0]), default: 0])
                seen[String(parts[0]), default: 0] += 1
            }
            #expect(seen.values.reduce(0, +) == 4 * each)
            try await slow.expectSilence()
            try await expectHeld(0, on: server.context.loops[1])
            #expect(server.context.congestion.full.isEmpty && loop.queue.bytes < Self.limit)
            #expect(server.statistics.slowSubscribersCut == 0)
        }
    }

    @Test("A request for several channels, or a batch, is done as a whole or not at all; too long a wait is 503 with Retry-After")
    func refused() async throws {
        let clock = ManualClock()
        try await withServer(
            quietApplication,
            {
                configure(&$0)
                $0.publishTimeout = .seconds(3)
                $0.clock = clock.clock
            }
        ) { server in
            let slow = try await server.client(on: 0)
            let other = try await server.client(on: 1)
            try await slow.subscribe("room")
            try await other.subscribe("other")
            let publisher = try await server.requester(on: 1)
            let second = try await server.requester(on: 1)
            let gone = try await server.requester(on: 1)
            let blocked = await BlockedLoop(server.context.loops[0])
            defer { blocked.release() }
            while server.context.congestion.full.isEmpty { try server.publish(channel: "room", event: "early", data: Self.data) }
            let both = #"{"name":"both","channels":["other","room"],"data":"1"}"#
            let time = clock.clock.unixSeconds()
            let target = server.signedTarget("POST", "/apps/1001/events", body: both, timestamp: time)
            try await publisher.send("POST \(target) HTTP/1.1\r\nhost: x\r\ncontent-length: \(both.utf8.count)\r\n\r\n\(both)")
            let batch = #"{"batch":[{"name":"b","channel":"other","data":"1"},{"name":"b","channel":"room","data":"1"}]}"#
            let batchTarget = server.signedTarget("POST", "/apps/1001/batch_events", body: batch, timestamp: time)
            for socket in [second, gone] {
                try await socket.send(
                    "POST \(batchTarget) HTTP/1.1\r\nhost: x\r\ncontent-length: \(batch.utf8.count)\r\n\r\n\(batch)")
            }
            try await expectHeld(3, on: server.context.loops[1])
            // Whoever has gone is not published for, and not remembered.
            await gone.reset()
            try await expectHeld(2, on: server.context.loops[1])
            clock.advance(by: 2)
            try await other.expectSilence()
            clock.advance(by: 2)
            for socket in [publisher, second] {
                let answer = try await socket.answer()
                #expect(answer.status == 503 && answer.body.contains("retry-after: 1\r\n"))
                #expect(answer.body.hasSuffix("nothing was published.\n"))
            }
            try await other.expectSilence()
            blocked.release()
            await eventually { server.context.congestion.full.isEmpty }
            // The connections go on, and what was refused never comes.
            try await publisher.send("POST \(target) HTTP/1.1\r\nhost: x\r\ncontent-length: \(both.utf8.count)\r\n\r\n\(both)")
            #expect(try await publisher.answer().status == 200)
            try await other.expect("both")
            try await other.expectSilence()
            var event = ""
            while event != "both" {
                event = try await slow.nextEvent()
                #expect(event == "early" || event == "both")
            }
            try await slow.expectSilence()
        }
    }

    @Test(
        "A client whose events fill a loop is not read until there is room; all of them arrive, and it is not cut for its silence"
    )
    func clientEventsWait() async throws {
        let clock = ManualClock()
        var application = quietApplication
        application.limits.clientEventsPerSecond = 1_000_000
        try await withServer(
            application,
            {
                configure(&$0)
                $0.clock = clock.clock
            }
        ) { server in
            let slow = try await server.client(on: 0)
            try await slow.subscribe("private-room")
            let sender = try await server.client(on: 1)
            try await sender.subscribe("private-room")
            let silent = try await server.client(on: 1)
            let loop = server.context.loops[0]
            let blocked = await BlockedLoop(loop)
            defer { blocked.release() }
            let count = 200
            let sending = Task {
                for number in 0..<count {
                    try await sender.send(
                        #"{"event":"client-\#(number)","channel":"private-room","data":"\#(Self.data)"}"#)
                }
            }
            try await expectHeld(1, on: server.context.loops[1])
            // What one read brings is done, and no more is read.
            #expect(loop.queue.bytes <= Self.limit + 2 * 16_384 + Self.excess)
            // Longer than a silent client may live, or a message may take: another one on the same loop is asked, and cut.
            clock.advance(by: 200)
            try await silent.expect(PusherEventName.ping)
            clock.advance(by: 100)
            while true {
                guard case .message(let message) = try await silent.next() else { continue }
                #expect(message.event == PusherEventName.error)
                break
            }
            try await expectHeld(1, on: server.context.loops[1])
            #expect(loop.queue.bytes <= Self.limit + 2 * 16_384 + Self.excess)
            blocked.release()
            for number in 0..<count { #expect(try await slow.nextEvent() == "client-\(number)") }
            try await sending.value
            try await sender.expectSilence()
            try await expectHeld(0, on: server.context.loops[1])
        }
    }

    @Test("Publishers and subscribers on one loop do not wait for each other for ever", arguments: [1, 2_000, 65_536])
    func oneLoop(limit: Int) async throws {
        var application = quietApplication
        application.limits.clientEventsPerSecond = 1_000_000
        try await withServer(
            application,
            {
                $0.threads = 1
                $0.maximumQueuedBytes = limit
                $0.publishTimeout = .seconds(600)
            }
        ) { server in
            let subscriber = try await TestClient.connect(server)
            try await subscriber.subscribe("private-room")
            let each = 40
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    let sender = try await TestClient.connect(server)
                    try await sender.subscribe("private-room")
                    group.addTask {
                        for _ in 0..<each {
                            try await sender.send(#"{"event":"client-e","channel":"private-room","data":"\#(Self.data)"}"#)
                        }
                        while try await sender.nextEvent() != "end" {}
                    }
                    let publisher = try await server.requester(on: 0)
                    group.addTask {
                        for _ in 0..<each {
                            let answer = try await publisher.publish(event("e", on: "private-room"), to: server)
                            #expect(answer.status == 200)
                        }
                    }
                }
                for _ in 0..<(6 * each) { _ = try await subscriber.nextEvent() }
                try await subscriber.expectSilence()
                let last = try await server.requester(on: 0)
                let answer = try await last.publish(event("end", on: "private-room"), to: server)
                #expect(answer.status == 200)
                try await group.waitForAll()
            }
        }
    }

    @Test("Events with names of the service are not published from the same process either (SV-11)")
    func reservedNames() async throws {
        try await withServer(quietApplication, configure) { server in
            let client = try await server.client(on: 0)
            try await client.subscribe("room")
            for name in ["pusher:error", "pusher_internal:member_added"] {
                #expect {
                    try server.publish(channel: "room", event: name, data: "{}")
                } throws: { error in
                    guard case .invalidMessage(let reason)? = error as? ServerError else { return false }
                    return reason.contains("reserved for the service")
                }
            }
            try server.publish(channel: "room", event: "after", data: "1")
            try await client.expect("after")
        }
    }

    @Test("Calls in the same process get an error and can wait for room, until they are cancelled or the server ends")
    func inProcess() async throws {
        try await withServer(quietApplication, configure) { server in
            let slow = try await server.client(on: 0)
            try await slow.subscribe("room")
            await server.waitForRoom()
            let blocked = await BlockedLoop(server.context.loops[0])
            defer { blocked.release() }
            var sent = 0
            #expect(throws: ServerError.congested) {
                while sent < 1_000 {
                    try server.publish(channel: "room", event: "e\(sent)", data: Self.data)
                    sent += 1
                }
            }
            #expect(server.context.loops[0].queue.bytes <= Self.limit + Self.excess)
            try server.publish(channel: "other", event: "e", data: "1")
            let cancelled = Task { await server.waitForRoom() }
            cancelled.cancel()
            await cancelled.value
            let waiting = Task { await server.waitForRoom() }
            blocked.release()
            await waiting.value
            try server.publish(channel: "room", event: "e\(sent)", data: "last")
            for number in 0...sent { #expect(try await slow.nextEvent() == "e\(number)") }
        }
    }

    @Test("A request that gets no answer for 30 s is refused with 503, and its connection ends (SV-5)")
    func unanswered() async throws {
        let clock = ManualClock()
        try await withServer(
            quietApplication,
            {
                configure(&$0)
                $0.clock = clock.clock
                $0.closeTimeout = .milliseconds(200)
            }
        ) { server in
            let asker = try await server.requester(on: 1)
            let blocked = await BlockedLoop(server.context.loops[0])
            defer { blocked.release() }
            // Every event loop is asked, and one does not answer.
            try await asker.send("GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n")
            try await eventually {
                try await server.context.loops[1].eventLoop.submit {
                    server.context.loops[1].state.requesters.all.contains {
                        if case .answering = $0.phase { true } else { false }
                    }
                }.get()
            }
            clock.advance(by: 31)
            #expect(try await asker.answer().status == 503)
            #expect(try await asker.next() == nil)
        }
    }

    @Test("Metrics show what waits and how often publishers had to")
    func metrics() async throws {
        try await withServer(quietApplication, configure) { server in
            let slow = try await server.client(on: 0)
            try await slow.subscribe("room")
            let publisher = try await server.requester(on: 1)
            let blocked = await BlockedLoop(server.context.loops[0])
            defer { blocked.release() }
            while server.context.congestion.full.isEmpty { try server.publish(channel: "room", event: "e", data: Self.data) }
            try await publisher.send(RawSocket.publishing(event("e", on: "room"), to: server))
            try await expectHeld(1, on: server.context.loops[1])
            // Asked while the loop stands still, answered when it goes on.
            let figures = server.host.metrics(on: server.context.loops[1].eventLoop)
            blocked.release()
            let found = try await MetricsParser(figures.get())
            #expect(found.value("lifeline_event_loop_queued_bytes", ["loop": "0"]) ?? 0 > Double(Self.limit))
            #expect(found.value("lifeline_event_loop_queued_bytes", ["loop": "1"]) ?? -1 >= 0)
            #expect(found.value("lifeline_event_loop_queued_bytes_limit") == Double(Self.limit))
            #expect(found.value("lifeline_publishers_held_total") == 1)
            #expect(try await publisher.answer().status == 200)
        }
    }
}

extension TestClient {
    /// The name of the next event; pings of the server are passed over.
    fileprivate func nextEvent() async throws -> String {
        while true {
            switch try await next(within: .seconds(60)) {
            case .message(let message) where message.event == PusherEventName.ping: continue
            case .message(let message): return message.event
            case .ping, .pong: continue
            case .close, .end: throw Unexpected(description: "the connection ended")
            }
        }
    }
}
