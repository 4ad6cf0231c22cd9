import NIOConcurrencyHelpers

/// The large bodies that a server has in memory at a time, those of requests and those of answers together (rule SV-80).
///
/// Most bodies are small, and the number of connections bounds them. Where a front takes or gives files, the product would be too much.
package final class BodyBudget: Sendable {
    /// Bodies of at most this many bytes need no reservation.
    package static let smallBytes = 1 << 20
    /// A large body gets a second more for each of this many bytes, in either direction.
    package static let bytesPerSecond = 16_384

    private let maximumBytes: Int
    private let used = NIOLockedValueBox(0)

    package init(maximumBytes: Int = 256 << 20) {
        self.maximumBytes = maximumBytes
    }

    /// Room for a body, for as long as the reservation exists; nil while there is none.
    package func reserve(_ bytes: Int) -> BodyReservation? {
        let hasRoom = used.withLockedValue { used in
            guard used + bytes <= maximumBytes else { return false }
            used += bytes
            return true
        }
        return hasRoom ? BodyReservation(bytes, self) : nil
    }

    /// What is reserved at this moment.
    package var reservedBytes: Int { used.withLockedValue { $0 } }

    fileprivate func release(_ bytes: Int) {
        used.withLockedValue { $0 -= bytes }
    }
}

/// Room for one large body. It is given back with the last reference.
package final class BodyReservation: Sendable {
    package let bytes: Int
    private let budget: BodyBudget

    fileprivate init(_ bytes: Int, _ budget: BodyBudget) {
        self.bytes = bytes
        self.budget = budget
    }

    deinit { budget.release(bytes) }

    /// How much longer the body may take than others.
    var extraTime: Duration { .seconds(bytes / BodyBudget.bytesPerSecond) }
}
