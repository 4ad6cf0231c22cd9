import Lifeline
import LifelineServer
import Testing

/// The neutral API against a real server on real sockets.
@Suite("The neutral API on sockets", .timeLimit(.minutes(1)))
struct NeutralAPIOnSocketsTests {
    private struct Price: Codable, Equatable {
        var company: String
        var price: Int
    }

    @Test("Connect, subscribe, publish, receive, see who is there, disconnect")
    func wholeLife() async throws {
        try await withServer { host in
            let ann = client(host, user: "ann")
            let ben = client(host, user: "ben")
            let statuses = ann.statuses
            try await ann.connect(timeout: .seconds(30))
            try await ben.connect(timeout: .seconds(30))

            let room = try await ann.channel("presence-room").subscribe()
            let changes = try room.presence.changes
            let other = try await ben.channel("presence-room").subscribe()
            #expect(
                await first(of: changes)
                    == PresenceChange(
                        channel: "presence-room", action: .join, member: Member(id: "ben"), count: 2))
            #expect(try other.presence.members.map(\.id).sorted() == ["ann", "ben"])

            #expect(try await other.publish(Price(company: "ACME", price: 3), event: "new-price") == .accepted(id: nil))
            let message = try #require(await first(of: room.messages))
            #expect(message.event == "new-price")
            #expect(try message.decode(Price.self) == Price(company: "ACME", price: 3))

            await ann.disconnect()
            var phases: [ConnectionPhase] = []
            for await status in statuses.prefix(4) { phases.append(status.phase) }
            #expect(phases == [.connecting, .connected, .disconnecting, .disconnected])
        }
    }

    @Test("LL-62: the background is a new confirmation, and a gap unless the server replays", arguments: [true, false])
    func background(recovers: Bool) async throws {
        try await withServer { host, server in
            let ann = client(host, user: "ann", recovers: recovers)
            try await ann.connect(timeout: .seconds(30))
            let room = try await ann.channel("room").subscribe()
            let statuses = ann.statuses
            let deliveries = room.deliveries
            ann.applicationDidEnterBackground()
            // The call does not wait: an event loop that is busy with the connection at this moment closes it.
            let suspended = try #require(await first(of: statuses.filter { $0.phase != .connected }))
            #expect(suspended.phase == .suspended && suspended.category == .background)
            try server.publish(channel: "room", event: "e", data: "1")
            ann.applicationWillEnterForeground()
            var phases: [ConnectionPhase] = []
            for await status in statuses.prefix(2) { phases.append(status.phase) }
            #expect(phases == [.connecting, .connected])
            let delivery = await first(of: deliveries)
            if recovers {
                guard case .message(let message) = delivery, message.text == "1", message.precedingGap == nil else {
                    Issue.record("no replayed message, but \(String(describing: delivery))")
                    return
                }
                return
            }
            guard case .gap(let gap) = delivery else {
                Issue.record("no gap, but \(String(describing: delivery))")
                return
            }
            #expect(gap.reason == .connectionLost)
        }
    }

    @Test("A message of megabytes arrives whole")
    func large() async throws {
        try await withServer(.init(port: 0, drainTimeout: .milliseconds(500), maximumPendingBytes: 1 << 26)) { host, server in
            let ann = client(host, user: "ann")
            try await ann.connect(timeout: .seconds(30))
            let room = try await ann.channel("room").subscribe()
            let text = String(repeating: "\"0123456\"", count: 300_000)
            try server.publish(channel: "room", event: "e", data: text)
            #expect(await first(of: room.messages)?.text == text)
        }
    }

    @Test("Without recovery a restart of the server is a gap and a new confirmation, not an error")
    func restart() async throws {
        try await withServer { host, server in
            let ann = client(host, user: "ann", recovers: false)
            try await ann.connect(timeout: .seconds(30))
            let room = try await ann.channel("room").subscribe()
            let events = ann.events
            server.disconnectAll(code: 4200)
            var told: [String] = []
            for await event in events {
                switch event {
                case .status(let status): told.append("\(status.phase)")
                case .subscribed(_, let isRenewal, _): told.append(isRenewal ? "subscribed again" : "subscribed")
                case .gap: told.append("gap")
                // How many are subscribed is told whenever the server likes.
                case .notice: continue
                default: told.append("other")
                }
                if told.last == "gap" { break }
            }
            #expect(told == ["waiting", "connecting", "connected", "subscribed again", "gap"])
            try server.publish(channel: "room", event: "e", data: "1")
            let message = try #require(await first(of: room.messages))
            #expect(message.precedingGap?.reason == .connectionLost)
        }
    }

    @Test("LL-31: what the server sends to a user reaches the user's client")
    func signedIn() async throws {
        try await withServer { host, server in
            let ann = LifelineClient(
                .pusher(
                    key: "app-key", host: host, access: .secret("app-secret", appID: "1001"), user: Member(id: "ann"),
                    signIn: .secret()))
            try await ann.connect(timeout: .seconds(30))
            let room = try await ann.channel("#server-to-user-ann").subscribe()
            try server.publish(channel: "#server-to-user-ann", event: "hi", data: "1")
            #expect(await first(of: room.messages)?.text == "1")
        }
    }

    @Test("A cache channel begins with its last event")
    func cacheChannel() async throws {
        try await withServer { host in
            let ann = client(host, user: "ann")
            try await ann.connect(timeout: .seconds(30))
            for n in 1...2 { #expect(try await ann.channel("cache-room").publish(["n": n], event: "tick").isAccepted) }
            let room = try await ann.channel("cache-room").subscribe()
            #expect(await first(of: room.messages)?.text == #"{"n":2}"#)
        }
    }

    @Test("LL-11: whoever waited for the end of disconnect finds the last status among the events")
    func lastStatusIsAmongEvents() async throws {
        try await withServer { host in
            for _ in 0..<10 {
                let ann = client(host, user: "ann")
                let events = ann.events
                try await ann.connect(timeout: .seconds(30))
                await ann.disconnect()
                let telling = Task {
                    var last: ConnectionPhase?
                    for await event in events {
                        if case .status(let status) = event { last = status.phase }
                    }
                    return last
                }
                telling.cancel()
                #expect(await telling.value == .disconnected)
            }
        }
    }

    @Test("An unknown key fails with the service's number")
    func unknownKey() async throws {
        try await withServer { host in
            let client = LifelineClient(.pusher(key: "nobody", host: host), options: ClientOptions(timing: .fast))
            let error = await #expect(throws: LifelineError.self) { try await client.connect(timeout: .seconds(30)) }
            #expect(error?.code == .refused)
            #expect(error?.number == 4001)
        }
    }

    @Test("A limit beyond all time is none, and one below zero is over at once", arguments: [Int64.max, .min])
    func extremeLimits(_ seconds: Int64) async throws {
        try await withServer { host in
            let ann = client(host, user: "ann")
            do throws(LifelineError) {
                try await ann.connect(timeout: .seconds(seconds))
                #expect(seconds > 0)
            } catch {
                #expect(error.code == .timeout)
                #expect(seconds < 0)
            }
        }
    }

    @Test("Without a server connect ends with its timeout")
    func noServer() async throws {
        let client = LifelineClient(
            .pusher(key: "app-key", host: ServiceHost("127.0.0.1", port: 1, tls: false)), options: ClientOptions(timing: .fast))
        let error = await #expect(throws: LifelineError.self) { try await client.connect(timeout: .milliseconds(300)) }
        #expect(error?.code == .timeout)
        #expect(client.status.phase == .failed)
    }

    @Test(
        "LL-51: a limit of retries ends in failed, with the number of attempts in the reason",
        arguments: [
            Service.pusher(key: "app-key", host: nobody),
            .pubnub(publishKey: "demo", subscribeKey: "demo", userID: "ann", host: nobody),
            .nexconn(appKey: "app-key", host: nobody, access: .token("token")),
        ])
    func limitedRetries(service: Service) async throws {
        let retries = try RetryPolicy(base: .milliseconds(20), cap: .milliseconds(40), limit: 2)
        let client = LifelineClient(service, options: ClientOptions(timing: .fast, retryPolicy: retries))
        let room = Task { try await client.channel("room").subscribe() }
        let error = await #expect(throws: LifelineError.self) { try await client.connect(timeout: .seconds(60)) }
        #expect(error?.code == .networkUnavailable)
        #expect(error?.reason.hasPrefix("Gave up after 3 attempts. ") == true)
        #expect(client.status.phase == .failed && client.status.attempt == 2 && !client.status.willRetry)
        await #expect(throws: LifelineError.self) { _ = try await room.value }
    }

    /// Nobody listens there.
    private static let nobody = ServiceHost("127.0.0.1", port: 1)

    private func client(_ host: ServiceHost, user: String, recovers: Bool = true) -> LifelineClient {
        LifelineClient(
            .pusher(
                key: "app-key", host: host, access: .secret("app-secret", appID: "1001"), user: Member(id: user),
                recoversMessages: recovers), options: ClientOptions(backgroundGrace: .zero))
    }

    private func first<S: AsyncSequence>(of sequence: S) async -> S.Element? where S.Failure == Never {
        for await element in sequence { return element }
        return nil
    }

    private func withServer(_ body: (ServiceHost) async throws -> Void) async throws {
        try await withServer { host, _ in try await body(host) }
    }

    private func withServer(
        _ configuration: ServerConfiguration = .init(port: 0, drainTimeout: .milliseconds(500)),
        _ body: (ServiceHost, LifelineServer) async throws -> Void
    ) async throws {
        let server = try await LifelineServer.start(configuration)
        do {
            try await body(ServiceHost("127.0.0.1", port: server.port, tls: false), server)
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }
}
