import NIOCore
import Testing

@testable import LifelineServer

/// What a server still knows of connections.
struct Leftovers: Hashable, Sendable {
    var sockets = 0
    var connections = 0
    var channels = 0
    /// Connections, users and their places on event loops that are signed in.
    var signedIn = 0
    var users = 0
    /// Seats in channels on event loops.
    var seats = 0
}

/// Waits until something holds, 20 s at most.
func eventually(_ condition: () async throws -> Bool) async rethrows {
    let deadline = NIODeadline.now() + .seconds(20)
    while try await !condition(), NIODeadline.now() < deadline { await Task.yield() }
}

extension LifelineServer {
    func leftovers() async throws -> Leftovers {
        var left = Leftovers()
        // The loops first: what one has begun, such as the end of a connection, is done when it answers.
        for outlet in core.outlets {
            let (signedIn, seats) = try await outlet.eventLoop.submit {
                (outlet.state.signedIn.count, outlet.state.connections.reduce(0) { $0 + $1.seats.count })
            }.get()
            left.signedIn += signedIn
            left.seats += seats
        }
        (left.sockets, left.connections) = core.admission.withLockedValue { ($0.sockets, $0.connections) }
        left.channels = statistics.channels
        for application in core.sharedApplications {
            let (connections, users) = application.users.withLockedValue { ($0.connectionCount, $0.userCount) }
            left.signedIn += connections
            left.users += users
        }
        return left
    }

    /// Waits until nothing is left, 20 s at most; returns what is left then.
    ///
    /// - Parameter sockets: whether sockets count. A program that asks by HTTP may keep some.
    func leftoversInTheEnd(sockets: Bool = true) async throws -> Leftovers {
        var left = Leftovers()
        try await eventually {
            left = try await leftovers()
            if !sockets { left.sockets = 0 }
            return left == Leftovers()
        }
        return left
    }

    /// The most that waits for any one connection now.
    func mostPendingBytes() async throws -> Int {
        var most = 0
        for outlet in core.outlets {
            let pending = try await outlet.eventLoop.submit { outlet.state.connections.map(\.pendingBytes).max() ?? 0 }.get()
            most = max(most, pending)
        }
        return most
    }
}
