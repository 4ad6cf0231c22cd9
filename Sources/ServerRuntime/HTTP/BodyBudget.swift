import Identifiers
import NIOConcurrencyHelpers
import ServerValues

/// Limits the memory of a server's large bodies, both of requests and of answers (rule SV-80).
///
/// Small bodies need no budget, because the limit of connections bounds their memory. Large bodies, such as uploaded files, would not fit
/// into memory if every connection had one. Each address gets at most a quarter and each application at most half of the budget, so that
/// none uses up the memory of all others (rule SV-81).
package final class BodyBudget: Sendable {
    /// Bodies of at most this many bytes need no reservation.
    package static let smallBytes = 1 << 20
    /// The lowest permitted rate of receiving or sending a large body, in bytes per second.
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

    /// Reserves memory for a body or a part of it, for as long as the reservation exists; nil when there is not enough memory.
    ///
    /// - Parameter held: the number of bytes that are already reserved for the same body. An owner's only body may be larger than the
    ///   owner's share.
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

    /// The number of bytes that all bodies have reserved now.
    package var reservedBytes: Int { state.withLockedValue(\.used) }

    /// The number of addresses plus the number of applications that have a reservation now.
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

/// The owners of a large body: an address and an application. The body uses a part of each owner's share of the ``BodyBudget``.
package struct BodyOwner: Hashable, Sendable {
    /// The client's address. Nil when it is not known or not limited, such as a loopback address (rule SV-81).
    package var address: RemoteAddress?
    /// The key of the application to which the request belongs; nil for none.
    package var application: Identifier?

    package init(address: RemoteAddress? = nil, application: String? = nil) {
        self.address = address
        self.application = application.map { Identifier($0) }
    }
}

/// A reservation of memory for one large body or a part of it. It is released with the last reference to this object.
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

/// Measures whether a large body is transferred fast enough (rule SV-82). Bytes are counted in each window of time, so that a fast start
/// does not excuse a later stall.
struct TransferPace {
    /// The length of a window, in which at least ``BodyBudget/bytesPerSecond`` times 20 bytes have to be transferred.
    static let window = Duration.seconds(20)
    private static let windowBytes = 20 * BodyBudget.bytesPerSecond

    private var start: MonotonicInstant?
    private var moved = 0

    init() {}

    /// Returns whether fewer bytes than required were transferred in the window that has just ended. Call it periodically.
    ///
    /// - Parameter total: the number of bytes transferred so far. The starting point of this count does not matter, because only
    ///   differences are used.
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

/// The memory reservations and the transfer rate of a connection's large body. Used on the connection's event loop only.
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

    /// Increases the reservation to a total of `bytes`; returns false when there is not enough memory.
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
