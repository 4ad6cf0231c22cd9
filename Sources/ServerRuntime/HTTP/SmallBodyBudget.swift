import NIOConcurrencyHelpers

/// Limits the memory of request bodies that are not large, for all connections together and for each address (rule SV-86).
///
/// ``BodyBudget`` limits the memory of large bodies, such as files.
package final class SmallBodyBudget: Sendable {
    /// Bodies of at most this many bytes need no reservation, because the limit of connections bounds their memory.
    static let freeBytes = 16_384
    /// Reservations grow by this many bytes, so that a body in many pieces takes the lock only a few times.
    static let step = 65_536

    private struct State {
        var used = 0
        /// The number of bytes that each address has reserved.
        var perAddress: [RemoteAddress: Int] = [:]
    }

    private let maximumBytes: Int
    private let share: Int
    private let state = NIOLockedValueBox(State())

    /// - Parameter maximumBytes: the limit for all addresses together; one address may use an eighth of it.
    package init(maximumBytes: Int = 256 << 20) {
        self.maximumBytes = maximumBytes
        share = maximumBytes / 8
    }

    /// Reserves memory for a body, for as long as the reservation exists; nil when there is not enough memory.
    ///
    /// - Parameter address: the address whose share the body counts against; nil for none.
    package func reserve(_ bytes: Int, for address: RemoteAddress?) -> SmallBodyReservation? {
        take(bytes, for: address) ? SmallBodyReservation(bytes, address: address, budget: self) : nil
    }

    /// The number of bytes that all bodies have reserved now.
    package var reservedBytes: Int { state.withLockedValue(\.used) }

    fileprivate func take(_ bytes: Int, for address: RemoteAddress?) -> Bool {
        state.withLockedValue { state in
            guard bytes <= maximumBytes - state.used else { return false }
            if let address {
                let known = state.perAddress[address] ?? 0
                guard bytes <= share - known else { return false }
                state.perAddress[address] = known + bytes
            }
            state.used += bytes
            return true
        }
    }

    fileprivate func release(_ bytes: Int, of address: RemoteAddress?) {
        state.withLockedValue { state in
            state.used -= bytes
            guard let address, let known = state.perAddress[address] else { return }
            state.perAddress[address] = known > bytes ? known - bytes : nil
        }
    }
}

/// A reservation of memory for one body that is not large. It is released with the last reference to this object.
package final class SmallBodyReservation: Sendable {
    private let reserved: NIOLockedValueBox<Int>
    private let address: RemoteAddress?
    private let budget: SmallBodyBudget

    fileprivate init(_ bytes: Int, address: RemoteAddress?, budget: SmallBodyBudget) {
        reserved = NIOLockedValueBox(bytes)
        self.address = address
        self.budget = budget
    }

    deinit { budget.release(bytes, of: address) }

    package var bytes: Int { reserved.withLockedValue { $0 } }

    /// Increases the reservation to a total of `bytes`, if it is smaller; returns false when there is not enough memory.
    package func grow(to bytes: Int) -> Bool {
        reserved.withLockedValue { reserved in
            guard bytes > reserved else { return true }
            guard budget.take(bytes - reserved, for: address) else { return false }
            reserved = bytes
            return true
        }
    }
}
