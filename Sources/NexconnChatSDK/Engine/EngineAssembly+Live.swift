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
                decoder: { NexconnFrameDecoder() },
                configuration: WebSocketTransportConfiguration(
                    trustRoots: settings.certificateAuthorityFile.map { .file($0) } ?? .system,
                    proxy: settings.proxy.map { HTTPProxy($0) }))
            return ConnectionDriver(
                transport: transport, jobs: NoJobs(), timers: EventLoopTimers(MultiThreadedEventLoopGroup.singleton.next()),
                policy: policy, memory: memory, observer: settings.logger.map { LoggingObserver($0) })
        },
        timers: EventLoopTimers(MultiThreadedEventLoopGroup.singleton.next()),
        observeNetwork: { host, report in NetworkMonitor.shared.observe(forHost: host, report) },
        intake: EventIntake())
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

    /// How long an application may be in the background before its link is given up (nexconn.md, 2.4; rule NC-16).
    var backgroundLimit: Duration {
        switch self {
        case .standard: .seconds(120)
        case .fast: .seconds(2)
        }
    }

    /// How often messages that wait without a link are looked at, and how soon it is tried again to keep what could not be kept.
    var sweepPause: Duration {
        switch self {
        case .standard: .seconds(2)
        case .fast: .milliseconds(200)
        }
    }
}
