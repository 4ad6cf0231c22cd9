import Dispatch
import Foundation
import Testing

@testable import PubNub

/// Names and types of the Cocoa SDK's core as Swift code uses them: what compiles here compiled against 4.x.
struct CoreSurfaceTests {
    @Test func `methods of the client have the types of the Cocoa SDK`() {
        let client = Fixture().client
        let make: (PNConfiguration) -> PubNub = PubNub.clientWithConfiguration(_:)
        let makeOnQueue: (PNConfiguration, DispatchQueue?) -> PubNub = PubNub.clientWithConfiguration(_:callbackQueue:)
        let subscribe: ([String], Bool) -> Void = client.subscribeToChannels(_:withPresence:)
        let from: ([String], Bool, NSNumber?) -> Void = client.subscribeToChannels(_:withPresence:usingTimeToken:)
        let with: ([String], Bool, [String: Any]?) -> Void = client.subscribeToChannels(_:withPresence:clientState:)
        let both: ([String], Bool, NSNumber?, [String: Any]?) -> Void =
            client.subscribeToChannels(_:withPresence:usingTimeToken:clientState:)
        let groups: ([String], Bool) -> Void = client.subscribeToChannelGroups(_:withPresence:)
        let groupsFrom: ([String], Bool, NSNumber?) -> Void = client.subscribeToChannelGroups(_:withPresence:usingTimeToken:)
        let presence: ([String]) -> Void = client.subscribeToPresenceChannels(_:)
        let leave: ([String], Bool) -> Void = client.unsubscribeFromChannels(_:withPresence:)
        let leaveGroups: ([String], Bool) -> Void = client.unsubscribeFromChannelGroups(_:withPresence:)
        let leavePresence: ([String]) -> Void = client.unsubscribeFromPresenceChannels(_:)
        let all: () -> Void = client.unsubscribeFromAll
        let copy: (PNConfiguration, @escaping (PubNub) -> Void) -> Void = client.copyWithConfiguration(_:completion:)
        let add: (any PNEventsListener) -> Void = client.addListener(_:)
        let remove: (any PNEventsListener) -> Void = client.removeListener(_:)
        let isSubscribed: (String) -> Bool = client.isSubscribed(on:)
        let parse: (String) -> PNPAMToken? = client.parseAuthToken(_:)
        let set: (String) -> Void = client.setAuthToken(_:)
        let uses: [Any] = [
            make, makeOnQueue, subscribe, from, with, both, groups, groupsFrom, presence, leave, leaveGroups, leavePresence, all,
            copy, add, remove, isSubscribed, parse, set,
        ]
        #expect(uses.count == 19)
    }

    @Test func `raw values and names are those of 4-17`() {
        #expect(PNStatusCategory.PNTLSUntrustedCertificateCategory.rawValue == 17)
        #expect(PNStatusCategory.PNDownloadErrorCategory.rawValue == 20)
        #expect(PNOperationType.timeOperation.rawValue == 56 && PNOperationType.allCases.count == 57)
        #expect(PNOperationType.allCases.allSatisfy { !$0.text.isEmpty })
        #expect(PNHeartbeatNotificationOptions.notifyAll.rawValue == 3)
        #expect(PNHeartbeatNotificationOptions.notifyNone.rawValue == 4)
        #expect(PNPushType.PNMPNSPush.rawValue == 8 && PNAPNSEnvironment.production.rawValue == 1)
        #expect(PNHereNowVerbosityLevel.state.rawValue == 2)
        #expect(PNLogLevel.PNVerboseLogLevel.rawValue == 0b11_1111_1110)
        #expect(PNPAMPermission.CRUD.rawValue == 0b100_1011 && PNPAMPermission.all.rawValue == 0b1110_1111)
    }

    @Test func `what is no token reads as none`() {
        #expect(Fixture().client.parseAuthToken("no token") == nil)
    }

    @Test func `a token says what it allows`() throws {
        // As the service answers.
        let text =
            "qEF2AkF0GmEI03xDdHRsGDxDcmVzpURjaGFuoWljaGFubmVsLTEY70NncnChb2NoYW5uZWxfZ3JvdXAtMQVDdXNyoENzcGOgRHV1aWShZnV1aWQtMRhoQ3BhdKVEY2hhbqFtXmNoYW5uZWwtXFMqJBjvQ2dycKF0XjpjaGFubmVsX2dyb3VwLVxTKiQFQ3VzcqBDc3BjoER1dWlkoWpedXVpZC1cUyokGGhEbWV0YaBEdXVpZHR0ZXN0LWF1dGhvcml6ZWQtdXVpZENzaWdYIPpU-vCe9rkpYs87YUrFNWkyNq8CVvmKwEjVinnDrJJc"
        let token = try #require(Fixture().client.parseAuthToken(text))
        #expect(token.version == 2 && token.ttl == 60 && token.authorizedUUID == "test-authorized-uuid")
        #expect(token.resources.channels["channel-1"]?.value.contains([.read, .write, .join]) == true)
        #expect(token.patterns.uuids.count == 1 && token.signature.count == 32 && token.error == nil)
    }
}
