import ConnectionEngine
import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Notifies the service manager, which has started this process, of the state of the server (rules PI-20 to PI-25).
///
/// Without the variable `NOTIFY_SOCKET` every notice is dropped. A notice that cannot be sent causes a warning in the log and has no other
/// effect.
struct ServiceSupervisor: Sendable {
    /// Sends a datagram; returns the problem, if any.
    private let send: (@Sendable (String) -> NotifyProblem?)?
    private let logger: Logger
    /// How often the service manager expects a sign of life; nil when it expects none.
    let watchdogInterval: Duration?

    /// - Parameters:
    ///   - environment: the variables of the process: `NOTIFY_SOCKET`, `WATCHDOG_USEC`, `WATCHDOG_PID`.
    ///   - process: the id of this process. A watchdog for a process with another id is ignored.
    init(environment: [String: String], process: pid_t = getpid(), logger: Logger) {
        var socket: NotifySocket?
        if let value = environment["NOTIFY_SOCKET"], !value.isEmpty {
            do throws(NotifyProblem) {
                socket = NotifySocket(address: try NotifyAddress(value))
            } catch {
                logger.warning("the service manager cannot be notified", metadata: ["error": "\(error)"])
            }
        }
        let interval = socket == nil ? nil : Self.interval(environment, process)
        self.init(watchdogInterval: interval, logger: logger, send: socket?.attempt)
    }

    init(watchdogInterval: Duration?, logger: Logger, send: (@Sendable (String) -> NotifyProblem?)?) {
        (self.watchdogInterval, self.logger, self.send) = (watchdogInterval, logger, send)
    }

    func notify(_ notice: SupervisorNotice) {
        guard let problem = send?(notice.text) else { return }
        logger.warning("the service manager could not be notified", metadata: ["error": "\(problem)"])
    }

    /// Notifies the service manager that a reload begins now.
    func notifyReloading() { notify(.reloading(monotonicNanoseconds: Moment.now.nanoseconds)) }

    private static func interval(_ environment: [String: String], _ process: pid_t) -> Duration? {
        guard let microseconds = environment["WATCHDOG_USEC"].flatMap(Int64.init), microseconds > 0 else { return nil }
        if let id = environment["WATCHDOG_PID"], pid_t(id) != process { return nil }
        return .microseconds(microseconds)
    }
}
