import LifelineServer
import NIOCore
import PusherProtocol
import ServerStorage
import Testing
import WireCoding

@testable import ServerTestSupport

/// X5: two applications with the same channels and the same users in one process.
@Suite("Applications and channels do not leak into each other (X5, HB-53)", .timeLimit(.minutes(5)))
struct IsolationTests {
    private struct Participant {
        var client: TestClient
        var application: Application
        var user: String
        var channels: Set<String> = []
    }

    /// What a client saw that it must not see.
    private struct Findings: Hashable {
        /// Of another application, or of a channel that the client is not on.
        var leaks = 0
        /// Never published.
        var phantoms = 0
        var received = 0
    }

    private static let channels = (0..<50).map { number in
        ["room-\(number)", "private-\(number)", "presence-\(number)", "cache-\(number)", "private-encrypted-\(number)"][
            number % 5]
    }

    private func join(
        _ server: LifelineServer, _ application: Application, user: String, _ random: inout FuzzRandom
    ) async throws -> Participant {
        let client = try await TestClient.connect(server, key: application.key, secret: application.secret.revealed)
        var participant = Participant(client: client, application: application, user: user)
        try await client.signIn(user, watching: (0..<75).map { "u\($0)" })
        for channel in Self.channels.shuffled(using: &random).prefix(12) + ["everybody"] {
            let data = #"{"user_id":"\#(user)","user_info":{"app":"\#(application.id)"}}"#
            try await client.requestSubscription(channel, channelData: channel.hasPrefix("presence-") ? data : nil)
            try await client.skip(to: PusherEventName.subscriptionSucceeded)
            participant.channels.insert(channel)
        }
        return participant
    }

    // Proof of X5.
    @Test("50 clients, 50 channels, 2 applications, random events: no leak, no phantom", arguments: [1, 2] as [UInt64])
    func random(seed: UInt64) async throws {
        let applications = twins.map { application in
            var application = application
            application.announcesSubscriptionCounts = true
            application.limits.clientEventsPerSecond = 1_000
            return application
        }
        let configure: (inout ServerConfiguration) -> Void = {
            $0.threads = 2
            $0.applications = InMemoryApplicationRegistry(applications)
        }
        try await withServer(applications[0], configure) { server in
            var random = FuzzRandom(seed: seed)
            var participants: [Participant] = []
            // Half of the users are in both, the others in one of them only.
            for (application, users) in zip(applications, [0..<50, 25..<75]) {
                for number in users {
                    participants.append(try await join(server, application, user: "u\(number)", &random))
                }
            }
            var published: Set<String> = []
            for number in 0..<600 {
                let index = Int.random(in: 0..<participants.count, using: &random)
                let participant = participants[index]
                let channel = try #require(participant.channels.sorted().randomElement(using: &random))
                let text = "\(participant.application.id)|\(channel)|\(number)"
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<6:
                    published.insert(text)
                    try server.publish(app: participant.application.id, channel: channel, event: "tick", data: text)
                case 6..<9:
                    let event = #"{"event":"client-tick","channel":"\#(channel)","data":"\#(text)"}"#
                    if PusherChannelKind(of: channel).allowsClientEvents { published.insert(text) }
                    try await participant.client.send(event)
                default:
                    guard channel != "everybody" else { continue }
                    try await participant.client.send(PusherClientFrames.unsubscribe(channel: channel))
                }
            }
            // Behind a pong everything that a client sent has been queued, and behind the end everything that was queued.
            for participant in participants {
                try await participant.client.send(#"{"event":"pusher:ping","data":{}}"#)
            }
            var findings = Findings()
            for participant in participants {
                try await read(participant, upTo: PusherEventName.pong, published, &findings)
            }
            for application in applications {
                try server.publish(app: application.id, channel: "everybody", event: "end", data: "end")
            }
            for participant in participants { try await read(participant, upTo: "end", published, &findings) }
            #expect(findings.leaks == 0)
            #expect(findings.phantoms == 0)
            #expect(findings.received > 5_000)
            try await terminate(server, participants)
        }
    }

    private func read(
        _ participant: Participant, upTo last: String, _ published: Set<String>, _ findings: inout Findings
    ) async throws {
        while true {
            let next = try await participant.client.next()
            guard next != .end else {
                Issue.record("the connection ended")
                return
            }
            guard case .message(let message) = next else { continue }
            if message.event == last { return }
            check(message, participant, published, &findings)
        }
    }

    private func check(
        _ message: PusherEnvelope, _ participant: Participant, _ published: Set<String>, _ findings: inout Findings
    ) {
        findings.received += 1
        if let channel = message.channel, !participant.channels.contains(channel) { findings.leaks += 1 }
        let data = message.data ?? ""
        switch message.event {
        case "tick", "client-tick":
            if !published.contains(data) { findings.phantoms += 1 }
            let parts = data.split(separator: "|")
            if parts.count != 3 || parts[0] != participant.application.id || parts[1] != message.channel ?? "" {
                findings.leaks += 1
            }
        case PusherEventName.memberAdded:
            if PusherMember(parsing: data)?.infoJSON != #"{"app":"\#(participant.application.id)"}"# { findings.leaks += 1 }
        case PusherEventName.subscriptionCount:
            let count = (try? JSONText(data))?["subscription_count"]?.integer ?? .max
            if count > 50 { findings.leaks += 1 }
        case PusherEventName.watchlistEvents:
            // Users that only the other application has.
            for number in participant.application.id == "1001" ? 50..<75 : 0..<25 where data.contains(#""u\#(number)""#) {
                findings.leaks += 1
            }
        case PusherEventName.memberRemoved, PusherEventName.error, PusherEventName.pong,
            PusherEventName.cacheMiss:
            break
        default: findings.phantoms += 1
        }
    }

    /// Ends a user in one application only.
    private func terminate(_ server: LifelineServer, _ participants: [Participant]) async throws {
        let users = try await server.get("/apps/1002/channels/everybody/users")
        #expect(users.status == 401)
        #expect(try await server.post("/apps/1001/users/u30/terminate_connections", "{}").status == 200)
        for participant in participants where participant.user == "u30" {
            if participant.application.id == "1001" {
                try await participant.client.skip(to: PusherEventName.error)
                guard case .close(4009?, _) = try await participant.client.next() else {
                    Issue.record("not terminated")
                    return
                }
            } else {
                try await participant.client.send(#"{"event":"pusher:ping","data":{}}"#)
                try await participant.client.skip(to: PusherEventName.pong)
            }
        }
    }
}
