import Lifeline
import LifelineServer
import Testing

/// The neutral API over PubNub against a real server on real sockets.
@Suite("The neutral API over PubNub on sockets", .timeLimit(.minutes(1)))
struct PubNubOnSocketsTests {
    @Test("Connect, subscribe, publish, receive, see who is there, read history, disconnect")
    func wholeLife() async throws {
        try await withServer { host, _ in
            let ann = client(host, "ann")
            let ben = client(host, "ben")
            try await ann.connect(timeout: .seconds(30))
            let room = try await ann.channel("room").subscribe()
            let changes = try room.presence.changes
            try await ben.connect(timeout: .seconds(30))
            let other = try await ben.channel("room").subscribe()

            guard case .accepted(let id?) = try await other.publish(["price": 3], event: "new-price") else {
                Issue.record("not accepted")
                return
            }
            let message = try #require(await first(of: room.messages) { _ in true })
            #expect(message.id == id)
            #expect(message.event == "new-price")
            #expect(message.user == "ben")
            #expect(try message.decode([String: Int].self) == ["price": 3])

            let joined = await first(of: changes) { $0.member.id == "ben" }
            #expect(joined?.action == .join)
            #expect(try await ann.channel("room").members().map(\.id).sorted() == ["ann", "ben"])

            for number in 1...3 { _ = try await room.publish(number) }
            let last = try await room.history(last: 3)
            #expect(last.map(\.text) == ["1", "2", "3"])
            #expect(last.first?.user == "ann")

            let further = try room.presence.changes
            await ben.disconnect()
            let left = await first(of: further) { $0.action == .leave }
            #expect(left?.member.id == "ben")
            await ann.disconnect()
            #expect(ann.status.phase == .disconnected)
        }
    }

    @Test("LL-57: who is on channels below a wildcard is a member of the wildcard's room, until the user is on none of them")
    func wildcardPresence() async throws {
        try await withServer { host, server in
            let ann = client(host, "ann")
            let (ben, cem) = (client(host, "ben"), client(host, "cem"))
            for one in [ann, ben, cem] { try await one.connect(timeout: .seconds(30)) }
            let room = try await ann.channel("news.*").subscribe()
            let changes = try room.presence.changes
            func next() async -> String? {
                // The client's own joining comes before or after the answer about who is there.
                await first(of: changes) { $0.member.id != "ann" }.map { "\($0.channel) \($0.action) \($0.member.id)" }
            }
            _ = try await ben.channel("news.sports").subscribe()
            #expect(await next() == "news.* join ben")
            _ = try await ben.channel("news.weather").subscribe()
            _ = try await cem.channel("news.weather").subscribe()
            #expect(await next() == "news.* join cem")
            // A leave that overtakes a poll is undone by it.
            try await untilHeld(3, server)
            ben.channel("news.sports").unsubscribe()
            await cem.disconnect()
            #expect(await next() == "news.* leave cem")
            #expect(try room.presence.members.map(\.id).sorted() == ["ann", "ben"])
            try await untilHeld(2, server)
            ben.channel("news.weather").unsubscribe()
            #expect(await next() == "news.* leave ben")
            for one in [ann, ben] { await one.disconnect() }
        }
    }

    @Test("LL-54, LL-55: a group is filled, subscribed and emptied; its messages name their channel")
    func groups() async throws {
        try await withServer { host, _ in
            let ann = client(host, "ann")
            let news = ann.channelGroup("news")
            try await news.add(["sports", "weather"])
            #expect(try await news.channels().sorted() == ["sports", "weather"])
            try await ann.connect(timeout: .seconds(30))
            let room = try await news.subscribe()
            #expect(room.name == ":news")
            #expect(try await ann.channel("sports").publish("goal").isAccepted)
            let message = try #require(await first(of: room.messages) { _ in true })
            #expect(message.channel == "sports" && message.pattern == ":news" && message.text == "\"goal\"")
            await #expect(throws: LifelineError.self) { _ = try await room.history(last: 1) }
            try await news.remove(["weather"])
            #expect(try await news.channels() == ["sports"])
            news.unsubscribe()
            #expect(await first(of: room.messages) { _ in true } == nil)
            try await news.delete()
            #expect(try await ann.channelGroup("news").channels().isEmpty)
        }
    }

    @Test("LL-118: whoever is on a channel of a group is a member of its room, for as long as on one of them")
    func groupPresence() async throws {
        try await withServer { host, server in
            let (ann, ben, cem) = (client(host, "ann"), client(host, "ben"), client(host, "cem"))
            let news = ann.channelGroup("news")
            try await news.add(["sports", "weather"])
            for client in [ann, ben, cem] { try await client.connect(timeout: .seconds(30)) }
            _ = try await ben.channel("sports").subscribe()
            let room = try await news.subscribe()
            var lists = try room.presence.memberLists.makeAsyncIterator()
            func members(_ wanted: Set<String>) async throws {
                while let list = await lists.next() {
                    if Set(list.map(\.id)) == wanted { return }
                }
                Issue.record("The members were never \(wanted).")
            }
            // Ben was there before; Ann is on the channels of the group by her own subscription.
            try await members(["ann", "ben"])
            #expect(Set(try await news.members().map(\.id)) == ["ann", "ben"])
            #expect(room.channel.supports(.presence) && room.channel.supports(.members) && !room.channel.supports(.history))
            _ = try await cem.channel("weather").subscribe()
            try await members(["ann", "ben", "cem"])
            _ = try await ben.channel("weather").subscribe()
            // A leave that overtakes a poll is undone by it.
            try await untilHeld(3, server)
            ben.channel("sports").unsubscribe()
            cem.channel("weather").unsubscribe()
            // Ben is still on the other channel.
            try await members(["ann", "ben"])
            try await untilHeld(2, server)
            ben.channel("weather").unsubscribe()
            try await members(["ann"])
        }
    }

