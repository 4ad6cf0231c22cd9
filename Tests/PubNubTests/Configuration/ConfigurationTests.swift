import ConnectionEngine
import Foundation
import Testing

@testable import PubNub

/// Defaults and setters (rules PK-10 to PK-16).
struct ConfigurationTests {
    private let configuration = PNConfiguration(
        publishKey: "pub", subscribeKey: "sub", identities: IdentityStore(directory: nil))

    @Test func `the defaults are the Cocoa SDK's`() {
        #expect(configuration.origin == "ps.pndsn.com")
        #expect(configuration.publishKey == "pub" && configuration.subscribeKey == "sub")
        #expect(configuration.authKey == nil && configuration.cipherKey == nil)
        #expect(configuration.subscribeMaximumIdleTime == 310)
        #expect(configuration.nonSubscribeRequestTimeout == 10)
        #expect(configuration.presenceHeartbeatValue == 0 && configuration.presenceHeartbeatInterval == 0)
        #expect(configuration.heartbeatNotificationOptions == .notifyFailure)
        #expect(!configuration.suppressLeaveEvents && !configuration.managePresenceListManually)
        #expect(configuration.TLSEnabled && configuration.keepTimeTokenOnListChange)
        #expect(configuration.restoreSubscription && configuration.catchUpOnSubscriptionRestore)
        #expect(configuration.requestMessageCountThreshold == 0)
        #expect(configuration.maximumMessagesCacheSize == 100)
        #expect(configuration.completeRequestsBeforeSuspension)
        #expect(configuration.shouldUseRandomInitializationVector)
        #expect(configuration.fileMessagePublishRetryLimit == 5)
        #expect(configuration.uuid.hasPrefix("pn-"))
        #expect(configuration.timing == .standard && configuration.retryPolicy == .standard)
        #expect(configuration.secretKey == nil && configuration.certificateAuthorityFile == nil)
    }

    @Test(arguments: [(5, 20, 9), (20, 20, 9), (61, 61, 29), (300, 300, 149), (1000, 300, 149)])
    func `the presence timeout is clamped and sets the interval`(value: Int, kept: Int, interval: Int) {
        configuration.presenceHeartbeatValue = value
        #expect(configuration.presenceHeartbeatValue == kept)
        #expect(configuration.presenceHeartbeatInterval == interval)
    }

    @Test func `an empty user id is not taken`() {
        configuration.uuid = "me"
        configuration.uuid = ""
        #expect(configuration.uuid == "me")
    }

    @Test(arguments: [
        ("ps.pndsn.com", true, HTTPEndpoint(host: "ps.pndsn.com", port: 443, usesTLS: true)),
        ("ps.pndsn.com", false, HTTPEndpoint(host: "ps.pndsn.com", port: 80, usesTLS: false)),
        ("127.0.0.1:6001", false, HTTPEndpoint(host: "127.0.0.1", port: 6001, usesTLS: false)),
        ("[::1]:6001", true, HTTPEndpoint(host: "::1", port: 6001, usesTLS: true)),
        ("[::1]", true, HTTPEndpoint(host: "::1", port: 443, usesTLS: true)),
        ("::1", true, HTTPEndpoint(host: "::1", port: 443, usesTLS: true)),
        ("http://localhost:90/", false, HTTPEndpoint(host: "localhost", port: 90, usesTLS: false)),
    ])
    func `the origin may have a port`(origin: String, usesTLS: Bool, endpoint: HTTPEndpoint) {
        configuration.origin = origin
        configuration.TLSEnabled = usesTLS
        #expect(configuration.values.endpoint == endpoint)
    }

    /// Rule PK-66.
    @Test(arguments: [
        ("ps.pndsn.com", HTTPEndpoint(host: "ps.pndsn.com", port: 443, usesTLS: true)),
        ("192.0.2.7:6001", HTTPEndpoint(host: "192.0.2.7", port: 6001, usesTLS: true)),
        ("localhost.example.com", HTTPEndpoint(host: "localhost.example.com", port: 443, usesTLS: true)),
        ("127.8.0.1:6001", HTTPEndpoint(host: "127.8.0.1", port: 6001, usesTLS: false)),
        ("localhost", HTTPEndpoint(host: "localhost", port: 80, usesTLS: false)),
        ("[::1]:6001", HTTPEndpoint(host: "::1", port: 6001, usesTLS: false)),
        ("https://127.0.0.1:6001/", HTTPEndpoint(host: "127.0.0.1", port: 6001, usesTLS: true)),
        ("HTTP://ps.pndsn.com", HTTPEndpoint(host: "ps.pndsn.com", port: 80, usesTLS: false)),
    ])
    func `an origin that says nothing about TLS has it, unless it is this machine`(origin: String, endpoint: HTTPEndpoint) {
        configuration.origin = origin
        #expect(configuration.values.endpoint == endpoint)
        #expect(configuration.TLSEnabled == endpoint.usesTLS)
        for chosen in [true, false] {
            configuration.TLSEnabled = chosen
            #expect(configuration.values.endpoint.usesTLS == chosen && configuration.TLSEnabled == chosen)
        }
    }

    @Test func `a scheme is no part of the host that results name`() {
        configuration.origin = "https://example.com:8443/"
        #expect(configuration.values.resultContext.origin == "example.com:8443")
        let url = configuration.values.fileURL(id: "id", name: "a", channel: "room")
        #expect(url?.absoluteString.hasPrefix("https://example.com:8443/v1/files/") == true)
    }

    @Test func `a client keeps a copy, and gives out copies`() {
        configuration.origin = "127.0.0.1:1"
        let client = PubNub.clientWithConfiguration(configuration)
        configuration.authKey = "later"
        client.currentConfiguration().uuid = "another"
        #expect(client.currentConfiguration().authKey == nil)
        #expect(client.uuid() == configuration.uuid)
        #expect(PubNub.information().version == "4.17.0")
    }
}

/// Ids that survive the program (rule PK-12).
struct IdentityStoreTests {
    private let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("identities-\(UUID().uuidString)", isDirectory: true)

    @Test func `a user id is made once for each publish key`() {
        defer { try? FileManager.default.removeItem(at: directory) }
        let first = IdentityStore(directory: directory)
        let later = IdentityStore(directory: directory)
        #expect(first.userID(publishKey: "a") == later.userID(publishKey: "a"))
        #expect(first.userID(publishKey: "a") != first.userID(publishKey: "b"))
        #expect(first.deviceID == later.deviceID)
    }

    @Test func `two that begin at once agree`() async {
        defer { try? FileManager.default.removeItem(at: directory) }
        let ids = await withTaskGroup(of: String.self) { group in
            for _ in 0..<16 { group.addTask { IdentityStore(directory: directory).userID(publishKey: "a") } }
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(ids.count == 1)
    }

    @Test(arguments: ["", "/proc/nowhere/at/all"]) func `what cannot be kept holds for the process`(path: String) {
        let store = IdentityStore(directory: path.isEmpty ? nil : URL(fileURLWithPath: path, isDirectory: true))
        let id = store.userID(publishKey: "a")
        #expect(id.hasPrefix("pn-"))
        #expect(store.userID(publishKey: "a") == id)
    }

    @Test func `no key is written`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        _ = IdentityStore(directory: directory).userID(publishKey: "pub-c-secretive")
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(names.count == 1)
        #expect(!names[0].contains("secretive"))
    }
}
