import Dispatch
import Foundation
import LifelineServer
import PusherProtocol
import PusherSwift
import Testing

/// Two PusherSwift clients against our server in one process, on real sockets: the main job. Also run under the Thread Sanitizer.
@Suite(.serialized) struct EndToEndTests {
    private static let masterKey = [UInt8](0..<32)

    /// A client with its own queue, and everything that it saw as text.
    private final class Client: PusherDelegate {
        let pusher: Pusher
        let seen = Seen<String>()

        init(port: Int, user: String) {
            let options = PusherClientOptions(
                authMethod: .authorizer(authorizer: Signer(user: user)), host: .host("127.0.0.1"), port: port, useTLS: false)
            options.callbackQueue = DispatchQueue(label: "client \(user)")
            options.timing = .fast
            pusher = Pusher(key: "app-key", options: options)
            pusher.connection.delegate = self
        }

        func changedConnectionState(from old: ConnectionState, to new: ConnectionState) {
            seen.append("state \(new.stringValue())")
        }

        func subscribedToChannel(name: String) { seen.append("subscribed \(name)") }

        func failedToSubscribeToChannel(name: String, response: URLResponse?, data: String?, error: NSError?) {
            seen.append("failed \(name)")
        }

        func receivedError(error: PusherError) { seen.append("error \(error.message)") }

        func failedToDecryptEvent(eventName: String, channelName: String, data: String?) {
            seen.append("undecryptable \(eventName)")
        }
    }

    /// Signs for any channel, as an app's backend would.
    private final class Signer: Authorizer {
        let user: String

        init(user: String) { self.user = user }

        func fetchAuthValue(socketID: String, channelName: String, completionHandler: @escaping (PusherAuth?) -> Void) {
            let isPresence = channelName.hasPrefix("presence-")
            let data = isPresence ? "{\"user_id\":\"\(user)\"}" : nil
            let key = PusherEncryption.sharedSecret(channel: channelName, masterKey: EndToEndTests.masterKey)
            let signature = PusherSignature.channelAuth(
                socketID: socketID, channel: channelName, channelData: data, key: "app-key", secret: "app-secret")
            let secret = channelName.hasPrefix("private-encrypted-") ? Data(key).base64EncodedString() : nil
            completionHandler(PusherAuth(auth: signature, channelData: data, sharedSecret: secret))
        }
    }

    private func encrypted(_ text: String, channel: String) throws -> String {
        var random = SystemRandomNumberGenerator()
        let key = PusherEncryption.sharedSecret(channel: channel, masterKey: Self.masterKey)
        let nonce = PusherEncryption.randomNonce(using: &random)
        return try PusherEncryption.encrypt(text, sharedSecret: key, nonce: nonce)
    }

    @Test(.timeLimit(.minutes(1))) func `Channels of every kind work, and come back after the server closed all connections`()
        async throws
    {
        let server = try await LifelineServer.start(.init(port: 0))
        let ada = Client(port: server.port, user: "ada")
        let bob = Client(port: server.port, user: "bob")
        let channels = ["room", "private-room", "presence-room", "private-encrypted-room"]
        for client in [ada, bob] {
            for name in channels {
                client.pusher.subscribe(name).bind(eventName: "tick") { event in
                    client.seen.append("tick \(event.channelName ?? "") \(event.data ?? "")")
                }
            }
            client.pusher.connection.channels.find(name: "private-room")?.bind(eventName: "client-hello") { event in
                client.seen.append("hello \(event.data ?? "")")
            }
            client.pusher.connect()
        }
        for name in channels {
            await ada.seen.wait(for: "subscribed \(name)")
            await bob.seen.wait(for: "subscribed \(name)")
        }

        func publishEverywhere(_ number: Int) async throws {
            for name in channels {
                let isEncrypted = name.hasPrefix("private-encrypted-")
                let data = isEncrypted ? try encrypted("\(number)", channel: name) : "\(number)"
                try server.publish(channel: name, event: "tick", data: data)
            }
            for client in [ada, bob] {
                for name in channels { await client.seen.wait(for: "tick \(name) \(number)") }
            }
        }
        try await publishEverywhere(1)

        ada.pusher.connection.channels.find(name: "private-room")?.trigger(eventName: "client-hello", data: ["from": "ada"])
        await bob.seen.wait(for: "hello {\"from\":\"ada\"}")
        #expect(!ada.seen.elements.contains { $0.hasPrefix("hello") }, "not echoed to the sender")
        let presence = try #require(bob.pusher.connection.channels.findPresence(name: "presence-room"))
        #expect(Set(presence.members.map(\.userId)) == ["ada", "bob"])
        #expect(presence.me()?.userId == "bob")

        for outage in 1...3 {
            server.disconnectAll(code: 4200)
            for client in [ada, bob] {
                for name in channels { await client.seen.wait(for: "subscribed \(name)", count: outage + 1) }
            }
            try await publishEverywhere(outage + 1)
        }
        let states = ada.seen.elements.filter { $0.hasPrefix("state") }.map { $0.dropFirst(6) }
        #expect(
            states == ["connecting", "connected"]
                + Array(repeating: ["reconnecting", "connecting", "connected"], count: 3).joined())
        #expect(!ada.seen.elements.contains { $0.hasPrefix("error") || $0.hasPrefix("failed") || $0.hasPrefix("undecryptable") })

        for client in [ada, bob] {
            client.pusher.disconnect()
            await client.seen.wait(for: "state disconnected")
        }
        try await server.stop()
    }

    @Test(.timeLimit(.minutes(1))) func `Many threads may use one client`() async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        let client = Client(port: server.port, user: "ada")
        client.pusher.connect()
        let pusher = client.pusher
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for round in 0..<50 {
                        let name = "room-\((thread + round) % 5)"
                        let channel = pusher.subscribe(name)
                        let id = channel.bind(eventName: "tick") { _ in }
                        channel.unbind(eventName: "tick", callbackId: id)
                        if round % 3 == 0 { pusher.unsubscribe(name) }
                        if round % 10 == 0 { server.disconnectAll() }
                    }
                }
            }
        }
        _ = pusher.subscribe("last")
        await client.seen.wait(for: "subscribed last")
        pusher.disconnect()
        await client.seen.wait(for: "state disconnected")
        try await server.stop()
    }
}
