import Identifiers
import NIOConcurrencyHelpers
import ServerValues

/// Limits the memory of a server's large bodies, both of requests and of answers (rule SV-80).
///
/// Most bodies are small, so the number of connections bounds them. Where a front transfers files, the product would be too much.
/// Each address and each application gets only a share, so that neither keeps others out (rule SV-81).
package final class BodyBudget: Sendable {
    /// Bodies of at most this many bytes need no reservation.
    package static let smallBytes = 1 << 20
    /// A large body gets one more second for each of this many bytes, in either direction.
    package static let bytesPerSecond = 16_384
    /// The smallest growth of the reservation of an incoming body, in bytes.
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

    /// Reserves memory for a body or a part of it, for as long as the reservation exists; nil when there is not enough.
    ///
    /// - Parameter held: the number of bytes that are reserved for the same body already. A body that is the owner's only one may
    ///   be larger than a share.
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
        return hasRoom ? BodyReservation(bytes, owner: owner, budget: self) : nil
    }

    /// The number of bytes that are reserved now.
    package var reservedBytes: Int { state.withLockedValue(\.used) }

    /// The number of addresses and applications with reservations.
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

/// The owner whose share of ``BodyBudget`` a large body counts against.
package struct BodyOwner: Hashable, Sendable {
    /// The client's address. Nil when it is not known or not limited, such as a loopback address (rule SV-81).
    package var address: RemoteAddress?
    /// The key of the application that the body is for; nil for none.
    package var application: Identifier?

    package init(address: RemoteAddress? = nil, application: String? = nil) {
        self.address = address
        self.application = application.map { Identifier($0) }
    }
}

/// A reservation for one large body or a part of it. It is released with the last reference.
package final class BodyReservation: Sendable {
    package let bytes: Int
    private let owner: BodyOwner
    private let budget: BodyBudget

    fileprivate init(_ bytes: Int, owner: BodyOwner, budget: BodyBudget) {
        self.bytes = bytes
        self.owner = owner
        self.budget = budget
    }

    deinit { budget.release(bytes, of: owner) }
}

/// Measures whether a large body is transferred fast enough (rule SV-82). It counts the bytes in each window of time, so that a
/// fast start does not excuse a later stall.
struct TransferPace {
    /// The length of a window. For each of its seconds at least ``BodyBudget/bytesPerSecond`` have to be transferred.
    static let window = Duration.seconds(20)
    private static let windowBytes = 20 * BodyBudget.bytesPerSecond

    private var start: MonotonicInstant?
    private var moved = 0

    init() {}

    /// Returns whether the transfer is too slow. Call it periodically.
    ///
    /// - Parameter total: the number of bytes transferred so far, counted from any start.
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

/// A large body of a connection: its reservation, and its transfer rate. Used on the connection's event loop only.
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

    /// Increases the reservation to this number of bytes in all; returns false when there is not enough memory.
    ///
    /// - Parameter limit: the size limit of the body.
    func grow(to bytes: Int, limit: Int, for owner: BodyOwner, in budget: BodyBudget) -> Bool {
        guard bytes > reserved else { return true }
        let wanted = max(bytes, min(limit, bytes + max(BodyBudget.growth, bytes / 4)))
        guard let more = budget.reserve(wanted - reserved, for: owner, held: reserved) else { return false }
        add(more)
        return true
    }
}
