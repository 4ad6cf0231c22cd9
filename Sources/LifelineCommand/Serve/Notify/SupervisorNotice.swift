/// A state of the server, of which a service manager such as systemd is notified. Rules PI-20 to PI-23.
enum SupervisorNotice: Equatable, Sendable {
    /// The server accepts connections, after the start or after a reload.
    case ready(status: String)
    /// The configuration is being read again, since this moment of `CLOCK_MONOTONIC`.
    case reloading(monotonicNanoseconds: Int64)
    /// The server has begun to stop.
    case stopping
    /// All event loops have just run a task of the watchdog.
    case alive

    /// The text of the datagram: one assignment on each line.
    var text: String {
        switch self {
        case .ready(let status): "READY=1\nSTATUS=\(status.printable)"
        case .reloading(let nanoseconds):
            "RELOADING=1\nMONOTONIC_USEC=\(nanoseconds / 1000)\nSTATUS=Reading the configuration again."
        case .stopping: "STOPPING=1\nSTATUS=Stopping: clients are asked to connect again."
        case .alive: "WATCHDOG=1"
        }
    }
}
