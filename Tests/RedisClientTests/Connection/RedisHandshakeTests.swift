import ConnectionEngine
import RedisClient
import Testing

@Suite struct RedisHandshakeTests {
    @Test func `RC-8 The handshake is sent in one go and ends with what the server is`() {
        var run = ConversationRun()
        #expect(
            run.open() == [
                .write(RedisCommand("HELLO", "3", "SETNAME", "lifeline")), .write(RedisCommand("ROLE")),
                .write(RedisCommand("PING")),
            ])
        #expect(run.hear(ConversationRun.hello + ConversationRun.role) == [])
        #expect(run.conversation.phase == .handshake)
        #expect(run.hear("+PONG\r\n") == [.ready(ConversationRun.server)])
    }

    @Test func `RC-8 User, password, name and database are part of the handshake`() {
        let handshake = RedisHandshake(credentials: .init(user: "joe", password: "pw"), clientName: "node 1", database: 2)
        var run = ConversationRun(handshake)
        #expect(
            run.open() == [
                .write(RedisCommand("HELLO", "3", "AUTH", "joe", "pw", "SETNAME", "node-1")), .write(RedisCommand("SELECT", 2)),
                .write(RedisCommand("ROLE")), .write(RedisCommand("PING")),
            ])
        #expect(
            run.hear(ConversationRun.hello + "+OK\r\n" + ConversationRun.role + "+PONG\r\n") == [.ready(ConversationRun.server)])
    }

    @Test(arguments: [
        ("-WRONGPASS invalid username-password pair or user is disabled.\r\n", true),
        ("-NOAUTH HELLO must be called with the client already authenticated\r\n", true),
        ("-NOPROTO unsupported protocol version\r\n", true),
        ("-ERR unknown command 'HELLO'\r\n", true),
        ("-DENIED Redis is running in protected mode\r\n", true),
        ("-ERR max number of clients reached\r\n", false),
        ("-LOADING Redis is loading the dataset in memory\r\n", false),
        ("-BUSY Redis is busy running a script.\r\n", false),
        (hello + "-NOPERM this user has no permissions to run the 'role' command\r\n", true),
        (hello + role + "-LOADING Redis is loading the dataset in memory\r\n", false),
        (hello + role + "-MASTERDOWN Link with MASTER is down\r\n", false),
    ])
    func `RC-9 A refused handshake ends the connection, and says whether trying again makes sense`(wire: String, isFinal: Bool) {
        var run = ConversationRun()
        _ = run.open()
        let effects = run.hear(wire)
        guard effects.count == 1, case .close(let loss) = effects[0], case .refused = loss else {
            Issue.record("\(effects)")
            return
        }
        #expect(loss.isFinal == isFinal)
    }

    @Test(arguments: [
        (hello.replacing("7.0.15", with: "6.2.14"), RedisLoss.tooOld("6.2.14")),
        (hello + "*5\r\n$5\r\nslave\r\n$1\r\nh\r\n:1\r\n$9\r\nconnected\r\n:0\r\n", .notMaster("slave")),
        ("+OK\r\n", .violation(.invalidHandshake)),
        (hello.replacing(":3", with: ":2"), .violation(.invalidHandshake)),
        (hello + "+OK\r\n", .violation(.invalidHandshake)),
    ])
    func `RC-9 A server that does not fit is left`(wire: String, loss: RedisLoss) {
        var run = ConversationRun()
        _ = run.open()
        #expect(run.hear(wire) == [.close(loss)])
    }

    @Test func `RC-9 A server that cannot save is ready for what only reads`() {
        var run = ConversationRun()
        _ = run.open()
        let wire = ConversationRun.hello + ConversationRun.role + "-MISCONF Redis is configured to save RDB snapshots\r\n"
        #expect(run.hear(wire) == [.ready(ConversationRun.server)])
    }

    @Test func `RC-9 A replica is ready for a client that needs no master`() {
        var run = ConversationRun(RedisHandshake(needsMaster: false))
        _ = run.open()
        let effects = run.hear(ConversationRun.hello + "*5\r\n$5\r\nslave\r\n$1\r\nh\r\n:1\r\n$9\r\nconnected\r\n:0\r\n+PONG\r\n")
        #expect(effects.count == 1 && run.conversation.phase == .ready)
    }

    @Test func `RC-10 A connection that is not ready within 5 s is left`() {
        var run = ConversationRun()
        #expect(run.wait(.milliseconds(4_999)) == [])
        #expect(run.wait(.milliseconds(1)) == [.close(.notReadyInTime)])
        run = ConversationRun()
        _ = run.wait(.seconds(4))
        _ = run.open()
        _ = run.hear(ConversationRun.hello)
        #expect(run.wait(.seconds(1)) == [.close(.notReadyInTime)])
        #expect(run.hear(ConversationRun.role) == [])
    }

    @Test func `RC-10 Nothing can be sent before the handshake is complete`() {
        var run = ConversationRun()
        #expect(run.submit(1, RedisCommand("GET", "k")) == [.answer(1, .failure(.unsent(.closed)))])
        #expect(run.retire(.noEcho) == [.close(.noEcho)])
        #expect(run.open() == [])
    }
}

private let hello = ConversationRun.hello
private let role = ConversationRun.role