    @Test("A call whose address is too long for the service says so", arguments: [33_000, 70_000])
    func longAddress(length: Int) async throws {
        try await withServer { host, _ in
            let room = client(host, "ann").channel(String(repeating: "c", count: length))
            let error = await #expect(throws: LifelineError.self) { _ = try await room.history(last: 1) }
            #expect(error?.code.rawValue == "requestTooLong" && error?.reason.contains("Request URI Too Long") == true)
        }
    }

    @Test("Encrypted messages reach those who have the key; others are told")
    func encryption() async throws {
        try await withServer { host, _ in
            let ann = client(host, "ann", cipherKey: "enigma")
            let ben = client(host, "ben", cipherKey: "other")
            try await ann.connect(timeout: .seconds(30))
            try await ben.connect(timeout: .seconds(30))
            let room = try await ann.channel("room").subscribe()
            let other = try await ben.channel("room").subscribe()
            #expect(try await room.publish("secret").isAccepted)
            #expect(await first(of: room.messages) { _ in true }?.text == "\"secret\"")
            let failure = await first(of: other.deliveries) { _ in true }
            guard case .failed(let error, willRetry: true)? = failure else {
                Issue.record("\(String(describing: failure))")
                return
            }
            #expect(error.code.rawValue == "decryptionFailed")
            #expect(try await room.history(last: 1).map(\.text) == ["\"secret\""])
        }
    }

    @Test("A filter keeps what does not fit away; one that cannot be read fails with the service's number")
    func filters() async throws {
        try await withServer { host, _ in
            let ann = client(host, "ann", filter: "(( nonsense")
            try await ann.connect(timeout: .seconds(30))
            let error = await #expect(throws: LifelineError.self) { _ = try await ann.channel("room").subscribe() }
            #expect(error?.number == 481)
            #expect(ann.status.phase == .failed)
        }
    }

    @Test("A server that comes back without its messages is a gap before newer ones (F60)")
    func restart() async throws {
        try await withServer { _, server in
            // Keeps the port; that of a server that has stopped may be somebody else's by then.
            let relay = try await OutageRelay.start(to: server.port)
            let ann = client(ServiceHost("127.0.0.1", port: relay.port, tls: false), "ann")
            try await ann.connect(timeout: .seconds(30))
            let room = try await ann.channel("room").subscribe()
            relay.refuse()
            try await server.stop()
            let again = try await LifelineServer.start(.init(port: 0, drainTimeout: .milliseconds(200)))
            relay.pass(to: again.port)
            let publisher = client(ServiceHost("127.0.0.1", port: again.port, tls: false), "ben")
            var told: [String] = []
            // Without a poll under way there is no outage to notice, but the new server's first answer.
            for await delivery in room.deliveries {
                switch delivery {
                case .gap:
                    told.append("gap")
                    #expect(try await publisher.channel("room").publish(1).isAccepted)
                case .message(let message): told.append(message.text)
                case .failed: continue
                }
                if told.last == "1" { break }
            }
            #expect(told == ["gap", "1"])
            await relay.stop()
            try await again.stop()
        }
    }

    private func client(
        _ host: ServiceHost, _ user: String, cipherKey: String? = nil, filter: String? = nil
    ) -> LifelineClient {
        LifelineClient(
            .pubnub(
                publishKey: "demo", subscribeKey: "demo", userID: user, host: host, cipherKey: cipherKey, filter: filter))
    }

    /// Waits until the server holds so many polls. Nothing tells that; the time limit of the suite ends this.
    private func untilHeld(_ polls: Int, _ server: LifelineServer) async throws {
        while server.statistics.heldPolls < polls { try await Task.sleep(for: .milliseconds(5)) }
    }

    private func first<S: AsyncSequence>(
        of sequence: S, where test: (S.Element) -> Bool
    ) async -> S.Element? where S.Failure == Never {
        for await element in sequence where test(element) { return element }
        return nil
    }

    private func withServer(_ body: (ServiceHost, LifelineServer) async throws -> Void) async throws {
        let server = try await LifelineServer.start(.init(port: 0, drainTimeout: .milliseconds(200)))
        do {
            try await body(ServiceHost("127.0.0.1", port: server.port, tls: false), server)
        } catch {
            try await server.stop()
            throw error
        }
        try await server.stop()
    }
}
