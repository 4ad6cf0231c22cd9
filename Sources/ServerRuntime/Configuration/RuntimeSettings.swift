import Logging
import ServerValues

/// The settings of a server that concern every service. Sizes are in bytes.
package struct RuntimeSettings: Sendable {
    package var host: String
    /// The port; 0 selects a free one.
    package var port: Int
    package var usesTLS = false
    package var pathPrefix = ""
    package var trustsProxyHeaders = false
    package var corsOrigins: [String] = ["*"]
    package var reusesPort = false
    package var requestTimeout = Duration.seconds(10)
    package var keepAliveTimeout = Duration.seconds(75)
    package var messageTimeout = Duration.seconds(10)
    package var closeTimeout = Duration.seconds(3)
    package var publishTimeout = Duration.seconds(3)
    package var sweepInterval = Duration.seconds(1)
    package var maximumConnections = 100_000
    package var maximumConnectionsPerAddress = 2_000
    package var connectionRatePerAddress = 200
    package var limitsLoopback = false
    package var maximumRequestBytes = 262_144
    /// The largest number of frames in one WebSocket message.
    package var maximumFragments = 64
    package var maximumPendingBytes = 1 << 20
    package var maximumQueuedBytes = 16 << 20
    /// Whether any service of the server (``ServerFront``) needs the header fields of every request, even of plain requests
    /// (``PlainRequestHead``).
    package var readsAllFields = false
    /// Whether the runtime answers `/metrics` when no service (``ServerFront``) owns this path.
    package var tellsMetrics = true
    /// How many ended connections each event loop stores, so that the console can list them.
    package var endedConnectionsKept = 0
    /// Whether a new connection replaces the connection that has been idle for the longest time when the limit of connections is reached.
    package var replacesIdleConnections = false
    /// The number of file descriptors that are kept open in reserve. They are closed to accept connections when the process has no other
    /// descriptors left.
    package var reservedDescriptors = 0
    /// The server's version, which `/metrics` shows as a label.
    package var version = ""
    package var clock: ServerClock
    package var logger: Logger

    package init(host: String, port: Int, clock: ServerClock, logger: Logger) {
        self.host = host
        self.port = port
        self.clock = clock
        self.logger = logger
    }
}
