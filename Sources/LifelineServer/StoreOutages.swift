import Logging
import NIOConcurrencyHelpers
import NIOCore
import ServerRuntime
import ServerValues

/// Decides which outages of stores are logged: the start and the end of each outage, at most one outage of a service per minute (rule
/// SO-172).
struct StoreOutages: Hashable, Sendable {
    enum Change: Hashable, Sendable {
        case began(cause: String)
        case ended
    }

    /// Outages that begin within this time after the last logged outage are not logged.
    static let pause = Duration.seconds(60)

    private var mentioned: Set<ServiceName> = []
    private var last: [ServiceName: MonotonicInstant] = [:]

    /// - Parameter cause: why the store of the service cannot be used; nil while it can be used.
    /// - Returns: the change to log; nil for none.
    mutating func note(_ cause: String?, of service: ServiceName, at now: MonotonicInstant) -> Change? {
        guard let cause else { return mentioned.remove(service) == nil ? nil : .ended }
        guard !mentioned.contains(service) else { return nil }
        if let last = last[service], now.since(last) < Self.pause { return nil }
        mentioned.insert(service)
        last[service] = now
        return .began(cause: cause)
    }
}

extension ServerParts {
    /// Checks the stores once a second and logs their outages, until the returned task is cancelled.
    func watchStores(on eventLoop: any EventLoop, _ logger: Logger, _ clock: ServerClock) -> RepeatedTask {
        let outages = NIOLockedValueBox(StoreOutages())
        return eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { [states] _ in
            for (service, state) in states {
                let cause = state.outage
                switch outages.withLockedValue({ $0.note(cause, of: service, at: clock.monotonic()) }) {
                case .began(let cause):
                    logger.warning(
                        "the store cannot be used: requests that have to store something are refused",
                        metadata: ["service": "\(service.rawValue)", "cause": "\(logText(cause.utf8, limit: 400))"])
                case .ended: logger.notice("the store can be used again", metadata: ["service": "\(service.rawValue)"])
                case nil: break
                }
            }
        }
    }
}
