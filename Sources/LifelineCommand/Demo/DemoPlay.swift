import LifelineServer
import PusherProtocol
import PusherSwift

/// The main job on real sockets: a server and its clients in this process, with a relay between them that breaks the link.
struct DemoPlay {
    private static let channels: Set<String> = ["news", "private-desk", "presence-lobby", "private-encrypted-vault"]
    private static let names = ["ada", "bob"]

    let stage: DemoStage
    /// The key of encrypted channels; the server never sees it.
    private let masterKey: [UInt8]

    init(stage: DemoStage) {
        self.stage = stage
        var random = SystemRandomNumberGenerator()
        masterKey = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    /// Plays everything; throws what did not happen.
    func run() async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        let relay = try await FaultRelay.start(upstream: server.port)
        let (news, continuation) = AsyncStream<DemoStage.Heard>.makeStream()
        let listening = Task { for await heard in news { await stage.hear(heard) } }
        let tell: @Sendable (DemoClient, DemoClient.News) -> Void = { [stage] client, news in
            continuation.yield(DemoStage.Heard(client: client.name, news: news, at: stage.now))
        }
        let clients = Self.names.map { name in
            DemoClient(name: name, port: relay.port, signer: DemoSigner(user: name, masterKey: masterKey), tell: tell)
        }

        await stage.title("Connecting two clients to \(server.url)")
        for client in clients {
            for channel in Self.channels.sorted() { client.subscribe(channel) }
            client.pusher.connect()
        }
        try await everybodyIsBack()

        try await exchange(server, clients)
        try await joinAndLeave(server, tell)
        try await outages(server, relay)

        await stage.title("Saying goodbye")
        for client in clients { client.pusher.disconnect() }
        try await stage.wait("both clients disconnected") { stage in
            Self.names.allSatisfy { stage.states[$0] == .disconnected }
        }
        try await relay.stop()
        try await server.stop()
        continuation.finish()
        await listening.value
        withExtendedLifetime(clients) {}
    }

    private func everybodyIsBack() async throws {
        try await stage.wait("all channels confirmed for both clients") { $0.isComplete(Self.names, Self.channels) }
    }

    /// Events on every kind of channel, and client events both ways.
    private func exchange(_ server: LifelineServer, _ clients: [DemoClient]) async throws {
        await stage.title("Publishing on public, private, presence and encrypted channels")
        for _ in 0..<10 {
            for channel in Self.channels { try await publish(server, channel) }
        }
        try await stage.wait("40 events for both clients") { $0.ledger.receivedCount == $0.ledger.sentCount }
        await stage.say("\(Self.channels.count * 10) events published, all received by both clients")
        for (client, other) in zip(clients, clients.reversed()) {
            client.pusher.connection.channels.find(name: "private-desk")?
                .trigger(eventName: "client-hello", data: ["from": client.name, "to": other.name])
        }
        try await stage.wait("two client events") { $0.clientEvents == 2 }
    }

    /// A third member comes and goes.
    private func joinAndLeave(
        _ server: LifelineServer, _ tell: @escaping @Sendable (DemoClient, DemoClient.News) -> Void
    ) async throws {
        await stage.title("A third member comes and goes")
        let guest = DemoClient(
            name: "cleo", port: server.port, signer: DemoSigner(user: "cleo", masterKey: masterKey), tell: tell)
        guest.subscribe("presence-lobby")
        guest.pusher.connect()
        try await stage.wait("both clients see cleo join") { stage in
            Self.names.allSatisfy { stage.memberChanges.contains("\($0) +cleo") }
        }
        guest.pusher.disconnect()
        try await stage.wait("both clients see cleo leave") { stage in
            Self.names.allSatisfy { stage.memberChanges.contains("\($0) -cleo") }
        }
    }

    /// The link is cut, held half-open and refused, while twenty messages a second are published.
    private func outages(_ server: LifelineServer, _ relay: FaultRelay) async throws {
        let publishing = Task {
            while !Task.isCancelled {
                try await publish(server, "news")
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        defer { publishing.cancel() }

        try await outage("cut", "The link is cut") { relay.cut() }
        try await outage("half-open", "The link goes half-open: it looks connected and carries nothing", lasting: 5) {
            try await relay.set(.halfOpen)
        } mend: {
            try await relay.set(.pass)
        }
        try await outage("refused", "The link is cut and the port closed", lasting: 4) {
            try await relay.set(.refuse)
            relay.cut()
        } mend: {
            try await relay.set(.pass)
        }
        publishing.cancel()
        _ = await publishing.result
        try await Task.sleep(for: .milliseconds(300))
    }

    private func outage(
        _ name: String, _ title: String, lasting seconds: Double = 0, break breakIt: () async throws -> Void,
        mend: () async throws -> Void = {}
    ) async throws {
        try await Task.sleep(for: .seconds(1))
        await stage.title(title)
        await stage.begin(name)
        try await breakIt()
        try await stage.wait("both clients notice") { stage in
            Self.names.allSatisfy { stage.states[$0] != .connected }
        }
        if seconds > 0 {
            try await Task.sleep(for: .seconds(seconds))
            try await mend()
            await stage.mended()
            await stage.say("the link works again")
        }
        try await everybodyIsBack()
        await stage.recovered()
        await stage.say("everything is confirmed again")
    }

    private func publish(_ server: LifelineServer, _ channel: String) async throws {
        let text = "{\"n\":\(await stage.nextNumber(for: Set(Self.names)))}"
        let isEncrypted = channel.hasPrefix("private-encrypted-")
        try server.publish(channel: channel, event: "update", data: isEncrypted ? try encrypted(text, channel) : text)
    }

    private func encrypted(_ text: String, _ channel: String) throws -> String {
        var random = SystemRandomNumberGenerator()
        return try PusherEncryption.encrypt(
            text, sharedSecret: PusherEncryption.sharedSecret(channel: channel, masterKey: masterKey),
            nonce: PusherEncryption.randomNonce(using: &random))
    }
}
