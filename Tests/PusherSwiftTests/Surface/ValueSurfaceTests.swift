import Foundation
import PusherSwift
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Options, events and the rest of PusherSwift's public values, used as an app does. See ``SurfaceTests``.
struct ValueSurfaceTests {
    final class Builder: NSObject, AuthRequestBuilderProtocol {
        func requestFor(socketID: String, channelName: String) -> URLRequest? { nil }
    }

    final class Vouching: NSObject, Authorizer {
        func fetchAuthValue(socketID: String, channelName: String, completionHandler: @escaping (PusherAuth?) -> Void) {
            completionHandler(PusherAuth(auth: "a", channelData: "d", sharedSecret: "s"))
        }
    }

    final class Everything: PusherDelegate {
        func debugLog(message: String) {}
        func changedConnectionState(from old: ConnectionState, to new: ConnectionState) {}
        func subscribedToChannel(name: String) {}
        func failedToSubscribeToChannel(name: String, response: URLResponse?, data: String?, error: NSError?) {}
        func failedToDecryptEvent(eventName: String, channelName: String, data: String?) {}
        func receivedError(error: PusherError) {}
    }

    final class Nothing: PusherDelegate {}

    // Proof of U2.
    @Test func `options have PusherSwift's properties and defaults`() {
        let options = PusherClientOptions()
        let _: (Bool, Bool, String, Int, String?, Bool, TimeInterval?) = (
            options.attemptToReturnJSONObject, options.autoReconnect, options.host, options.port, options.path,
            options.useTLS, options.activityTimeout
        )
        #expect(options.authMethod == .noMethod && options.host == "ws.pusherapp.com" && options.port == 443)
        options.authMethod = .endpoint(authEndpoint: "e")
        let all = PusherClientOptions(
            authMethod: .inline(secret: "s"), attemptToReturnJSONObject: false, autoReconnect: false, host: .cluster("eu"),
            port: 123, path: "/p", useTLS: false, activityTimeout: 5)
        #expect(all.authMethod == .inline(secret: "s") && all.host == "ws-eu.pusher.com" && all.path == "/p")
    }

    @Test func `what Objective-C uses can be used from Swift`() {
        let methods: [OCAuthMethod] = [
            OCAuthMethod(type: 4), OCAuthMethod(authEndpoint: "e"), OCAuthMethod(secret: "s"),
            OCAuthMethod(authRequestBuilder: Builder()), OCAuthMethod(authorizer: Vouching()),
        ]
        #expect(
            methods.map { AuthMethod.fromObjc(source: $0) } == [
                .noMethod, .endpoint(authEndpoint: "e"), .inline(secret: "s"),
                .authRequestBuilder(authRequestBuilder: Builder()), .authorizer(authorizer: Vouching()),
            ])
        #expect(AuthMethod.fromObjc(source: AuthMethod.inline(secret: "s").toObjc()) == .inline(secret: "s"))
        let short = PusherClientOptions(ocAuthMethod: OCAuthMethod(secret: "s"))
        let long = PusherClientOptions(
            ocAuthMethod: OCAuthMethod(secret: "s"), attemptToReturnJSONObject: false, autoReconnect: false,
            ocHost: OCPusherHost(cluster: "eu"), port: 123, useTLS: false, activityTimeout: 5)
        let middle = PusherClientOptions(
            ocAuthMethod: OCAuthMethod(), autoReconnect: true, ocHost: OCPusherHost(), port: nil, useTLS: true,
            activityTimeout: nil)
        #expect(short.authMethod == .inline(secret: "s") && short.host == "ws.pusherapp.com" && short.port == 443)
        #expect(long.host == "ws-eu.pusher.com" && long.port == 123 && long.activityTimeout == 5 && !long.autoReconnect)
        #expect(middle.authMethod == .noMethod && middle.port == 443)
        let least = PusherClientOptions(authMethod: OCAuthMethod(authEndpoint: "e"))
        least.setAuthMethod(authMethod: OCAuthMethod(secret: "t"))
        #expect(least.authMethod == .inline(secret: "t"))
    }

    @Test(arguments: ["eu", "mt1"])
    func `a cluster stays a cluster on its way to Objective-C and back`(name: String) {
        let once = PusherHost.fromObjc(source: PusherHost.cluster(name).toObjc())
        #expect(once.stringValue == "ws-\(name).pusher.com")
        #expect(PusherHost.fromObjc(source: once.toObjc()).stringValue == once.stringValue)
        #expect(PusherHost.fromObjc(source: OCPusherHost(host: "h")).stringValue == "h")
        #expect(PusherHost.defaultHost.stringValue == PusherHost.host("ws.pusherapp.com").stringValue)
    }

    @Test func `events and errors have PusherSwift's properties`() {
        let event: (PusherEvent) -> (String, String?, String?, String?, Any?, Any) = { event in
            (event.eventName, event.channelName, event.data, event.userId, event.property(withKey: "k"), event.copy(with: nil))
        }
        let error: (PusherError) -> (Int?, String, NSNumber?) = { ($0.code, $0.message, $0.codeOC) }
        let kinds: (PusherEvent) -> any NSCopying = { $0 }
        let queued: (QueuedClientEvent) -> (String, Any) = { ($0.name, $0.data) }
        _ = (event, error, kinds, queued)
        let auth = PusherAuth(auth: "a", channelData: "d", sharedSecret: "s")
        #expect((auth.auth, auth.channelData, auth.sharedSecret) == ("a", "d", "s"))
    }

    @Test(arguments: [
        ("a", PusherChannelType.normal), ("private-a", .private), ("private-encrypted-a", .private), ("presence-a", .presence),
        ("privates-a", .normal), ("", .normal),
    ])
    func `the kind of a channel is in its name`(name: String, type: PusherChannelType) {
        #expect(PusherChannelType(name: name) == type && PusherChannelType.type(forName: name) == type)
        #expect(PusherChannelType.isPresenceChannel(name: name) == (type == .presence))
    }

    @Test func `who authorises is an object, and can be held weakly`() {
        weak var authorizer: Authorizer?
        weak var builder: AuthRequestBuilderProtocol?
        let (vouching, own) = (Vouching(), Builder())
        (authorizer, builder) = (vouching, own)
        #expect(authorizer === vouching && builder === own)
    }

    @Test func `every method of a delegate may be left out`() {
        let delegates: [PusherDelegate] = [Everything(), Nothing()]
        #expect(delegates.count == 2 && ConnectionState.reconnecting.stringValue() == "reconnecting")
    }
}
