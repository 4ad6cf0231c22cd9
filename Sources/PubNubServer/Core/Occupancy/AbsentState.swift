import Identifiers
import ServerValues

/// The state of a user who is not on the channel.
struct AbsentState: Sendable {
    var state: [UInt8]
    var deadline: MonotonicInstant
    /// The owner that set the state.
    var owner: Identifier?

    func cost(_ place: OccupancyPlace) -> Int {
        state.count + place.channel.utf8.count + place.user.utf8.count + 256
    }
}
