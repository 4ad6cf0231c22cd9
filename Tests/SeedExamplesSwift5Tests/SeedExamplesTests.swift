import Foundation
import PusherProtocol
import Testing

@testable import PusherSwift

/// Runs the README's examples without a server: what they set up, and what their callbacks do with an event.
///
/// `docs/rules/pusherswift.md` describes the examples. What they do with a server is in `PusherSwiftTests`.
struct SeedExamplesTests {
    private let pusher = Pusher(key: "APP_KEY")

    private func receive(_ name: String, data: String?, channel: String = "my-channel") {
        let message = PusherEnvelope(event: name, channel: channel, data: data)
        pusher.connection.handleEvent(event: PusherEvent(message))
    }

    @Test func `AuthMethod has the five cases of the README`() {
        let methods: [AuthMethod] = [
            .endpoint(authEndpoint: "http://a"), .inline(secret: "s"), .noMethod,
            .authorizer(authorizer: ConfigurationExamples.ImmediateAuthorizer()),
            .authRequestBuilder(authRequestBuilder: ConfigurationExamples.AuthRequestBuilder()),
        ]
        let names = methods.map(ConfigurationExamples.name(of:))
        #expect(names == ["endpoint http://a", "inline", "noMethod", "authorizer", "authRequestBuilder"])
    }

    @Test func `hosts are a cluster or a name`() {
        #expect(ConfigurationExamples.cluster().host == "ws-eu.pusher.com")
        #expect(ConfigurationExamples.host().host == "ws-test.pusher.com")
    }

    @Test func `options reach the client`() {
        let endpoint = ConfigurationExamples.endpoint().connection.options
        #expect(ConfigurationExamples.name(of: endpoint.authMethod) == "endpoint http://localhost:9292/pusher/auth")
        let builder = ConfigurationExamples.requestBuilder().connection.options
        #expect(ConfigurationExamples.name(of: builder.authMethod) == "authRequestBuilder")
    }

    @Test func `the other options and the classes for Objective-C reach the client as well`() {
        let options = OptionExamples.all()
        #expect(options.host == "ws-test.pusher.com" && options.port == 6001 && !options.useTLS && !options.autoReconnect)
        #expect(options.activityTimeout == 30 && !options.attemptToReturnJSONObject)
        #expect(ConfigurationExamples.name(of: options.authMethod) == "inline")
        let methods = OptionExamples.objectiveC().map { ConfigurationExamples.name(of: $0.authMethod) }
        #expect(methods == ["endpoint https://your.authendpoint/pusher/auth", "inline", "authRequestBuilder", "noMethod"])
        #expect(OptionExamples.objectiveC().map(\.host) == ["ws-eu.pusher.com"] + Array(repeating: "ws.pusherapp.com", count: 3))
    }

