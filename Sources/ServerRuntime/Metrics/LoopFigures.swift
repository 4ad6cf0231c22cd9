import ServerValues

/// The counts of one event loop since the start, for all services. Used on that loop only, until it is copied.
package struct LoopFigures: Sendable {
    /// A code that a service has sent: there are few of each.
    package struct Code: Hashable, Sendable {
        package var service: ServiceName
        package var code: Int
    }

    package var applications = ApplicationTallies()
    /// Why connections were refused.
    package private(set) var refusals: [Code: Int] = [:]
    /// With which codes the server ended connections, refusals included.
    package private(set) var closures: [Code: Int] = [:]
    /// Errors that were sent to clients whose connections continued; 0 for those without a code.
    package private(set) var errors: [Code: Int] = [:]
    package var requests = RequestTally()
    /// How long requests took to be answered, polls that were held left out.
    package var requestTimes = RequestTimes()
    /// Publishers that were held back.
    package var held = 0
    /// For each service, from the first message queued for the loop until everything queued with it was handed to the sockets.
    package private(set) var fanOut: [ServiceName: LatencyHistogram] = [:]
    /// Only in copies: how long the loop took to answer.
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
