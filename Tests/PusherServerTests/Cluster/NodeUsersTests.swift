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
}
