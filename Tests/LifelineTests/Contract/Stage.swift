import ChatProtocol
import ClientRuntime
import ConnectionEngine
import HTTPTransport
import LifelineServer
import PusherProtocol
import ServerStorage
import WireCoding

@testable import Lifeline

/// What is published.
struct Tick: Codable, Hashable, Sendable {
    var n: Int
    var note = "payl0ad"
}

/// A delivery in short.
enum Told: Equatable {
    case message(Int), gap, failed

    init?(_ delivery: Delivery?) {
        switch delivery {
        case .message(let message)?:
            guard let tick = try? message.decode(Tick.self) else { return nil }
            self = .message(tick.n)
        case .gap?: self = .gap
        case .failed?: self = .failed
        case nil: return nil
        }
    }
}

/// A server with everything that a kind of channel needs, a relay in front of it, and clients.
struct Stage: Sendable {
    let kind: ServiceUnderTest
    let server: LifelineServer
    let relay: OutageRelay

    static let secret = "top-5ecret-of-the-app"
    static let publishKey = "pub-5ecret-key"
    static let cipherKey = "cipher-5ecret-key"
    static let masterKey = PusherAccess.base64([UInt8](repeating: 0x5A, count: 32))
    private static let users = ["ann", "ben", "cat"]

    /// Runs a test against a server of its own.
    static func run(_ kind: ServiceUnderTest, _ body: (Stage) async throws -> Void) async throws {
        let server = try await LifelineServer.start(configuration)
        let relay = try await OutageRelay.start(to: server.port)
        let stage = Stage(kind: kind, server: server, relay: relay)
        do {
            if kind == .chatGroup { try await stage.makeGroups() }
            try await body(stage)
        } catch {
            await relay.stop()
            try await server.stop()
            throw error
        }
        await relay.stop()
        try await server.stop()
    }

    private static var configuration: ServerConfiguration {
        var configuration = ServerConfiguration(port: 0, drainTimeout: .milliseconds(200))
        var application = Application(id: "1001", key: "app-key", secret: Secret(secret), allowsClientEvents: true)
        // Tests send faster than people.
        application.limits.clientEventsPerSecond = 1_000_000
        configuration.applications = InMemoryApplicationRegistry([application])
        configuration.keysets = [
            Keyset(publishKey: publishKey, subscribeKey: "sub-key", secretKey: Secret(secret), storesByDefault: true)
        ]
        var chat = ChatApplication(key: "app-key", secret: Secret(secret))
        chat.limits.sendsPerSecond = 1_000_000
        configuration.chatApplications = [chat]
        return configuration
    }

    /// A server that knows nothing of what the stage's own one has been told.
    func startedAnew() async throws -> LifelineServer {
        let server = try await LifelineServer.start(Self.configuration)
        if kind == .chatGroup { try await Stage(kind: kind, server: server, relay: relay).makeGroups() }
        return server
    }

    /// A client that is not connected.
    ///
    /// - Parameters:
    ///   - relayed: whether the relay is between it and the server.
    ///   - isImpostor: whether its credentials for publishing are wrong.
    ///   - otherKey: whether it encrypts with another key than everybody else.
    ///   - timing: standard, so that a slow machine is no outage.
    ///   - backlog: how far a consumer may fall behind.
    func client(
        _ user: String, relayed: Bool = false, isImpostor: Bool = false, otherKey: Bool = false,
        requiresEncryption: Bool = false, timing: TimingProfile = .standard, backlog: Int = 4096
    ) async throws -> LifelineClient {
        let host = ServiceHost("127.0.0.1", port: relayed ? relay.port : server.port, tls: false)
        return LifelineClient(
            try await service(user, host, isImpostor: isImpostor, otherKey: otherKey),
            options: ClientOptions(timing: timing, requiresEncryption: requiresEncryption, backlog: backlog))
    }

    /// A client that is connected and subscribed.
    func joined(
        _ user: String, relayed: Bool = false, otherKey: Bool = false, timing: TimingProfile = .standard
    ) async throws -> (client: LifelineClient, room: Room) {
        let client = try await client(user, relayed: relayed, otherKey: otherKey, timing: timing)
        try await client.connect(timeout: .seconds(30))
        return (client, try await client.channel(kind.channel).subscribe())
    }

    /// Somebody who listens, and `ben`, who was subscribed and has lost the connection.
    func outage() async throws -> (room: Room, ben: LifelineClient, talk: Room) {
        let (_, room) = try await joined("ann")
        let (ben, talk) = try await joined("ben", relayed: true, timing: .fast)
        let statuses = ben.statuses
        relay.refuse()
        _ = await statuses.first { $0.phase == .waiting }
        return (room, ben, talk)
    }

