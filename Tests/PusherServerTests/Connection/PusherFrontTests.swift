import PusherProtocol
import ServerValues
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Subscribing, as a value (SP-6 to SP-9, SP-13)", .timeLimit(.minutes(1)))
struct PusherFrontTests {
    @Test("A public channel needs no signature")
    func publicChannel() {
        let harness = FrontHarness()
        #expect(harness.subscribe("room") == .subscribe(channel: "room", member: nil))
        #expect(harness.front.subscriptions.map(\.channel) == ["room"])
    }

    @Test("The vectors of the Pusher documentation are accepted")
    func vectors() {
        let harness = FrontHarness()
        harness.application.key = "278d425bdf160c739803"
        harness.application.secret = "7ad3773142a6692b25b8"
        let signature = "58df8b0c36d6982b82c3ecf6b4662e34fe8c25bba48f5369f135bf843651c3a4"
        #expect(
            harness.subscribe("private-foobar", auth: "278d425bdf160c739803:" + signature)
                == .subscribe(channel: "private-foobar", member: nil))
        let data = #"{"user_id":10,"user_info":{"name":"Mr. Channels"}}"#
        let presence = "31935e7d86dba64c2a90aed31fdc61869f9b22ba9d8863bba239c03ca481bc80"
        #expect(
            harness.subscribe("presence-foobar", auth: "278d425bdf160c739803:" + presence, channelData: data)
                == .subscribe(
                    channel: "presence-foobar", member: PresenceMember(userID: "10", info: #"{"name":"Mr. Channels"}"#)))
    }

    @Test("Every single flipped bit of a signature is refused, with one and the same error")
    func forgery() {
        let harness = FrontHarness()
        let good = Array(harness.auth("private-x").utf8)
        let refused = harness.subscribe("private-x", auth: "wrong")
        #expect(refused.error?.code == 4009)
        for index in good.indices {
            for bit in 0..<7 {
                var forged = good
                forged[index] ^= 1 << UInt8(bit)
                #expect(harness.subscribe("private-x", auth: String(decoding: forged, as: UTF8.self)) == refused)
            }
        }
        for auth in [
            "", ":", "app-key:", String(decoding: good.dropLast(), as: UTF8.self), String(decoding: good, as: UTF8.self) + "0",
        ] {
            #expect(harness.subscribe("private-x", auth: auth) == refused)
        }
        #expect(harness.subscribe("private-x") == refused)
        #expect(harness.front.subscriptions.isEmpty)
        #expect(harness.join("private-x") == .subscribe(channel: "private-x", member: nil))
    }

    @Test("A signature holds for its channel, its socket and its channel data only")
    func scope() {
        let harness = FrontHarness()
        #expect(harness.subscribe("private-y", auth: harness.auth("private-x")).error?.code == 4009)
        let data = #"{"user_id":"ann"}"#
        #expect(
            harness.subscribe("presence-x", auth: harness.auth("presence-x", data), channelData: #"{"user_id":"bob"}"#).error?
                .code
                == 4009)
        let other = FrontHarness()
        other.front = PusherFront(socketID: SocketID(high: 1234, low: 1235))
        #expect(other.subscribe("private-x", auth: harness.auth("private-x")).error?.code == 4009)
    }

    @Test(
        "A private subscription with channel data is signed over the data or without them, and over no other data (SP-62)",
        arguments: ["private-x", "private-encrypted-x", "private-cache-x"])
    func privateChannelData(channel: String) {
        let data = #"{"user_id":"ann"}"#
        for auth in [FrontHarness().auth(channel, data), FrontHarness().auth(channel)] {
            let harness = FrontHarness()
            #expect(harness.subscribe(channel, auth: auth, channelData: data) == .subscribe(channel: channel, member: nil))
        }
        let harness = FrontHarness()
        #expect(harness.subscribe(channel, auth: harness.auth(channel, data)).error?.code == 4009)
        #expect(harness.subscribe(channel, auth: harness.auth(channel, data + " "), channelData: data).error?.code == 4009)
        let presence = harness.subscribe("presence-x", auth: harness.auth("presence-x"), channelData: data)
        #expect(presence.error?.code == 4009)
        #expect(harness.front.subscriptions.isEmpty)
    }

    @Test("To the server an encrypted channel is a private one")
    func encrypted() {
        let harness = FrontHarness()
        #expect(harness.subscribe("private-encrypted-x").error?.code == 4009)
        #expect(harness.join("private-encrypted-x") == .subscribe(channel: "private-encrypted-x", member: nil))
    }

    @Test(
        "Presence needs a usable member",
        arguments: [
            nil, "", "null", "[]", "{}", #"{"user_id":null}"#, #"{"user_id":""}"#, #"{"user_id":{"a":1}}"#, "not json",
            #"{"user_id":"\#(String(repeating: "u", count: 129))"}"#,
            #"{"user_id":"u","user_info":"\#(String(repeating: "i", count: 1024))"}"#,
        ])
    func badMember(channelData: String?) {
        let harness = FrontHarness()
        #expect(harness.join("presence-x", channelData: channelData).error != nil)
        #expect(harness.front.subscriptions.isEmpty)
    }

    @Test("What the hub refuses is not subscribed")
    func hubRefuses() {
        let harness = FrontHarness()
        _ = harness.join("presence-x", channelData: #"{"user_id":"u"}"#)
        let answer = PusherAction.reply(harness.front.refused("presence-x", .tooManyMembers(limit: 100)))
        #expect(answer.error?.message.contains("100") == true)
        #expect(harness.front.subscriptions.isEmpty)
    }

    @Test("A second subscription is an error, also before the first is confirmed")
    func existing() {
        let harness = FrontHarness()
        _ = harness.subscribe("room")
        #expect(harness.subscribe("room").error?.message.hasPrefix("Existing subscription to channel room") == true)
        #expect(harness.front.subscriptions.count == 1)
    }

    @Test("Unsubscribing names what was there, and is silent for what was not")
    func unsubscribe() {
        let harness = FrontHarness()
        _ = harness.join("presence-x", channelData: #"{"user_id":7}"#)
        let ended = harness.send(PusherClientFrames.unsubscribe(channel: "presence-x"))
        #expect(ended == .unsubscribe(PusherFront.Subscription(channel: "presence-x", userID: "7")))
        #expect(harness.send(PusherClientFrames.unsubscribe(channel: "presence-x")) == .none)
    }

    @Test("A connection has a limited number of channels")
    func channelLimit() {
        let harness = FrontHarness()
        harness.application.limits.channelsPerConnection = 2
        _ = harness.subscribe("a")
        _ = harness.subscribe("b")
        #expect(harness.subscribe("c").error != nil)
        _ = harness.send(PusherClientFrames.unsubscribe(channel: "a"))
        #expect(harness.subscribe("c") == .subscribe(channel: "c", member: nil))
    }

    @Test(
        "Names with other characters, too long, or reserved are refused",
        arguments: [
            "", "with space", "a:b", "ünïcode", "a/b", "#", "#server-to-user-ann", "#other", String(repeating: "a", count: 165),
            "private-" + String(repeating: "a", count: 157),
        ])
    func badNames(name: String) {
        let harness = FrontHarness()
        #expect(harness.join(name).error != nil)
        #expect(harness.front.subscriptions.isEmpty)
    }

    @Test("A channel name has 164 bytes, or as many as the application says; a user's channel has room for the user's id (SP-63)")
    func nameLength() {
        let harness = FrontHarness()
        let name = String(repeating: "a", count: 164)
        #expect(harness.subscribe(name) == .subscribe(channel: name, member: nil))
        #expect(harness.join("private-" + name.dropFirst(8)).error == nil)
        #expect(harness.subscribe(name + "a").error?.message.hasPrefix("Invalid channel name") == true)
        harness.application.limits.channelNameBytes = 300
        let longer = String(repeating: "a", count: 300)
        #expect(harness.subscribe(longer) == .subscribe(channel: longer, member: nil))
        #expect(harness.subscribe(longer + "a").error != nil)
        harness.application.limits.channelNameBytes = 10
        let user = String(repeating: "é", count: 64)
        _ = harness.signIn(#"{"id":"\#(user)"}"#)
        #expect(harness.subscribe("#server-to-user-" + user) == .subscribe(channel: "#server-to-user-" + user, member: nil))
    }

    @Test("A signed-in user has a channel and can join presence channels without channel data")
    func signedIn() {
        let harness = FrontHarness()
        let userData = #"{"id":"ann","user_info":{"name":"Ann"}}"#
        let signIn = VerifiedSignIn(user: PusherFront.User(id: "ann", info: #"{"name":"Ann"}"#))
        #expect(harness.signIn(userData) == .signIn(signIn, answers: [PusherFrames.signinSuccess(userData: userData)]))
        #expect(harness.subscribe("#server-to-user-ann") == .subscribe(channel: "#server-to-user-ann", member: nil))
        #expect(harness.subscribe("#server-to-user-bob").error?.code == 4009)
        #expect(
            harness.join("presence-x")
                == .subscribe(channel: "presence-x", member: PresenceMember(userID: "ann", info: #"{"name":"Ann"}"#)))
    }

    @Test("Signing in is limited in number and in the size of what is kept (SP-65)")
    func signInLimits() {
        let harness = FrontHarness()
        let info = #"{"n":"\#(String(repeating: "i", count: 1024 - 8))"}"#
        let longer = info.dropLast(2) + "i\"}"
        #expect(harness.signIn(#"{"id":"ann","user_info":\#(longer)}"#).error?.message.contains("1024") == true)
        #expect(harness.front.user == nil)
        #expect(harness.signIn(#"{"id":"ann","user_info":\#(info)}"#).error == nil)
        #expect(harness.front.user?.info == info)
        for _ in 0..<20 { #expect(harness.send(PusherClientFrames.signin(auth: "x", userData: "{}")).error?.code == 4009) }
        for _ in 0..<8 { #expect(harness.signIn(#"{"id":"ann"}"#).error == nil) }
        #expect(harness.signIn(#"{"id":"ann"}"#).error?.message.contains("too often") == true)
        harness.now = .seconds(1)
        #expect(harness.signIn(#"{"id":"ann"}"#).error == nil)
        #expect(harness.signIn(#"{"id":"ann"}"#).error?.message.contains("too often") == true)
    }

    @Test("A forged sign-in, one without an id, and another user's are refused")
    func badSignIn() {
        let harness = FrontHarness()
        #expect(harness.send(PusherClientFrames.signin(auth: "app-key:00", userData: #"{"id":"ann"}"#)).error?.code == 4009)
        for data in ["{}", "[]", #"{"id":5}"#, #"{"id":""}"#] { #expect(harness.signIn(data).error?.code == 4009) }
        #expect(harness.front.user == nil)
        _ = harness.signIn(#"{"id":"ann"}"#)
        #expect(harness.signIn(#"{"id":"bob"}"#).error?.code == 4009)
        #expect(harness.front.user?.id == "ann")
    }
}
