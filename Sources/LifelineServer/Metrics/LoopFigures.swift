import RealtimeHub

/// What one event loop has counted since the start. Touched on that loop only, until it is copied for whoever asks.
struct LoopFigures: Sendable {
    /// Why connections were refused: few of each service.
    struct Refusal: Hashable, Sendable {
        var service: MetricNames.Service
        var code: Int
    }

    var applications = ApplicationTallies()
    var refusals: [Refusal: Int] = [:]
    /// Errors told to Pusher's clients whose connections went on, by code; 0 for those without one.
    var errors: [Int: Int] = [:]
    var requests = RequestTally()
    /// Publishers that were held back.
    var held = 0
    /// From the first message queued for the loop until everything queued with it was handed to the sockets.
    var fanOut = LatencyHistogram()
    /// Only in copies: how long the loop took to answer.
    var delay = Duration.zero
    /// Only in copies: PubNub polls that the loop holds.
    var heldPolls: [MetricSlot: Int] = [:]

    mutating func refuse(_ service: MetricNames.Service, _ code: Int) {
        refusals[Refusal(service: service, code: code), default: 0] += 1
    }

    mutating func add(_ other: LoopFigures) {
        applications.add(other.applications)
        refusals.merge(other.refusals, uniquingKeysWith: +)
        errors.merge(other.errors, uniquingKeysWith: +)
        requests.add(other.requests)
        fanOut.add(other.fanOut)
        heldPolls.merge(other.heldPolls, uniquingKeysWith: +)
        held += other.held
    }
}
