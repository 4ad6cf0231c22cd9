import Foundation
import Testing

@testable import PubNub

/// Devices and message actions by the Cocoa SDK's methods (rules PL-70 and PL-72).
struct PushAndActionTests {
    static let token = Data([0x00, 0xAB, 0xFF])
    static let ok = #"[1, "Modified Channels"]"#

    @Test func `each way to change notifications says what it was asked to say`() {
        let fixture = Fixture.answering(Self.ok)
        let client = fixture.client
        let heard = Heard<PNAcknowledgmentStatus>()
        func expect(_ line: String, _ operation: PNOperationType, _ change: () -> Void) {
            change()
            #expect(fixture.lastLine == "GET /" + line)
            #expect(heard.last?.operation == operation && heard.last?.category == .PNAcknowledgmentCategory)
        }
        let old = "v1/push/sub-key/sub/devices/00abff"
        let new = "v2/push/sub-key/sub/devices-apns2/00abff"
        expect(old + "?type=apns&add=a%2Cb", .addPushNotificationsOnChannelsOperation) {
            client.addPushNotificationsOnChannels(["a", "b"], withDevicePushToken: Self.token) { heard.add($0) }
        }
        expect("v1/push/sub-key/sub/devices/t?type=gcm&add=a", .addPushNotificationsOnChannelsOperation) {
            client.addPushNotificationsOnChannels(["a"], withDevicePushToken: "t", pushType: .PNFCMPush) { heard.add($0) }
        }
        expect(new + "?environment=production&topic=app&add=a", .addPushNotificationsOnChannelsV2Operation) {
            client.addPushNotificationsOnChannels(
                ["a"], withDevicePushToken: Self.token, pushType: .PNAPNS2Push, environment: .production, topic: "app"
            ) { heard.add($0) }
        }
        expect(old + "?type=apns&remove=a", .removePushNotificationsFromChannelsOperation) {
            client.removePushNotificationsFromChannels(["a"], withDevicePushToken: "00ABff", pushType: .PNAPNSPush) {
                heard.add($0)
            }
        }
        expect(old + "/remove?type=apns", .removeAllPushNotificationsOperation) {
            client.removeAllPushNotificationsFromDeviceWithPushToken(Self.token) { heard.add($0) }
        }
        expect(new + "/remove?environment=development&topic=app", .removeAllPushNotificationsV2Operation) {
            client.push().disable().token(Self.token).pushType(.PNAPNS2Push).topic("app").performWithCompletion { heard.add($0) }
        }
        expect(old + "?type=apns&add=a", .addPushNotificationsOnChannelsOperation) {
            client.push().enable().token(Self.token).channels(["a"]).performWithCompletion { heard.add($0) }
        }
    }

    @Test func `the channels of a device are a list`() throws {
        let fixture = Fixture.answering(#"["ch1","ch2"]"#)
        let heard = Outcomes<PNAPNSEnabledChannelsResult>()
        fixture.client.pushNotificationEnabledChannelsForDeviceWithPushToken(Self.token) { heard.add(($0, $1)) }
        #expect(heard.last?.result?.data.channels == ["ch1", "ch2"])
        fixture.client.push().audit().token("t").pushType(.PNMPNSPush).performWithCompletion { heard.add(($0, $1)) }
        #expect(fixture.lastLine == "GET /v1/push/sub-key/sub/devices/t?type=mpns")
    }

    @Test func `tokens of the wrong kind are refused`() {
        let fixture = Fixture.answering(Self.ok)
        let heard = Heard<PNAcknowledgmentStatus>()
        let client = fixture.client
        client.addPushNotificationsOnChannels(["a"], withDevicePushToken: 5, pushType: .PNAPNSPush) { heard.add($0) }
        client.addPushNotificationsOnChannels(["a"], withDevicePushToken: Self.token, pushType: .PNFCMPush) { heard.add($0) }
        client.addPushNotificationsOnChannels(["a"], withDevicePushToken: "t", pushType: [.PNFCMPush, .PNMPNSPush]) {
            heard.add($0)
        }
        client.push().enable().channels(["a"]).performWithCompletion { heard.add($0) }
        #expect(heard.count == 4 && heard.all.allSatisfy { $0.category == .PNBadRequestCategory })
        #expect(fixture.calls.sent.isEmpty)
    }

    static let action = #"{"type":"t","value":"v","uuid":"u","actionTimetoken":"15610547826970052","messageTimetoken":"7"}"#

    @Test func `actions are added, removed and fetched`() throws {
        let fixture = Fixture.answering(
            #"{"status":200,"data":\#(Self.action)}"#, #"{"status":200,"data":{}}"#,
            #"{"status":200,"data":[\#(Self.action)],"more":{"start":"5","limit":1}}"#)
        let added = Heard<PNAddMessageActionStatus>()
        let request = PNAddMessageActionRequest(channel: "c", messageTimetoken: 7)
        request.type = "t"
        request.value = "v"
        fixture.client.addMessageAction(with: request) { added.add($0) }
        let action = try #require(added.last?.data.action)
        #expect(action.actionTimetoken == 15_610_547_826_970_052 && action.messageTimetoken == 7 && action.uuid == "u")
        #expect(fixture.line() == "POST /v1/message-actions/sub/channel/c/message/7")
        #expect(fixture.calls.sent[0].body == Array(#"{"type":"t","value":"v"}"#.utf8))

        let removed = Heard<PNAcknowledgmentStatus>()
        fixture.client.removeMessageAction().channel("c").messageTimetoken(7).actionTimetoken(9).performWithCompletion {
            removed.add($0)
        }
        #expect(fixture.lastLine == "DELETE /v1/message-actions/sub/channel/c/message/7/action/9")
        #expect(removed.last?.operation == .removeMessageActionOperation)

        let fetched = Outcomes<PNFetchMessageActionsResult>()
        fixture.client.fetchMessageActions().channel("c").limit(1).performWithCompletion { fetched.add(($0, $1)) }
        #expect(fixture.lastLine == "GET /v1/message-actions/sub/channel/c?limit=1")
        let data = try #require(fetched.last?.result).data
        #expect(data.actions.map(\.value) == ["v"] && data.start == 5 && data.end == 0)
    }

    @Test func `an action that is already there is told in the service's words`() throws {
        let fixture = Fixture(
            calls: ScriptedCalls(
                .status(409, #"{"status": 409, "error": {"source": "actions", "message": "Action Already Added"}}"#)))
        let heard = Heard<PNAddMessageActionStatus>()
        fixture.client.addMessageAction().channel("c").messageTimetoken(7).type("t").value("v").performWithCompletion {
            heard.add($0)
        }
        let status = try #require(heard.last)
        #expect(status.isError && status.data.action == nil && status.statusCode == 409)
        #expect(status.errorData.information == "Action Already Added")
    }
}
