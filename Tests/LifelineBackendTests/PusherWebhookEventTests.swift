import Testing
import WireCoding

@testable import LifelineBackend

@Suite("BK-6: events of webhooks")
struct PusherWebhookEventTests {
    @Test(
        "Each event has its fields",
        arguments: [
            (#"{"name":"channel_vacated","channel":"a"}"#, .channelVacated(channel: "a")),
            (#"{"name":"cache_miss","channel":"cache-a"}"#, .cacheMiss(channel: "cache-a")),
            (
                #"{"name":"member_added","channel":"presence-a","user_id":"ann"}"#,
                .memberAdded(channel: "presence-a", userID: "ann")
            ),
            (
                #"{"name":"member_removed","channel":"presence-a","user_id":7}"#,
                .memberRemoved(channel: "presence-a", userID: "7")
            ),
            (
                #"{"name":"client_event","channel":"private-a","event":"client-e","data":"{}","socket_id":"1.2"}"#,
                .clientEvent(channel: "private-a", event: "client-e", data: "{}", socketID: "1.2", userID: nil)
            ),
            (#"{"name":"subscription_count","channel":"a","subscription_count":3}"#, .subscriptionCount(channel: "a", count: 3)),
            (#"{"name":"later","channel":"a"}"#, .other(name: "later", json: #"{"name":"later","channel":"a"}"#)),
        ] as [(String, PusherWebhookEvent)])
    func events(_ json: String, _ event: PusherWebhookEvent) throws {
        #expect(PusherWebhookEvent(try JSONText(json)) == event)
    }

    @Test(
        "An event without its fields is left out",
        arguments: [
            #"{"channel":"a"}"#, #"{"name":"member_added","channel":"a"}"#, #"{"name":"client_event","channel":"a"}"#,
            #"{"name":"member_removed","channel":"a"}"#, #"{"name":"subscription_count","channel":"a"}"#,
        ])
    func damaged(_ json: String) throws {
        #expect(PusherWebhookEvent(try JSONText(json)) == nil)
    }
}
