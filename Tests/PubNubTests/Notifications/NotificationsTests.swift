import Foundation
import Testing

@testable import PubNub

/// Payloads for push notifications, for all vendors at once (rule PL-82).
struct NotificationsTests {
    private func text(_ value: Any?) throws -> String {
        let data = try JSONSerialization.data(
            withJSONObject: try #require(value), options: [.sortedKeys, .withoutEscapingSlashes])
        return String(decoding: data, as: UTF8.self)
    }

    @Test func `one notification is written for each vendor`() throws {
        let payloads = PNNotificationsPayload.payloads(withNotificationTitle: "T", body: "B")
        payloads.subtitle = "S"
        payloads.badge = 3
        payloads.sound = "ping"
        payloads.fcm.icon = "i"
        payloads.apns.payload["own"] = 1
        let all = payloads.dictionaryRepresentation(for: [.PNAPNSPush, .PNFCMPush, .PNMPNSPush])
        #expect(all.count == 3)
        #expect(
            try text(all["pn_apns"])
                == #"{"aps":{"alert":{"body":"B","subtitle":"S","title":"T"},"badge":3,"sound":"ping"},"own":1}"#)
        #expect(try text(all["pn_gcm"]) == #"{"notification":{"body":"B","icon":"i","sound":"ping","title":"T"}}"#)
        #expect(try text(all["pn_mpns"]) == #"{"back_content":"B","back_title":"S","count":3,"title":"T","type":"flip"}"#)
    }

    @Test func `Apple's newer service is told to whom`() throws {
        let payloads = PNNotificationsPayload.payloads(withNotificationTitle: nil, body: "B")
        let target = PNAPNSNotificationTarget(forTopic: "app", in: .production, withExcludedDevices: [Data([0, 0xAB])])
        payloads.apns.configurations = [
            PNAPNSNotificationConfiguration(
                collapseID: "c", expirationDate: Date(timeIntervalSince1970: 0), targets: [target])
        ]
        payloads.debugging = true
        let all = payloads.dictionaryRepresentation(for: .PNAPNS2Push)
        #expect(all["pn_debug"] as? Bool == true)
        #expect(
            try text(all["pn_apns"])
                == #"{"aps":{"alert":{"body":"B"}},"pn_push":[{"auth_method":"token","collapse_id":"c","#
                + #""expiration":"1970-01-01T00:00:00Z","targets":[{"environment":"production","excluded_devices":["00ab"],"#
                + #""topic":"app"}],"version":"v2"}]}"#)
    }

    @Test func `silent notifications show nothing`() throws {
        let payloads = PNNotificationsPayload.payloads(withNotificationTitle: "T", body: nil)
        payloads.apns.isSilent = true
        payloads.fcm.isSilent = true
        let all = payloads.dictionaryRepresentation(for: [.PNAPNSPush, .PNFCMPush])
        #expect(try text(all["pn_apns"]) == #"{"aps":{"content-available":1}}"#)
        #expect(try text(all["pn_gcm"]) == #"{"data":{"notification":{"title":"T"}}}"#)
    }

    @Test func `nothing to say is no payload`() {
        let payloads = PNNotificationsPayload.payloads(withNotificationTitle: nil, body: nil)
        payloads.debugging = true
        #expect(payloads.dictionaryRepresentation(for: [.PNAPNSPush, .PNFCMPush, .PNMPNSPush]).isEmpty)
    }
}
