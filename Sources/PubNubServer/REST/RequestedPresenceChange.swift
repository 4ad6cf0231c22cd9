import Identifiers
import PubNubProtocol
import ServerRuntime

/// The presence change that a request makes on one or more channels: the same change on each of them.
struct RequestedPresenceChange: Sendable {
    typealias Step =
        @Sendable (
            PresencePlace, inout PubNubApplication.State, inout PendingNotifications
        ) -> OccupancyRefusal?

    let places: [PresencePlace]
    let answer: HTTPAnswer
    let step: Step

    /// Whether the change is divided into slices, so that other work can be done between them.
    var isLong: Bool { places.count > PresenceLimits.slice }

    /// Performs the change on all channels in one step.
    func perform(on application: PubNubApplication) -> HTTPAnswer {
        finish(perform(places.indices, on: application))
    }

    /// Performs the change in slices of channels. Between two slices the application's lock is free (rule PV-116).
    func performInSlices(on application: PubNubApplication) async -> HTTPAnswer {
        var refusal: OccupancyRefusal?
        for start in stride(from: 0, to: places.count, by: PresenceLimits.slice) {
            let end = min(start + PresenceLimits.slice, places.count)
            refusal = perform(start..<end, on: application) ?? refusal
            await Task.yield()
        }
        return finish(refusal)
    }

    private func perform(_ range: Range<Int>, on application: PubNubApplication) -> OccupancyRefusal? {
        application.change { state, pending in
            var refusal: OccupancyRefusal?
            for place in places[range] { refusal = step(place, &state, &pending) ?? refusal }
            return refusal
        }
    }

    private func finish(_ refusal: OccupancyRefusal?) -> HTTPAnswer {
        refusal.map { HTTPAnswer(PubNubErrorBody($0)) } ?? answer
    }
}

/// A channel or pattern on which a user is present. If the user subscribes to it through a group, `group` is this group.
struct PresencePlace: Hashable, Sendable {
    var channel: Identifier
    var group: Identifier?
}
