import ConnectionEngine
import EngineRuntime
import Foundation
import Logging
import TransportCommon

/// The application's settings: an immutable copy of ``InitParams``.
struct EngineSettings: Sendable {
    var appKey: String
    /// The address of the server, or the error if the address is invalid.
    var server: Result<ServerAddress, NCError>
    var directory: URL
    var backgroundGrace: TimeInterval?
    var certificateAuthorityFile: String?
    /// The pins of public keys; nil to accept any key.
    var pins: CertificatePins?
    var clientCertificate: ClientCertificate?
    var proxy: NCProxy?
    var timing: NCTiming
    var liveness: Liveness
    var networkPaths: NetworkPaths
    var preventsAppNap: Bool
    var messageTimeout: Duration?
    var maximumMessageSize: Int?
    var retryPolicy: RetryPolicy?
    var callbackQueue: CallbackQueue?
    /// The log level. Copies of these settings share it, so ``setLogLevel(_:)`` changes the level of all copies.
    private let threshold: LogThreshold
    var logger: Logger
    var metrics: ClientMetrics?

    init(_ params: InitParams) {
        appKey = params.appKey
        let address = params.naviServer
        let pins = Result { () throws(NCError) in try Self.pins(params.certificatePins) }
        // Invalid pins have the same effect as an invalid address: `connect` fails without a connection (rule NC-57).
        server = Result { () throws(NCError) in
            _ = try pins.get()
            return try ServerAddress(address)
        }
        self.pins = (try? pins.get()) ?? nil
        clientCertificate = params.clientCertificate
        directory = params.databaseDirectory.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? Self.defaultDirectory
        certificateAuthorityFile = params.certificateAuthorityFile
        proxy = params.proxy
        timing = params.timing
        liveness = params.liveness
        networkPaths = params.networkPaths
        preventsAppNap = params.preventsAppNap
        messageTimeout = params.messageTimeout.map { $0.isNaN ? .zero : .seconds(min(max($0, 0), 86_400)) }
        maximumMessageSize = params.maximumMessageSize
        metrics = params.metrics
        retryPolicy = params.retryPolicy
        backgroundGrace = params.backgroundGrace
        callbackQueue = params.callbackQueue.map { .queue($0) }
        threshold = LogThreshold(params.logLevel)
        logger = threshold.logger(over: params.logger ?? Logger(label: "lifeline.nexconn"))
    }

    private static func pins(_ texts: [String]) throws(NCError) -> CertificatePins? {
        if texts.isEmpty { return nil }
        do throws(CertificatePins.Malformed) {
            return try CertificatePins(texts)
        } catch {
            throw NCError(.badArgument, reason: "InitParams.certificatePins: \(error)")
        }
    }

    /// How long an application may be in the background before its connection is closed; nil for no limit (rules NC-16 and NC-65).
    var backgroundLimit: Duration? {
        guard let backgroundGrace else { return timing.backgroundLimit }
        if backgroundGrace.isNaN { return .zero }
        return backgroundGrace == .infinity ? nil : .seconds(min(max(backgroundGrace, 0), 86_400))
    }

    /// The time limits and retry pauses of the connection.
    var policy: ConnectionPolicy {
        var policy = timing.policy
        policy.timing = policy.timing.watching(liveness)
        return policy.retrying(retryPolicy)
    }

    func setLogLevel(_ level: LogLevel) {
        threshold.level = level
    }

    /// The folder `nexconn` of ``ApplicationFolder``.
    private static var defaultDirectory: URL {
        ApplicationFolder.url("nexconn")
            ?? FileManager.default.temporaryDirectory.appendingPathComponent("lifeline/nexconn", isDirectory: true)
    }
}
