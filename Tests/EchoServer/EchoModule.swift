import LifelineServer
import ServerCluster
import ServerRuntime

extension ServiceName {
    package static let echo = ServiceName(rawValue: "echo")
}

extension ClusterServiceID {
    package static let echo = ClusterServiceID(number: 100)
}

/// A protocol of its own: a text that is sent comes back, and a text for everybody reaches every connection of all servers.
///
/// This target and one entry of ``ServerConfiguration/services`` are all that a server needs for it (rules SV-61 and SO-142 to SO-145).
package struct EchoModule: ServiceModule {
    package init() {}

    package var name: ServiceName { .echo }
    package var section: (any ServiceSection)? { EchoSection() }

    package func open(_ opening: ServiceOpening) async throws -> any SharedServiceState {
        EchoState(backend: LocalEcho(EchoSettings(opening.configuration)))
    }

    package func join(_ joining: ServiceJoining) -> any SharedServiceState {
        joining.attach(EchoLeaderFactory(), .echo)
        return EchoState(backend: ClusterEcho(EchoSettings(joining.configuration), joining.bus))
    }
}

/// The settings of the echo.
package struct EchoSettings: Hashable, Sendable {
    /// What answers begin with.
    package var prefix = ""
    /// The largest body, in bytes.
    package var maximumBytes = 16

    package init() {}

    init(_ configuration: ServerConfiguration) {
        self = configuration.settings[.echo] as? EchoSettings ?? EchoSettings()
    }
}

/// The section `echo` of the configuration file.
private struct EchoSection: ServiceSection {
    let name = "echo"
    let unset = EchoSettings()
    let fields: [SectionField<EchoSettings>] = [
        .init("prefix", .text(\.prefix)), .init("maximumBytes", .integer(\.maximumBytes, 1...1_024)),
    ]
}

/// What the servers of a backend share.
struct EchoState: SharedServiceState {
    let backend: any EchoBackend

    func start(_ configuration: ServerConfiguration, _ context: ServerContext) async throws -> any RunningService {
        RunningEcho(echo: EchoFront(context, backend))
    }

    func prepare(_ settings: any Sendable) async throws -> ServiceChange {
        guard let settings = settings as? EchoSettings else { return {} }
        return { backend.take(settings) }
    }

    func write(to out: inout PrometheusText) {
        out.value("echo_told_total", .counter, help: "Texts for everybody, of all servers.", backend.total)
    }
}

/// The echo of one server.
struct RunningEcho: RunningService {
    let echo: EchoFront

    var front: any ServerFront { echo }
    var publishedElsewhere: Int { echo.told }

    func add(to statistics: inout ServerStatistics) {
        // The channel to everybody.
        statistics.channels += echo.connectionCount > 0 ? 1 : 0
    }
}
