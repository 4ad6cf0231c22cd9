import Logging
import NIOConcurrencyHelpers
import NIOCore
import ServerRuntime
import ServerValues

/// Which outages of stores the log mentions: each when it begins and when it ends, at most one of a service in a minute (rule SO-172).
struct StoreOutages: Hashable, Sendable {
    enum Change: Hashable, Sendable {
        case began(cause: String)
        case ended
    }

    /// A shorter outage so soon after another one is not mentioned.
    static let pause = Duration.seconds(60)

    private var mentioned: Set<ServiceName> = []
    private var last: [ServiceName: MonotonicInstant] = [:]

    /// - Parameter cause: why the store of the service cannot be used; nil while it can.
    /// - Returns: what is to be logged.
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
    /// Checks the stores once a second and logs their outages, until the task is cancelled.
    func watchStores(on eventLoop: any EventLoop, _ logger: Logger, _ clock: ServerClock) -> RepeatedTask {
        let outages = NIOLockedValueBox(StoreOutages())
        return eventLoop.scheduleRepeatedTask(initialDelay: .seconds(1), delay: .seconds(1)) { [states] _ in
            for (service, state) in states {
                let cause = state.outage
                switch outages.withLockedValue({ $0.note(cause, of: service, at: clock.monotonic()) }) {
                case .began(let cause):
                    logger.warning(
                        "the store cannot be used, and what has to be stored is refused",
                        metadata: ["service": "\(service.rawValue)", "cause": "\(logText(cause.utf8, limit: 400))"])
                case .ended: logger.notice("the store can be used again", metadata: ["service": "\(service.rawValue)"])
                case nil: break
                }
            }
        }
    }
}
