import ConnectionEngine
import EngineRuntime
import Foundation
import Logging
import PubNubProtocol
import TransportCommon
import WireCoding

/// All settings of a ``PNConfiguration``, as a value.
struct ConfigurationValues: Hashable, Sendable {
    var origin = "ps.pndsn.com"
    var publishKey: String
    var subscribeKey: String
    var authKey: String?
    var uuid: String
    var cipherKey: String?
    var readingCipherKeys: [String] = []
    var deviceID: String
    var subscribeMaximumIdleTime: TimeInterval = 310
    var nonSubscribeRequestTimeout: TimeInterval = 10
    var presenceHeartbeatValue = 0
    var presenceHeartbeatInterval = 0
    var heartbeatNotificationOptions = PNHeartbeatNotificationOptions.notifyFailure
    var suppressLeaveEvents = false
    var managePresenceListManually = false
    /// The application's setting of `TLSEnabled`; nil while the application has not set it.
    var chosenTLS: Bool?
    var keepTimeTokenOnListChange = true
    var restoreSubscription = true
    var catchUpOnSubscriptionRestore = true
    var requestMessageCountThreshold: UInt = 0
    var maximumMessagesCacheSize: UInt = 100
    var completeRequestsBeforeSuspension = true
    var suspendsInBackground = true
    var backgroundGrace: TimeInterval? = 20
    var liveness = Liveness.balanced
    var networkPaths = NetworkPaths.all
    var preventsAppNap = false
    var sharedGroupIdentifier = ""
    var stripMobilePayload = true
    var usesRandomInitializationVector = true
    var fileMessagePublishRetryLimit: UInt = 5
    var fileMessageRetryPause = Duration.seconds(1)
    var timing = PNTiming.standard
    var retryPolicy = PNRetryPolicy.standard
    var secretKey: String?
    var certificateAuthorityFile: String?
    var certificatePins: [String] = []
    var clientCertificate: ClientCertificate?
    var proxy: PNProxy?
    var subscribeRenewalInterval: TimeInterval?
    var messageTimeout: TimeInterval?
    var maximumAnswerSize: Int?
    var logger = Uncompared<Logger?>(nil)
    var metrics = Uncompared<ClientMetrics?>(nil)
    /// The test double that replaces the service; nil outside of tests.
    var double: DoubleReference?

    init(publishKey: String, subscribeKey: String, uuid: String, deviceID: String) {
        self.publishKey = publishKey
        self.subscribeKey = subscribeKey
        self.uuid = uuid
        self.deviceID = deviceID
    }
}

extension ConfigurationValues {
    /// The part of `origin` without scheme and path: a host, or a host with a port. IPv6 addresses are in brackets.
    var authority: String {
        let start = origin.range(of: "://")?.upperBound ?? origin.startIndex
        return String(origin[start...].prefix { $0 != "/" })
    }

    /// Whether connections are encrypted. The application's setting has precedence, then the scheme of `origin`. Without both, connections
    /// are encrypted unless the host is this machine itself (rule PK-66).
    var usesTLS: Bool {
        if let chosenTLS { return chosenTLS }
        guard let scheme = origin.range(of: "://") else { return !Loopback.contains(host.name) }
        return origin[..<scheme.lowerBound].lowercased() != "http"
    }

    /// The host and port of `origin`, without brackets around IPv6 addresses. The port is nil when `origin` has none.
    private var host: (name: String, port: Int?) {
        let authority = authority
        var host = Substring(authority)
        var port: Int?
        if let colon = host.lastIndex(of: ":"), !host.hasSuffix("]"), host.hasPrefix("[") || host.firstIndex(of: ":") == colon {
            port = Int(host[host.index(after: colon)...])
            host = host[..<colon]
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        return (String(host), port)
    }

    /// The host and port of `origin`. Without a port, the default port of the scheme.
    var endpoint: HTTPEndpoint {
        let (host, usesTLS) = (host, usesTLS)
        return HTTPEndpoint(host: host.name, port: host.port ?? (usesTLS ? 443 : 80), usesTLS: usesTLS)
    }

    /// The settings from which every request's common parameters are made.
    func settings(instanceID: String?) -> PubNubSettings {
        PubNubSettings(
            endpoint: endpoint, publishKey: publishKey, subscribeKey: subscribeKey, secretKey: secretKey, userID: uuid,
            auth: authKey, sdk: PNClientInformation.sdk, instanceID: instanceID, deviceID: deviceID)
    }

    /// The address from which a shared file can be downloaded.
    func fileURL(id: String, name: String, channel: String) -> URL? {
        let parts = ["v1", "files", subscribeKey, "channels", channel, "files", id, name]
        let request = PubNubRequest(path: parts.map { PercentEncoding.encode($0) })
        let timestamp = secretKey == nil ? nil : Int(clamping: WallClock.unixTime)
        let target = request.target(settings(instanceID: nil), timestamp: timestamp)
        return URL(string: "\(usesTLS ? "https" : "http")://\(authority)\(target)")
    }

    var resultContext: ResultContext {
        ResultContext(userID: uuid, authKey: authKey, origin: authority, usesTLS: usesTLS)
    }

    /// The application's limit for the bytes of an answer; nil for the defaults. A limit above the length of PubNub's longest answer is
    /// reduced to this length.
    var chosenAnswerSize: Int? { maximumAnswerSize.map { min($0, PubNubLimits.answerBytes) } }

    var requestTimeout: Duration { .positive(seconds: nonSubscribeRequestTimeout) }
}

extension Duration {
    /// A duration of `seconds`, limited to the range from 1 ms to 1 day. Infinity becomes 1 day, and NaN becomes 1 ms.
    static func positive(seconds: Double) -> Duration {
        seconds.isNaN ? .milliseconds(1) : .seconds(min(max(seconds, 0.001), 86_400))
    }
}