    /// Waits until so many polls are held, where the service has polls: a poll and a leave are two requests on two connections, and
    /// a leave that overtakes a poll is undone by it.
    func settle(polls: Int) async throws {
        guard kind.serviceName == "PubNub" else { return }
        // Nothing tells when a poll is held; the time limit of the suites ends this.
        while server.statistics.heldPolls < polls { try await Task.sleep(for: .milliseconds(5)) }
    }

    private func service(
        _ user: String, _ host: ServiceHost, isImpostor: Bool, otherKey: Bool
    ) async throws -> Lifeline.Service {
        switch kind {
        case .pusherPrivate:
            let access = PusherAccess.custom { request in
                PusherAccess.Grant(
                    auth: PusherSignature.channelAuth(
                        socketID: request.socketID, channel: request.channel, key: "app-key", secret: Self.secret))
            }
            return .pusher(key: "app-key", host: host, access: access, user: Member(id: user))
        case .pusherPublic, .pusherPresence, .pusherEncrypted:
            let key = otherKey ? PusherAccess.base64([UInt8](repeating: 0x11, count: 32)) : Self.masterKey
            let secret = isImpostor ? "wr0ng-5ecret" : Self.secret
            return .pusher(
                key: "app-key", host: host, access: .secret(secret, appID: "1001", encryptionMasterKey: key),
                user: Member(id: user, info: #"{"name":"\#(user)"}"#))
        case .pubnub, .pubnubEncrypted:
            let cipherKey = kind == .pubnubEncrypted ? (otherKey ? "an0ther-key" : Self.cipherKey) : nil
            return .pubnub(
                publishKey: isImpostor ? "wr0ng-5ecret" : Self.publishKey, subscribeKey: "sub-key", userID: user, host: host,
                cipherKey: cipherKey)
        case .chatOpen, .chatGroup:
            return .nexconn(appKey: "app-key", host: host, access: .secret(Self.secret, user: user))
        }
    }

    /// What must not be in any text.
    static let secrets = [secret, publishKey, cipherKey, masterKey, "wr0ng-5ecret", "an0ther-key"]

    private func makeGroups() async throws {
        for user in Self.users { _ = try await server.issueChatToken(user: user) }
        for channel in [kind.channel, kind.other] {
            try await command(
                "group-channel/create",
                [
                    "userId": "ann", "groupId": .string(String(channel.dropFirst("group:".count))), "groupName": "Group",
                    "memberUserIds": .array(Self.users.dropFirst().map { .string($0) }),
                ])
        }
    }

    /// Server API of chat (docs/chat-protocol.md).
    private func command(_ path: String, _ body: JSONValue) async throws {
        let nonce = ChatAdapterSettings.randomID()
        // A second ahead, which the server takes: it refuses calls from before its start, and that was in this second, too.
        let timestamp = "\(SystemTime.unixSeconds() + 1)000"
        let signature = ChatServerSignature.sign(secret: Self.secret, nonce: nonce, timestamp: timestamp)
        let answer = try await HTTPCaller().send(
            HTTPCall(
                method: "POST", url: "\(server.url)/v4/\(path)",
                headers: [
                    HTTPField("Content-Type", "application/json"), HTTPField("App-Key", "app-key"), HTTPField("Nonce", nonce),
                    HTTPField("Timestamp", timestamp), HTTPField("Signature", signature),
                ], body: Array(body.text.utf8)), timeout: .seconds(10))
        guard answer.isSuccess else { throw LifelineError(.refused, String(decoding: answer.body, as: UTF8.self)) }
    }
}

extension AsyncSequence where Failure == Never {
    /// The first element that fits; nil when the sequence ends before.
    func first(matching test: (Element) throws -> Bool) async rethrows -> Element? {
        for await element in self where try test(element) { return element }
        return nil
    }
}

extension Room {
    /// Publishes a tick, which has to be accepted.
    func tick(_ n: Int, options: PublishOptions = PublishOptions()) async throws {
        let outcome = try await publish(Tick(n: n), event: "tick", options: options)
        guard outcome.isAccepted else { throw LifelineError(.refused, "\(outcome)") }
    }
}

extension LifelineClient {
    /// Subscribes; why it was refused, nil when it was not.
    func refusalOfSubscribing(_ channel: String) async -> LifelineError? {
        do throws(LifelineError) {
            _ = try await self.channel(channel).subscribe()
            return nil
        } catch { return error }
    }
}
