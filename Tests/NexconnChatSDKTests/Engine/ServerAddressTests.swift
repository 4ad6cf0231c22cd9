import ChatProtocol
import EngineRuntime
import Foundation
import Testing

@testable import NexconnChatSDK

/// How `naviServer` is read (rules NC-2 and NC-53).
@Suite struct ServerAddressTests {
    @Test(arguments: [
        ("http://127.0.0.1:6001", "127.0.0.1", 6001, false, "/nexconn/v1"),
        ("ws://chat.example.com", "chat.example.com", 80, false, "/nexconn/v1"),
        ("https://chat.example.com/", "chat.example.com", 443, true, "/nexconn/v1"),
        ("wss://chat.example.com:8443/behind/proxy/", "chat.example.com", 8443, true, "/behind/proxy/nexconn/v1"),
        ("wss://chat.example.com/nexconn/v1", "chat.example.com", 443, true, "/nexconn/v1"),
        ("localhost:7000", "localhost", 7000, false, "/nexconn/v1"),
        (" chat.example.com ", "chat.example.com", 443, true, "/nexconn/v1"),
        ("chat.example.com:6001/behind", "chat.example.com", 6001, true, "/behind/nexconn/v1"),
        ("192.0.2.7:6001", "192.0.2.7", 6001, true, "/nexconn/v1"),
        ("localhost.example.com", "localhost.example.com", 443, true, "/nexconn/v1"),
        ("localhost", "localhost", 6001, false, "/nexconn/v1"), ("[::1]", "::1", 6001, false, "/nexconn/v1"),
        ("127.0.0.1:7000", "127.0.0.1", 7000, false, "/nexconn/v1"),
        ("[2001:db8::1]:6001", "2001:db8::1", 6001, true, "/nexconn/v1"),
        ("http://[::1]:6001", "::1", 6001, false, "/nexconn/v1"),
        ("HTTPS://Chat.example.com", "Chat.example.com", 443, true, "/nexconn/v1"),
    ])
    func `addresses are read`(text: String, host: String, port: Int, tls: Bool, path: String) throws {
        let address = try ServerAddress(text)
        #expect(address.host == host && address.port == port && address.usesTLS == tls && address.path == path)
    }

    @Test(arguments: [
        nil, "", "  ", "ftp://example.com", "http://", "http://:80", "http://example.com:0", "http://example.com:70000",
    ])
    func `what is none is refused with a sentence that helps`(text: String?) {
        let error = #expect(throws: NCError.self) { try ServerAddress(text) }
        #expect(error?.code == 33003 && error?.localizedDescription.contains("naviServer") == true)
        #expect(error?.localizedDescription.contains("http://127.0.0.1:6001") == true)
    }

    @Test func `a retry policy replaces the pauses of the SDK (NC-55)`() throws {
        let params = InitParams(appKey: "k")
        #expect(EngineSettings(params).policy == NCTiming.standard.policy)
        params.retryPolicy = try RetryPolicy(base: .seconds(3), cap: .seconds(9), limit: 4)
        let policy = EngineSettings(params).policy
        #expect(policy.maximumRetries == 4 && policy.cap == .seconds(9))
        #expect(policy.chosen == params.retryPolicy && policy.overrides == NCTiming.standard.policy.overrides)
    }

    @Test func `the liveness changes when a dead link is noticed, and nothing else (NC-66)`() {
        let params = InitParams(appKey: "k")
        params.liveness = .prompt
        var expected = NCTiming.standard.policy
        expected.timing = expected.timing.watching(.prompt)
        #expect(EngineSettings(params).policy == expected && expected != NCTiming.standard.policy)
    }

    @Test func `the paths reach the transport (NC-67)`() {
        let params = InitParams(appKey: "k")
        #expect(params.networkPaths == .all)
        params.networkPaths = NetworkPaths(allowsCellular: false)
        let settings = EngineSettings(params)
        #expect(settings.transport(settings.policy).paths == NetworkPaths(allowsCellular: false))
    }

    @Test(arguments: [true, false])
    func `App Nap is kept away only if the app says so (NC-68)`(isWanted: Bool) {
        let params = InitParams(appKey: "k")
        #expect(!params.preventsAppNap)
        params.preventsAppNap = isWanted
        let settings = EngineSettings(params)
        let memory = ChatMemory(
            host: "h", port: 1, usesTLS: true, appKey: "k", token: "t", device: ChatDevice(id: "d", system: "Linux"))
        let driver = ChatEngineAssembly.live.makeDriver(settings, memory, settings.policy)
        #expect((driver.observer is ActivityObserver) == isWanted)
    }

    @Test func `pins reach the transport, and what is none ends connect with a sentence (NC-57)`() throws {
        let params = InitParams(appKey: "k")
        params.naviServer = "https://example.com"
        params.certificatePins = ["sha256/" + String(repeating: "A", count: 43) + "="]
        let settings = EngineSettings(params)
        #expect(settings.transport(settings.policy).pins == settings.pins && settings.pins != nil)
        params.certificatePins.append("no-pin")
        let error = #expect(throws: NCError.self) { _ = try EngineSettings(params).server.get() }
        #expect(error?.code == 33003 && error?.localizedDescription.contains("no-pin") == true)
    }

    @Test func `settings are a copy`() {
        let params = InitParams(appKey: "k")
        params.logLevel = .verbose
        params.databaseDirectory = "/tmp/somewhere"
        let settings = EngineSettings(params)
        params.naviServer = "http://example.com"
        #expect(settings.logger.logLevel == .trace && settings.directory.path == "/tmp/somewhere")
        if case .success = settings.server { Issue.record("The address was set later.") }
        #expect("\(NCProxy(host: "h", port: 1, user: "me", password: "secret"))" == "NCProxy(h:1)")
    }
}
