import Foundation
import NIOConcurrencyHelpers
import PusherSwift
import Testing

extension AuthMethod: Equatable {
    // As apps do; proves that the library leaves room for it.
    public static func == (left: AuthMethod, right: AuthMethod) -> Bool {
        switch (left, right) {
        case (.noMethod, .noMethod): true
        case (.inline(let left), .inline(let right)): left == right
        case (.endpoint(let left), .endpoint(let right)): left == right
        case (.authRequestBuilder, .authRequestBuilder), (.authorizer, .authorizer): true
        default: false
        }
    }
}

/// Reads the options when it is released, as an app's object may.
private final class ReadingAuthorizer: NSObject, Authorizer {
    let options: PusherClientOptions
    let gone: NIOLockedValueBox<Bool>

    init(_ options: PusherClientOptions, _ gone: NIOLockedValueBox<Bool>) {
        self.options = options
        self.gone = gone
    }

    deinit {
        let isReplaced = options.authMethod == .noMethod
        gone.withLockedValue { $0 = isReplaced }
    }

    func fetchAuthValue(
        socketID: String, channelName: String, completionHandler: @escaping @Sendable (PusherAuth?) -> Void
    ) {
        completionHandler(nil)
    }
}

struct OptionsTests {
    @Test func `an authorizer may read the options when it is replaced`() {
        let options = PusherClientOptions()
        let gone = NIOLockedValueBox(false)
        options.authMethod = .authorizer(authorizer: ReadingAuthorizer(options, gone))
        options.authMethod = .noMethod
        #expect(gone.withLockedValue { $0 })
    }

    // Proof of U2.
    @Test func `defaults are those of PusherSwift`() {
        let options = PusherClientOptions()
        #expect(options.authMethod == .noMethod)
        #expect(options.attemptToReturnJSONObject && options.autoReconnect && options.useTLS)
        #expect(options.host == "ws.pusherapp.com" && options.port == 443)
        #expect(options.path == nil && options.activityTimeout == nil)
        #expect(options.timing == .standard && options.certificateAuthorityFile == nil)
    }

    @Test(arguments: [(true, 443), (false, 80)])
    func `the port follows from TLS`(useTLS: Bool, port: Int) {
        #expect(PusherClientOptions(useTLS: useTLS).port == port)
    }

    // Proof of U2.
    @Test func `what is given is kept`() {
        let options = PusherClientOptions(
            authMethod: .inline(secret: "secret"), attemptToReturnJSONObject: false, autoReconnect: false,
            host: .host("test.test.test"), port: 123, path: "/a", useTLS: false, activityTimeout: 123)
        #expect(options.authMethod == .inline(secret: "secret"))
        #expect(!options.attemptToReturnJSONObject && !options.autoReconnect && !options.useTLS)
        #expect(options.host == "test.test.test" && options.port == 123 && options.path == "/a")
        #expect(options.activityTimeout == 123)
        options.authMethod = .endpoint(authEndpoint: "http://localhost:3030")
        #expect(options.authMethod == .endpoint(authEndpoint: "http://localhost:3030"))
    }

    // Proof of U2.
    @Test func `a cluster has a host of its own`() {
        #expect(PusherClientOptions(host: .cluster("eu")).host == "ws-eu.pusher.com")
        #expect(PusherHost.defaultHost.stringValue == "ws.pusherapp.com")
    }

    @Test(arguments: [
        ("my-channel", PusherChannelType.normal), ("private-a", .private), ("private-encrypted-a", .private),
        ("presence-a", .presence), ("presence", .presence), ("privateer", .normal), ("", .normal), ("a-private-b", .normal),
        ("private-\u{301}a", .private), ("presence\u{600}-a", .normal), ("presence-\u{301}", .presence),
    ])
    func `a channel's name tells its kind`(name: String, type: PusherChannelType) {
        #expect(PusherChannelType(name: name) == type)
        #expect(PusherChannelType.type(forName: name) == type)
        #expect(PusherChannelType.isPresenceChannel(name: name) == (type == .presence))
    }
}
