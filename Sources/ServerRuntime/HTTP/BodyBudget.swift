import Identifiers
import NIOConcurrencyHelpers
import ServerValues

/// The large bodies in a server's memory, those of requests and of answers together (rule SV-80).
///
/// Most bodies are small, and the number of connections bounds them. Where a front takes or gives files, the product would be too much. One
/// address and one application get a share only, so that neither keeps others out (rule SV-81).
package final class BodyBudget: Sendable {
    /// Bodies of at most this many bytes need no reservation.
    package static let smallBytes = 1 << 20
    /// A large body gets a second more for each of this many bytes, in either direction.
    package static let bytesPerSecond = 16_384
    /// By how much the reservation of a body that comes in grows at least.
    static let growth = 512 << 10

    private struct State {
        var used = 0
        var byAddress: [RemoteAddress: Int] = [:]
        var byApplication: [Identifier: Int] = [:]
    }

    private let maximumBytes: Int
    private let addressBytes: Int
    private let applicationBytes: Int
    private let state = NIOLockedValueBox(State())

    package init(maximumBytes: Int = 256 << 20) {
        self.maximumBytes = maximumBytes
        addressBytes = maximumBytes / 4
        applicationBytes = maximumBytes / 2
    }

    /// Room for a body or a part of it, for as long as the reservation exists; nil while there is none.
    ///
    /// - Parameter held: what is reserved for the same body already. A body that is alone may be larger than a share.
    package func reserve(_ bytes: Int, for owner: BodyOwner = BodyOwner(), held: Int = 0) -> BodyReservation? {
        let hasRoom = state.withLockedValue { state in
            let ofAddress = owner.address.flatMap { state.byAddress[$0] } ?? 0
            let ofApplication = owner.application.flatMap { state.byApplication[$0] } ?? 0
            guard bytes <= maximumBytes - state.used,
                owner.address == nil || ofAddress <= held || bytes <= addressBytes - ofAddress,
                owner.application == nil || ofApplication <= held || bytes <= applicationBytes - ofApplication
            else { return false }
            state.used += bytes
            if let address = owner.address { state.byAddress[address] = ofAddress + bytes }
            if let application = owner.application { state.byApplication[application] = ofApplication + bytes }
            return true
        }
        return hasRoom ? BodyReservation(bytes, owner, self) : nil
    }

    /// The number of bytes that are reserved now.
    package var reservedBytes: Int { state.withLockedValue(\.used) }

    /// How many addresses and applications have something reserved.
    package var ownerCount: Int { state.withLockedValue { $0.byAddress.count + $0.byApplication.count } }

    fileprivate func release(_ bytes: Int, of owner: BodyOwner) {
        state.withLockedValue { state in
            state.used -= bytes
            if let address = owner.address, let left = state.byAddress.removeValue(forKey: address), left > bytes {
                state.byAddress[address] = left - bytes
            }
            if let application = owner.application, let left = state.byApplication.removeValue(forKey: application), left > bytes
            {
                state.byApplication[application] = left - bytes
            }
        }
    }
}

/// The owner whose share of ``BodyBudget`` counts a large body.
package struct BodyOwner: Hashable, Sendable {
    /// Nil for an address that is not known, and for this machine's own unless it is limited.
    package var address: RemoteAddress?
    /// The key of the application that the body is for; nil for none.
    package var application: Identifier?

    package init(address: RemoteAddress? = nil, application: String? = nil) {
        self.address = address
        self.application = application.map { Identifier($0) }
    }
}

/// Room for one large body or a part of it. It is given back with the last reference.
package final class BodyReservation: Sendable {
    package let bytes: Int
    private let owner: BodyOwner
    private let budget: BodyBudget

    fileprivate init(_ bytes: Int, _ owner: BodyOwner, _ budget: BodyBudget) {
        self.bytes = bytes
        self.owner = owner
        self.budget = budget
    }

    deinit { budget.release(bytes, of: owner) }
}

/// Measures whether a large body is transferred fast enough (rule SV-82). It counts the bytes in each window of time, so that a fast
/// beginning does not excuse a later stall.
struct TransferPace {
    /// In each window of this length ``BodyBudget/bytesPerSecond`` have to move for each second of it.
    static let window = Duration.seconds(20)
    private static let windowBytes = 20 * BodyBudget.bytesPerSecond

    private var start: MonotonicInstant?
    private var moved = 0

    init() {}

    /// Returns whether the transfer is too slow. To be called from time to time.
    ///
    /// - Parameter total: how many bytes have moved so far, counted from anywhere.
    mutating func isTooSlow(_ total: Int, at now: MonotonicInstant) -> Bool {
        guard let start else {
            (self.start, moved) = (now, total)
            return false
        }
        guard now.since(start) >= Self.window else { return false }
        defer { (self.start, moved) = (now, total) }
        return total - moved < Self.windowBytes
    }
}

/// A large body of a connection: what is reserved for it, and how fast it moves. Lives on the connection's event loop.
final class LargeBody {
    private(set) var reservations: [BodyReservation] = []
    private(set) var reserved = 0
    var pace = TransferPace()

    init(_ reservation: BodyReservation? = nil) {
        if let reservation { add(reservation) }
    }

    private func add(_ reservation: BodyReservation) {
        reservations.append(reservation)
        reserved += reservation.bytes
    }

    /// Reserves room for this number of bytes in all; false when there is none.
    ///
    /// - Parameter limit: how long the body may become.
    func grow(to bytes: Int, limit: Int, for owner: BodyOwner, in budget: BodyBudget) -> Bool {
        guard bytes > reserved else { return true }
        let wanted = max(bytes, min(limit, bytes + max(BodyBudget.growth, bytes / 4)))
        guard let more = budget.reserve(wanted - reserved, for: owner, held: reserved) else { return false }
        add(more)
        return true
    }
}
