import ConnectionEngine
import EngineRuntime
import NIOPosix
import NexconnProtocol
import TransportCommon
import WebSocketTransport

extension EngineAssembly {
    /// Real sockets, on the event loops that all clients of the process share.
    static let live = EngineAssembly(
        makeDriver: { settings, memory, policy in
            let transport = WebSocketTransport<NexconnSession>(
                decoder: { NexconnFrameDecoder() }, configuration: settings.transport(policy))
            return ConnectionDriver(
                transport: transport, jobs: NoJobs(), timers: EventLoopTimers(MultiThreadedEventLoopGroup.singleton.next()),
                policy: policy, memory: memory, observer: ActivityObserver(settings.preventsAppNap))
        },
        timers: EventLoopTimers(MultiThreadedEventLoopGroup.singleton.next()),
        observeNetwork: { host, report in NetworkMonitor.shared.observe(forHost: host, report) },
        intake: EventIntake())
}

extension EngineSettings {
    /// How the connection is made, and how much of a message it takes (rule NC-43).
    func transport(_ policy: ConnectionPolicy) -> WebSocketTransportConfiguration {
        var configuration = WebSocketTransportConfiguration(
            trustRoots: certificateAuthorityFile.map { .file($0) } ?? .system, pins: pins, certificate: clientCertificate,
            proxy: proxy.map { HTTPProxy($0) },
            messageTimeout: policy.messageTime(chosen: messageTimeout), liveness: SocketLiveness(policy.timing),
            paths: networkPaths)
        configuration.limitMessages(
            to: policy.messageBytes(chosen: maximumMessageSize, service: configuration.limits.messageBytes))
        return configuration
    }
}

/// A chat session needs no side work.
final class NoJobs: JobRunner {
    typealias Session = NexconnSession

    func start(_ job: Never, completion: @escaping @Sendable (Result<Never, ConnectionFailure>) -> Void) -> JobCancellation {}
}

extension NCTiming {
    var policy: ConnectionPolicy {
        switch self {
        case .standard: .nexconn()
        case .fast: .nexconn(timing: .fast)
        }
    }

    /// How long an application may be in the background before its link is given up (rule NC-16).
    var backgroundLimit: Duration {
        switch self {
        case .standard: .seconds(120)
        case .fast: .seconds(2)
        }
    }

    /// How often messages that wait without a link are checked, and how soon a failed write is repeated.
    var sweepPause: Duration {
        switch self {
        case .standard: .seconds(2)
        case .fast: .milliseconds(200)
        }
    }
}
