import ChatProtocol
import ClientRuntime
import ConnectionEngine
import EngineRuntime
import TransportCommon
import WebSocketTransport

extension ChatEngineAssembly {
    static let live = on(.live)

    static func on(_ parts: ClientParts) -> ChatEngineAssembly {
        ChatEngineAssembly(
            makeDriver: { settings, memory, policy in
                let transport: any ClientTransport<ChatSession> = parts.webSocket(settings.transport(policy)) {
                    ChatFrameDecoder()
                }
                return parts.driver(
                    transport, jobs: NoJobs<ChatSession>(), policy: policy, memory: memory,
                    preventsAppNap: settings.preventsAppNap)
            },
            timers: parts.makeTimers(), observeNetwork: { parts.observeNetwork(of: $0, $1) }, intake: EventIntake())
    }
}

extension EngineSettings {
    /// The transport configuration of a connection, including the longest message (rule NC-43).
    func transport(_ policy: ConnectionPolicy) -> WebSocketTransportConfiguration {
        NetworkSettings(
            policy: policy, authorityFile: certificateAuthorityFile, pins: pins, certificate: clientCertificate,
            proxy: proxy.map { HTTPProxy(host: $0.host, port: $0.port, user: $0.user, password: $0.password) },
            paths: networkPaths, messageTimeout: messageTimeout, messageBytes: maximumMessageSize
        ).webSocket()
    }
}

extension NCTiming {
    var policy: ConnectionPolicy {
        switch self {
        case .standard: .chat()
        case .fast: .chat(timing: .fast)
        }
    }

    /// How long an application may be in the background before its connection is closed (rule NC-16).
    var backgroundLimit: Duration {
        switch self {
        case .standard: .seconds(120)
        case .fast: .seconds(2)
        }
    }

    /// The interval between checks of messages that wait without a connection, and the pause before a failed database write is repeated.
    var sweepPause: Duration {
        switch self {
        case .standard: .seconds(2)
        case .fast: .milliseconds(200)
        }
    }
}
