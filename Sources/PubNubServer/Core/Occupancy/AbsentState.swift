import Identifiers
import ServerValues

/// The presence state of a user who is not present on the channel.
struct AbsentState: Sendable {
    var state: [UInt8]
    var deadline: MonotonicInstant
    /// The owner that has set the state, and against whose share of the limits the state counts.
    var owner: Identifier?

    func cost(_ place: OccupancyPlace) -> Int {
        state.count + place.channel.utf8.count + place.user.utf8.count + 256
    }
}
