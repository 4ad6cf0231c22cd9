import ConnectionEngine
import EngineRuntime
import EngineTesting
import Foundation
import PubNubProtocol
import Testing

@testable import PubNub

/// From a configuration to what the session and the engine are told (rules PK-14 to PK-16).
struct SettingsTests {
    private var values = ConfigurationValues(publishKey: "p", subscribeKey: "s", uuid: "me", deviceID: "d")

    @Test func `every setting of the subscription reaches the session`() {
        var values = values
        values.subscribeMaximumIdleTime = 100
        values.nonSubscribeRequestTimeout = 3
        values.presenceHeartbeatValue = 60
        values.presenceHeartbeatInterval = 29
        values.suppressLeaveEvents = true
        values.managePresenceListManually = true
        values.keepTimeTokenOnListChange = false
        values.restoreSubscription = false
        values.catchUpOnSubscriptionRestore = false
        values.requestMessageCountThreshold = 50
        values.maximumMessagesCacheSize = 7
        let options = values.options
        #expect(options.pollTimeout == .seconds(100) && options.requestTimeout == .seconds(3))
        #expect(options.heartbeatValue == 60 && options.heartbeatInterval == 29)
        #expect(options.suppressesLeave && options.managesPresenceManually)
        #expect(!options.keepsTimetokenOnListChange && !options.restoresSubscription && !options.catchesUpOnRestore)
        #expect(options.messageCountThreshold == 50 && options.dedupCapacity == 7)
    }

    @Test(arguments: [Double.nan, -1, 0, .infinity]) func `times that make no sense become ones that do`(seconds: Double) {
        var values = values
        values.subscribeMaximumIdleTime = seconds
        values.nonSubscribeRequestTimeout = seconds
        let limits = Duration.milliseconds(1)...Duration.seconds(86_400)
        #expect(limits.contains(values.options.pollTimeout) && limits.contains(values.requestTimeout))
    }

    @Test func `the retry policy reaches the engine`() {
        var values = values
        #expect(values.policy(seed: 1).retriesAutomatically && values.policy(seed: 1).maximumRetries == nil)
        values.retryPolicy = PNRetryPolicy(isEnabled: false, maximumRetries: -3, maximumDelay: 0)
        let policy = values.policy(seed: 1)
        #expect(!policy.retriesAutomatically && policy.maximumRetries == 0 && policy.cap == .milliseconds(100))
        values.timing = .fast
        #expect(values.policy(seed: 1).timing == .fast)
    }

    @Test func `Rule PK-67: pauses of the application's own replace those of the session, and limits count before them`() throws {
        var values = values
        values.retryPolicy.pauses = try RetryPolicy(base: .seconds(3), cap: .seconds(9), jitter: .none, limit: 4)
        var random = SeededRandom(seed: 1)
        let schedule = values.policy(seed: 1).schedule(for: ConnectionFailure(.networkUnavailable, ""))
        #expect(schedule.pause(afterFailures: 2, wasConnected: true, using: &random) == .seconds(6))
        #expect(values.policy(seed: 1).maximumRetries == 4)
        values.retryPolicy.maximumRetries = 2
        values.retryPolicy.maximumDelay = 1
        let policy = values.policy(seed: 1)
        #expect(policy.maximumRetries == 2 && policy.cap == .seconds(1))
        #expect(policy.schedule(for: ConnectionFailure(.timeout, "")).cap == .seconds(1))
        values.restoreSubscription = false
        #expect(values.policy(seed: 1).schedule(for: ConnectionFailure(.timeout, "")) == .never)
    }

    @Test func `requests carry keys, user and device, and the proxy's password is never shown`() {
        var values = values
        values.authKey = "token"
        values.secretKey = "secret"
        let settings = values.settings(instanceID: "i")
        #expect(settings.publishKey == "p" && settings.subscribeKey == "s" && settings.userID == "me")
        #expect(settings.auth == "token" && settings.secretKey == "secret" && settings.deviceID == "d")
        #expect(settings.sdk.hasPrefix("PubNub-ObjC-") && settings.sdk.hasSuffix("/4.17.0"))
        let proxy = PNProxy(host: "proxy", port: 8080, user: "u", password: "hidden")
        #expect(!"\(proxy)".contains("hidden") && !String(reflecting: proxy).contains("hidden"))
    }

    @Test func `Rule PK-64: how soon a silent poll is asked again reaches the session`() {
        let table: [(TimeInterval?, Duration?)] = [
            (nil, nil), (0, .zero), (-1, .zero), (.nan, .zero), (45, .seconds(45)), (.infinity, .seconds(86_400)),
        ]
        for (seconds, renewal) in table {
            var values = values
            values.subscribeRenewalInterval = seconds
            #expect(values.options.pollRenewal == renewal)
        }
    }

    @Test func `Rule PK-84: the liveness reaches polls, calls and sockets`() {
        var values = values
        values.liveness = .frugal
        #expect(values.policy(seed: 1).timing.renewal == .zero && values.options.pollRenewal == nil)
        #expect(values.transport.liveness.total > 120)
        values.liveness = .prompt
        #expect(values.policy(seed: 1).timing.renewal == .seconds(20) && values.transport.liveness.total <= 12)
    }

    @Test func `Rule PK-85: the paths reach polls, calls, and calls to other hosts`() {
        let configuration = PNConfiguration(publishKey: "p", subscribeKey: "s")
        #expect(configuration.networkPaths == .all)
        configuration.networkPaths = NetworkPaths(allowsExpensive: false)
        configuration.certificatePins = ["sha256/" + String(repeating: "A", count: 43) + "="]
        let values = configuration.values
        #expect(!values.transport.paths.allowsExpensive && values.transport.paths.allowsCellular)
        let calls = LiveCalls(values)
        #expect(calls.caller !== calls.elsewhere)
        #expect(calls.caller.paths == values.networkPaths && calls.elsewhere.paths == values.networkPaths)
    }

    @Test(arguments: [true, false])
    func `Rule PK-86: App Nap is kept away only if the app says so`(isWanted: Bool) {
        var values = values
        #expect(!values.preventsAppNap)
        values.preventsAppNap = isWanted
        let driver = PubNubEngineAssembly.driver(
            values, values.settings(instanceID: "i"),
            transport: RefusingTransport<PubNubSession>(ConnectionFailure(.badRequest, "")),
            timers: ManualTimers())
        #expect((driver.observer is ActivityObserver) == isWanted)
    }

    @Test func `Rule PK-65: time and bytes of an answer are the timing's, unless they are chosen`() {
        var values = values
        #expect(values.transport.answerTimeout == .seconds(30) && values.transport.bodyLimit == 8 << 20)
        #expect(values.transport.liveness.total == 24)
        values.timing = .fast
        #expect(values.transport.answerTimeout == .seconds(5) && values.transport.bodyLimit == 4 << 20)
        #expect(values.transport.liveness.total == 3)
        values.messageTimeout = 7
        values.maximumAnswerSize = 10_000
        #expect(values.transport.answerTimeout == .seconds(7) && values.transport.bodyLimit == 10_000)
        values.messageTimeout = .nan
        values.maximumAnswerSize = .max
        #expect(values.transport.bodyLimit == 16 << 20)
        values.maximumAnswerSize = .min
        #expect(values.transport.answerTimeout == .milliseconds(100) && values.transport.bodyLimit == 1 << 10)
    }
}
