import ServerValues

/// What one event loop has counted since the start, for all services. Used on that event loop only; other threads use copies.
package struct LoopFigures: Sendable {
    /// A close code or error code that a service has sent. There are few different codes.
    package struct Code: Hashable, Sendable {
        package var service: ServiceName
        package var code: Int
    }

    package var applications = ApplicationTallies()
    /// The number of refused WebSockets, by close code.
    package private(set) var refusals: [Code: Int] = [:]
    /// The number of WebSockets that the server closed, including refused ones, by close code.
    package private(set) var closures: [Code: Int] = [:]
    /// The number of errors that were sent to clients whose connections stayed open, by error code; code 0 counts errors without a code.
    package private(set) var errors: [Code: Int] = [:]
    package var requests = RequestTally()
    /// The times from the beginning of a request to its answer, without long polls.
    package var requestTimes = RequestTimes()
    /// How often a publisher was delayed because the queues of event loops were full.
    package var held = 0
    /// For each service, the time from the first message queued for the event loop until all messages queued with it were written
    /// to the sockets.
    package private(set) var fanOut: [ServiceName: LatencyHistogram] = [:]
    /// The time that the event loop took to return these figures; set only in copies.
    package var delay = Duration.zero

    package init() {}

    package mutating func refuse(_ service: ServiceName, _ code: Int) {
        refusals[Code(service: service, code: code), default: 0] += 1
    }

    package mutating func close(_ service: ServiceName, _ code: Int) {
        closures[Code(service: service, code: code), default: 0] += 1
    }

    package mutating func observeFanOut(_ service: ServiceName, since start: MonotonicInstant, at now: MonotonicInstant) {
        fanOut[service, default: LatencyHistogram()].observe(nanoseconds: now.nanoseconds - start.nanoseconds)
    }

    package mutating func err(_ service: ServiceName, _ code: Int?) {
        errors[Code(service: service, code: code ?? 0), default: 0] += 1
    }

    package mutating func add(_ other: LoopFigures) {
        applications.add(other.applications)
        refusals.merge(other.refusals, uniquingKeysWith: +)
        closures.merge(other.closures, uniquingKeysWith: +)
        errors.merge(other.errors, uniquingKeysWith: +)
        requests.add(other.requests)
        requestTimes.add(other.requestTimes)
        for (service, times) in other.fanOut { fanOut[service, default: LatencyHistogram()].add(times) }
        held += other.held
    }
}
