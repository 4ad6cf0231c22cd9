import PusherProtocol
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("What a webhook's request looks like (SW-1 to SW-7)")
struct PusherWebhookRequestTests {
    private func request(_ change: (inout Webhook) -> Void = { _ in }) -> PusherWebhookRequest {
        var webhook = Webhook(url: "http://localhost/hook")
        change(&webhook)
        return PusherWebhookRequest(webhook, key: "278d425bdf160c739803", secret: "7ad3773142a6692b25b8")
    }

    private func event(_ news: ChannelWebhookEvent) -> WebhookEvent {
        WebhookEvent(topic: "", key: news.channel, body: news.body)
    }

    // Proof of H7.
    @Test("Body and signature are those of Pusher's documentation")
    func vector() {
        let call = request().call([event(ChannelWebhookEvent(.occupied, on: "test_channel"))], at: 1_327_078_148_132)
        #expect(
            String(decoding: call.body, as: UTF8.self)
                == #"{"time_ms":1327078148132,"events":[{"name":"channel_occupied","channel":"test_channel"}]}"#)
        let fields = Dictionary(uniqueKeysWithValues: call.headers.map { ($0.name, $0.value) })
        #expect(fields["X-Pusher-Signature"] == "709fdb84c03664445f7698120b0edf0acc1ab1c8c6e93a0368c61841d6b998aa")
        #expect(fields["X-Pusher-Key"] == "278d425bdf160c739803")
        // Hazard 7: exactly so, without a charset.
        #expect(fields["Content-Type"] == "application/json")
        #expect(fields["User-Agent"] == "lifeline-webhooks")
        #expect(call.method == "POST")
        #expect(call.url == "http://localhost/hook")
    }

    static let sender = SocketID(high: 12, low: 34)

    @Test(
        "Each event has its fields",
        arguments: [
            (ChannelWebhookEvent.Kind.vacated, #"{"name":"channel_vacated","channel":"presence-x"}"#),
            (.memberAdded(user: "ann \"a\""), #"{"name":"member_added","channel":"presence-x","user_id":"ann \"a\""}"#),
            (.memberRemoved(user: "7"), #"{"name":"member_removed","channel":"presence-x","user_id":"7"}"#),
            (.cacheMiss, #"{"name":"cache_miss","channel":"presence-x"}"#),
            (.subscriptionCount(12), #"{"name":"subscription_count","channel":"presence-x","subscription_count":12}"#),
            (
                .clientEvent(
                    PusherClientEvent(name: "client-e", channel: "presence-x", data: #"{"a":1}"#, userID: "ann"), sender: sender),
                #"{"name":"client_event","channel":"presence-x","event":"client-e","data":"{\"a\":1}","#
                    + #""socket_id":"12.34","user_id":"ann"}"#
            ),
            (
                .clientEvent(
                    PusherClientEvent(name: "client-e", channel: "presence-x", data: "text", userID: nil), sender: sender),
                #"{"name":"client_event","channel":"presence-x","event":"client-e","data":"text","socket_id":"12.34"}"#
            ),
        ])
    func bodies(kind: ChannelWebhookEvent.Kind, json: String) {
        #expect(String(decoding: ChannelWebhookEvent(kind, on: "presence-x").body, as: UTF8.self) == json)
    }

    @Test("Several events share one body and one signature")
    func batch() throws {
        let call = request().call(
            [event(ChannelWebhookEvent(.occupied, on: "a")), event(ChannelWebhookEvent(.vacated, on: "b"))], at: 5)
        let body = try JSONValue(parsing: call.body)
        #expect(body["time_ms"]?.integer == 5)
        #expect(body["events"]?.array?.compactMap { $0["name"]?.string } == ["channel_occupied", "channel_vacated"])
        let signature = try #require(call.headers.first { $0.name == "X-Pusher-Signature" }?.value)
        #expect(PusherSignature.isValid(webhookSignature: signature, body: call.body, secret: "7ad3773142a6692b25b8"))
    }

    @Test("An application's own header fields are added, but say nothing about the request itself")
    func headers() {
        let call = request { webhook in
            webhook.headers = [
                "Authorization": "Bearer abc", "x-pusher-signature": "forged", "CONTENT-TYPE": "text/plain",

                "Content-Length": "1",
                "Transfer-Encoding": "chunked", "Host": "elsewhere", "X-Bad": "a\r\nX-Injected: b", "Bad Name": "x", "": "y",
                "X-Tab": "a\tb", "X-Nul": "a\0b",
            ]
        }.call([], at: 0)
        #expect(
            call.headers.map(\.name) == [
                "Content-Type", "User-Agent", "X-Pusher-Key", "X-Pusher-Signature", "Authorization", "X-Tab",
            ])
    }

    @Test(
        "A receiver is told what it wants to hear of",
        arguments: [
            (nil, nil, true), ("room", nil, true), ("rooms", nil, false), (nil, "-1", true), (nil, "-2", false),
            ("room", "-1", true), ("room", "-2", false), ("", "", true), ("room-1", "room-1", true), ("room-11", nil, false),
        ] as [(String?, String?, Bool)])
    func filter(prefix: String?, suffix: String?, isWanted: Bool) {
        let webhook = Webhook(
            url: "", events: [.channelOccupied, .cacheMiss], channelPrefix: prefix, channelSuffix: suffix)
        #expect(webhook.wants(.channelOccupied, on: "room-1") == isWanted)
        #expect(webhook.wants(.cacheMiss, on: "room-1") == isWanted)
        for other in Webhook.Event.allCases where other != .channelOccupied && other != .cacheMiss {
            #expect(!webhook.wants(other, on: "room-1"))
        }
        #expect(webhook.wants(either: .channelVacated, or: .channelOccupied, on: "room-1") == isWanted)
        #expect(!webhook.wants(either: .clientEvent, or: nil, on: "room-1"))
    }
}
