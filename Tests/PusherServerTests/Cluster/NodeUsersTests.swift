import Testing

@testable import PusherServer
@testable import ServerTestSupport

@Suite("The signed-in connections of a node (CP-25)")
struct NodeUsersTests {
    private let socketID = SocketID(high: 1, low: 2)

    private func signIn(_ user: String) -> NodeUsers.SignIn {
        (SignedInConnection(socketID: socketID, application: "1001", user: user, watchlist: []), [])
    }

    @Test("CP-25: While there is no leader one sign-in waits behind the one on its way, and a later one takes its place")
    func replacing() throws {
        var users = NodeUsers()
        let sent = users.signIn(signIn("ann"), at: 1)
        #expect(sent?.connection.user == "ann")
        for user in ["ben", "cat"] {
            let sent = users.signIn(signIn(user), at: 1)
            #expect(sent == nil)
        }
        let next = users.answered(signIn("ann").connection, isTaken: true)
        #expect(next?.connection.user == "cat")
        let late = users.signIn(signIn("dan"), at: 1)
        #expect(late == nil)
        // The leader has not taken it: the one that waits is next all the same.
        let last = users.answered(signIn("cat").connection, isTaken: false)
        #expect(last?.connection.user == "dan")
        let nothing = users.answered(signIn("dan").connection, isTaken: true)
        #expect(nothing == nil && users.held.map(\.user) == ["dan"])
    }

    @Test("CP-25: What waits for a connection that has gone is not sent")
    func leaving() {
        var users = NodeUsers()
        _ = users.signIn(signIn("ann"), at: 1)
        _ = users.signIn(signIn("ben"), at: 1)
        let hasLeft = users.leave(socketID)
        #expect(hasLeft)
        let next = users.answered(signIn("ann").connection, isTaken: true)
        #expect(next == nil)
    }

    private func signIn(of number: UInt64, as user: String = "ann") -> NodeUsers.SignIn {
        (SignedInConnection(socketID: SocketID(high: 2, low: number), application: "1001", user: user, watchlist: []), [])
    }

    @Test("CR-91: Sign-ins beyond those on their way wait in their order, and those of connections that have gone are dropped")
    func window() {
        var users = NodeUsers(limit: 2)
        let sent = (0..<6).map { users.signIn(signIn(of: $0), at: 1)?.connection.socketID.low }
        #expect(sent == [0, 1, nil, nil, nil, nil])
        // The leader cannot have what was never sent, and has to be told of the end of what was.
        let told = [users.leave(SocketID(high: 2, low: 2)), users.leave(SocketID(high: 2, low: 0))]
        #expect(told == [false, true])
        // A client that signs in again keeps its place.
        _ = users.signIn(signIn(of: 3, as: "ben"), at: 1)
        let next = users.answered(signIn(of: 0).connection, isTaken: true)
        #expect(next?.connection.socketID.low == 3 && next?.connection.user == "ben")
        users.release(SocketID(high: 2, low: 0))
        let rest = [1, 3, 4, 5].map { users.answered(signIn(of: $0).connection, isTaken: true)?.connection.socketID.low }
        #expect(rest == [4, 5, nil, nil] && users.held.count == 4)
        // There is room again.
        let last = users.signIn(signIn(of: 6), at: 1)
        #expect(last != nil)
    }

    @Test("CR-91: Clients that come and go while there is no leader leave nothing behind")
    func withoutLeader() {
        var users = NodeUsers(limit: 4)
        var (sent, told) = (0, 0)
        for number in 0..<10_000 as Range<UInt64> {
            if users.signIn(signIn(of: number), at: 1) != nil { sent += 1 }
            if users.leave(SocketID(high: 2, low: number)) { told += 1 }
        }
        #expect(sent == 4 && told == 4 && users.remembered < 200)
    }
}
