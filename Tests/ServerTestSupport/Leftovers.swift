import NIOCore
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime

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

/// Waits until something holds; a failure of the test when it does not within 60 s.
func eventually(at location: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool) async rethrows {
    let deadline = NIODeadline.now() + .seconds(60)
    while try await !condition() {
        guard NIODeadline.now() < deadline else {
            Issue.record("It did not become true within 60 s.", sourceLocation: location)
            return
        }
        await Task.yield()
    }
}

extension LifelineServer {
    func leftovers() async throws -> Leftovers {
        var left = Leftovers()
        // The loops first: what one has begun, such as the end of a connection, is done when it answers.
        for loop in context.loops {
            let (signedIn, seats) = try await loop.eventLoop.submit {
                (
                    self.services.pusher.mailboxes[loop.number].part.signedIn.count,
                    self.services.pusher.mailboxes[loop.number].part.list.all.reduce(0) { $0 + $1.seats.count }
                )
            }.get()
            left.signedIn += signedIn
            left.seats += seats
        }
        (left.sockets, left.connections) = context.admission.withLockedValue { ($0.sockets, $0.connections) }
        left.channels = statistics.channels
        let (connections, users) = (services.pusher.channels as? LocalChannels)?.userCounts ?? (0, 0)
        left.signedIn += connections
        left.users += users
        return left
    }

    /// Waits until nothing is left, 60 s at most; returns what is left then.
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
        for loop in context.loops {
            let pending = try await loop.eventLoop.submit {
                self.services.pusher.mailboxes[loop.number].part.list.all.map(\.pendingBytes).max() ?? 0
            }.get()
            most = max(most, pending)
        }
        return most
    }
}