    @Test func `the request builder makes the request of the README`() throws {
        let request = try #require(
            ConfigurationExamples.AuthRequestBuilder().requestFor(socketID: "1.2", channelName: "private-a"))
        #expect(request.httpBody == Data("socket_id=1.2&channel_name=private-a".utf8))
        #expect(request.value(forHTTPHeaderField: "Authorization") == "myToken")
    }

    @Test func `connecting begins at once and ends at once`() {
        let pusher = ConnectionExamples.connect()
        #expect(pusher.connection.connectionState == .connecting)
        pusher.disconnect()
        #expect(pusher.connection.connectionState == .disconnected)
    }

    @Test func `the user data are the fetcher's`() {
        let member = ConnectionExamples.userData().connection.userDataFetcher?()
        #expect(member?.userId == "123")
        #expect(member?.userInfo as? [String: String] == ["twitter": "hamchapman"])
    }

    @Test func `a delegate may implement nothing or all`() {
        let controller = ConnectionExamples.ViewController()
        let pusher = controller.viewDidLoad()
        #expect(pusher.connection.delegate === controller)
        let delegate = ConnectionExamples.DummyDelegate()
        pusher.connection.delegate = delegate
        pusher.connection.handleError(error: PusherError(code: 4004, message: "Application is over connection quota"))
        #expect(delegate.heard == ["4004 Application is over connection quota"])
    }

    @Test func `states have the numbers and names of the README`() {
        for (state, number, name) in ConnectionExamples.states {
            #expect(state.rawValue == number)
            #expect(state.stringValue() == name)
        }
    }

    @Test func `the reconnection properties can be set`() {
        let connection = ConnectionExamples.reconnection().connection
        #expect(connection.reconnectAttemptsMax == nil)
        #expect(connection.maxReconnectGapInSeconds == 30)
        #expect(!connection.options.autoReconnect)
    }

    @Test func `every kind of channel is there as soon as it is subscribed to`() {
        let examples = SubscribingExamples(pusher: pusher)
        #expect(examples.publicChannel().type == .normal)
        #expect(examples.subscriptionCount() === examples.publicChannel())
        #expect(examples.privateChannel().type == .private)
        #expect(examples.encryptedChannel().name == "private-encrypted-my-channel")
        #expect(examples.presenceChannel().type == .presence)
        #expect(examples.presenceBySubscribe() === examples.presenceChannel())
        #expect(
            pusher.connection.channels.channels.keys.sorted() == [
                "my-channel", "presence-my-channel", "private-encrypted-my-channel", "private-my-channel",
            ])
    }

    @Test func `presence channels take callbacks both ways`() throws {
        let examples = SubscribingExamples(pusher: pusher)
        let channel = examples.memberCallbacks()
        #expect(channel.onMemberAdded != nil && channel.onMemberRemoved != nil)
        #expect(examples.memberCallbacksBySubscribe() === channel)
        #expect(examples.subscriptionSucceeded().eventHandlers["pusher:subscription_succeeded"]?.count == 1)
        #expect(examples.delegate() === channel)
    }

    @Test func `an event has what the README's table says, and a presence channel its members`() throws {
        let examples = OptionExamples.Reading(pusher: pusher)
        let channel = examples.bind()
        let message = PusherEnvelope(event: "client-moved", channel: "presence-channel", data: "{}", userID: "7")
        pusher.connection.handleEvent(event: PusherEvent(message))
        #expect(examples.read == ["client-moved presence-channel {} 7 client-moved"])
        channel.members = [PusherPresenceChannelMember(userId: "7", userInfo: ["name": "Bob"])]
        channel.myId = "7"
        #expect(examples.members(of: channel) == ["7", "7"])
    }

    @Test func `a delegate finds the presence channel without a label`() {
        let delegate = SubscribingExamples.DummyDelegate()
        delegate.pusher = pusher
        let channel = pusher.subscribeToPresenceChannel("presence-channel")
        delegate.subscribedToChannel(name: "presence-channel")
        #expect(delegate.found === channel)
        let found = SubscribingExamples(pusher: pusher).lookUps("presence-channel")
        #expect(found.allSatisfy { $0 === channel })
    }

    @Test func `authorisation can be brought along`() {
        let channel = SubscribingExamples(pusher: pusher).providedAuth(
            "presence-a", yourAuthString: "key:sig", yourOptionalChannelDataString: "{}")
        #expect(channel.auth?.auth == "key:sig")
        #expect(channel.auth?.channelData == "{}")
    }

    @Test func `callbacks get the data as text`() {
        var said: [String] = []
        let examples = BindingExamples(pusher: pusher) { said.append($0) }
        _ = examples.perChannel()
        receive("new-price", data: "12")
        pusher.connection.channels.find(name: "my-channel")?.unbindAll()
        examples.global()
        receive("anything", data: "13")
        #expect(said == ["12", "13"])
    }

    @Test func `callbacks of the old kind get the data as JSON values`() {
        var said: [String] = []
        let examples = BindingExamples(pusher: pusher) { said.append($0) }
        _ = examples.perChannelLegacy()
        examples.globalLegacy()
        receive("new-price", data: #"{"company":"ACME","price":"3"}"#)
        receive("comment", data: #"{"commenter":"Ann","message":"hi"}"#)
        #expect(said == ["ACME is now priced at 3", "Ann wrote hi"])
    }

    @Test func `callbacks of the old kind hear errors`() {
        var said: [String] = []
        BindingExamples(pusher: pusher) { said.append($0) }.errorsLegacy()
        pusher.connection.global.handleError(PusherError(code: nil, message: "Existing subscription to channel a"))
        #expect(said == ["Error message: Existing subscription to channel a"])
    }

    @Test func `event data can be decoded and parsed`() {
        var said: [String] = []
        let examples = BindingExamples(pusher: pusher) { said.append($0) }
        let channel = examples.decoder()
        receive("price-update", data: #"{"company":"ACME","price":3}"#)
        receive("price-update", data: "no JSON")
        receive("price-update", data: nil)
        channel.unbindAll()
        _ = examples.serialization()
        receive("price-update", data: #"{"company":"ACME","price":"4"}"#)
        #expect(
            said == [
                "ACME is now priced at 3", "Could not decode price update", "Could not convert JSON string to data",
                "ACME is now priced at 4",
            ])
    }

    @Test func `what is unbound is not called`() {
        var said: [String] = []
        let examples = BindingExamples(pusher: pusher) { said.append($0) }
        let channel = examples.unbind()
        receive("new-price", data: "1")
        examples.global()
        examples.unbindAll()
        receive("new-price", data: "2")
        #expect(said.isEmpty && channel.eventHandlers.isEmpty)
    }

    @Test func `a client event waits for its subscription`() {
        let channel = BindingExamples(pusher: pusher) { _ in }.trigger()
        #expect(channel.unsentEvents.map(\.name) == ["client-myEvent"])
    }
}
