import PusherProtocol
import ServerStorage
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

/// X1 of the list of attacks: signatures that are nearly right.
enum Forgery {
    /// Everything that is one step away from a good `key:signature`, at least 500 of them.
    static func variants(of good: String) -> [String] {
        let bytes = Array(good.utf8)
        var all: Set<String> = [
            "", ":", good + "0", good + " ", " " + good, good + "\u{0}", good + ":" + good, good.uppercased(),
        ]
        for index in bytes.indices {
            for bit in 0..<7 {
                var forged = bytes
                forged[index] ^= 1 << UInt8(bit)
                all.insert(String(decoding: forged, as: UTF8.self))
            }
            all.insert(String(decoding: bytes[..<index], as: UTF8.self))
        }
        let signature = String(good.drop { $0 != ":" }.dropFirst())
        all.formUnion([signature, ":" + signature, "other-key:" + signature, "app-key:" + String(signature.reversed())])
        all.remove(good)
        return all.sorted()
    }
}

@Suite("Forged signatures (SP-6, SP-7, X1, X4)", .timeLimit(.minutes(1)))
struct ForgeryTests {
    // Proof of X1.
    @Test(
        "More than 500 of each kind are refused in the same words, and the good one is taken after them",
        arguments: ["private-x", "private-encrypted-x", "private-cache-x", "presence-x"])
    func channels(channel: String) {
        let harness = FrontHarness()
        let data = channel.hasPrefix("presence-") ? #"{"user_id":"ann"}"# : nil
        let refused = harness.subscribe(channel, auth: "nothing", channelData: data)
        #expect(refused.error?.code == 4009)
        let forged = Forgery.variants(of: harness.auth(channel, data))
        #expect(forged.count >= 500)
        for auth in forged { #expect(harness.subscribe(channel, auth: auth, channelData: data) == refused) }
        #expect(harness.subscribe(channel, channelData: data) == refused)
        let other = FrontHarness()
        other.application.secret = "other-secret"
        #expect(harness.subscribe(channel, auth: other.auth(channel, data), channelData: data) == refused)
        #expect(harness.subscribe(channel, auth: harness.auth(channel + "y", data), channelData: data) == refused)
        other.front = PusherFront(socketID: SocketID(high: 1, low: 1))
        other.application.secret = "app-secret"
        #expect(harness.subscribe(channel, auth: other.auth(channel, data), channelData: data) == refused)
        #expect(harness.front.subscriptions.isEmpty)
        #expect(!harness.front.isAuthorized)
        guard case .subscribe = harness.join(channel, channelData: data) else {
            Issue.record("the good signature was refused")
            return
        }
    }

    @Test("A presence signature holds for its channel data to the byte")
    func channelData() {
        let harness = FrontHarness()
        let data = #"{"user_id":"ann","user_info":{"name":"Ann"}}"#
        let auth = harness.auth("presence-x", data)
        let refused = harness.subscribe("presence-x", auth: "nothing", channelData: data)
        for index in data.utf8.indices {
            var forged = Array(data.utf8)
            forged[data.utf8.distance(from: data.utf8.startIndex, to: index)] ^= 1
            let text = String(decoding: forged, as: UTF8.self)
            #expect(harness.subscribe("presence-x", auth: auth, channelData: text) == refused)
        }
        #expect(harness.subscribe("presence-x", auth: auth) == refused)
        #expect(harness.subscribe("presence-x", auth: auth, channelData: data + " ") == refused)
        #expect(harness.subscribe("presence-x", auth: harness.auth("presence-x"), channelData: data) == refused)
    }

    // Proof of X1.
    @Test("More than 500 forged sign-ins are refused in the same words")
    func signIn() {
        let harness = FrontHarness()
        let userData = #"{"id":"ann"}"#
        let good = PusherSignature.userAuth(
            socketID: harness.front.socketID.description, userData: userData, key: "app-key", secret: "app-secret")
        let refused = harness.send(PusherClientFrames.signin(auth: "nothing", userData: userData))
        #expect(refused.error?.code == 4009)
        for auth in Forgery.variants(of: good) + [harness.auth("private-x"), harness.auth("private-:user:", userData)] {
            #expect(harness.send(PusherClientFrames.signin(auth: auth, userData: userData)) == refused)
        }
        #expect(harness.send(PusherClientFrames.signin(auth: good, userData: #"{"id":"bob"}"#)) == refused)
        #expect(harness.front.user == nil)
        _ = harness.send(PusherClientFrames.signin(auth: good, userData: userData))
        #expect(harness.front.user?.id == "ann")
    }

    @Test(
        "Without a signature, or with that of another application, nothing comes: no confirmation, no message, no members (X4)",
        arguments: ["private-x", "private-encrypted-x", "private-cache-x", "presence-x", "presence-cache-x"])
    func outside(channel: String) async throws {
        try await withServer(quietApplication, { $0.applications = InMemoryApplicationRegistry(twins) }) { server in
            let isPresence = channel.hasPrefix("presence-")
            let member = try await TestClient.connect(server)
            try await member.subscribe(channel, user: isPresence ? "ann" : nil)
            try server.publish(channel: channel, event: "secret", data: "1")
            let attacker = try await TestClient.connect(server)
            let data = isPresence ? #"{"user_id":"eve"}"# : nil
            let foreign = PusherSignature.channelAuth(
                socketID: await attacker.socketID, channel: channel, channelData: data, key: "other-key", secret: "other-secret")
            let mixed = "app-key:" + foreign.split(separator: ":")[1]
            for auth in [nil, "", foreign, mixed] {
                try await attacker.send(PusherClientFrames.subscribe(channel: channel, auth: auth, channelData: data))
                let error = try await attacker.expectError()
                #expect(error.code == 4009)
                #expect(error.message == "The subscription is not authorized.")
            }
            try server.publish(channel: channel, event: "secret", data: "2")
            try await attacker.send(#"{"event":"client-x","channel":"\#(channel)","data":{}}"#)
            #expect(try await attacker.expectError().code == 4301)
            try await attacker.expectSilence()
            if channel.contains("cache-") { try await member.expect(PusherEventName.cacheMiss) }
            for data in ["1", "2"] { #expect(try await member.expect("secret").data == data) }
            try await member.expectSilence()
            #expect(server.statistics.channels == 1)
        }
    }
}
