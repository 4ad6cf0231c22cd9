import ConnectionEngine
import NIOCore
import RedisClient
import Testing

@Suite struct RedisLinkCommandsTests {
    typealias Effect = RedisLinkMachine.Effect

    private let one = Result<RedisValue, RedisFailure>.success(.integer(1))

    @Test func `RC-20 The status says what a connection is doing, and why it waits`() {
        var run = LinkRun(RedisLinkPolicy())
        #expect(run.start() == [.deliver(.status(.commands, .connecting)), .dial(.commands, 1)])
        #expect(run.start() == [])
        #expect(run.becomeReady(.commands) == [.deliver(.status(.commands, .ready(LinkRun.server)))])
        let effects = run.lose(.commands)
        guard case .deliver(.status(.commands, .waiting(let loss, let pause))) = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(loss == LinkRun.lost && pause <= .milliseconds(50))
        #expect(run.waitForDial(.commands) == pause)
        // One that fails again is still waiting, not connecting.
        #expect(run.machine.status(.commands) == .waiting(loss, pause))
    }

    @Test func `RC-21 Pauses grow up to 2 s, differ between links, and begin anew after 5 s of service`() {
        func pauses(seed: UInt64) -> [Duration] {
            var run = LinkRun(RedisLinkPolicy(), seed: seed)
            _ = run.start()
            return (0..<12).map { _ in
                _ = run.lose(.commands, .notReadyInTime)
                return run.waitForDial(.commands)
            }
        }
        let (first, second) = (pauses(seed: 1), pauses(seed: 2))
        #expect(first != second && first == pauses(seed: 1))
        #expect(zip(first, [0.1, 0.2, 0.4, 0.8, 1, 1]).allSatisfy { $0.inSeconds >= $1 / 2 })
        #expect(first.allSatisfy { $0 <= .seconds(2) } && first.last.map { $0 >= .seconds(1) } == true)

        // A server that accepts and hangs up at once is not called again and again without a pause.
        var run = LinkRun.ready(RedisLinkPolicy())
        var last = Duration.zero
        for _ in 0..<8 {
            _ = run.lose(.commands)
            last = run.waitForDial(.commands)
            _ = run.becomeReady(.commands)
        }
        #expect(last >= .seconds(1))
        _ = run.wait(.seconds(5))
        _ = run.lose(.commands)
        #expect(run.waitForDial(.commands) <= .milliseconds(50))
    }

    @Test func `RC-22 Without a connection calls wait within their deadline, and are sent in their order`() {
        var run = LinkRun(RedisLinkPolicy())
        _ = run.start()
        #expect(run.get(1, within: .seconds(1)) == [] && run.get(2) == [] && run.get(3) == [])
        #expect(run.wait(.seconds(1)) == [.answer(1, .failure(.expired))])
        _ = run.becomeReady(.commands)
        #expect(run.sent.map(\.command.arguments) == [[2], [3]])
        #expect(run.answer(one) == [.answer(2, one)])
        #expect(run.get(4, within: .zero) == [.answer(4, .failure(.expired))])
    }

    @Test func `RC-16 A call that was sent over a lost connection is not sent again`() {
        var run = LinkRun.ready(RedisLinkPolicy())
        _ = run.get(1)
        #expect(run.lose(.commands).first == .answer(1, .failure(.lost(LinkRun.lost))))
        _ = run.get(2)
        _ = run.waitForDial(.commands)
        _ = run.becomeReady(.commands)
        #expect(run.sent.map(\.command.arguments) == [[2]])
    }

    @Test func `RC-23 A final cause stops the link, until somebody starts it again`() {
        var run = LinkRun(RedisLinkPolicy())
        _ = run.start()
        _ = run.get(1)
        let loss = RedisLoss.refused(RedisErrorReply("WRONGPASS invalid username-password pair"))
        #expect(run.lose(.commands, loss) == [.deliver(.status(.commands, .stopped(loss))), .answer(1, .failure(.unsent(loss)))])
        #expect(run.machine.alarm == nil)
        #expect(run.get(2) == [.answer(2, .failure(.unsent(loss)))])
        #expect(run.start() == [.deliver(.status(.commands, .connecting)), .dial(.commands, 2)])
    }

    @Test func `RC-39 With persistence a final cause is followed by further attempts, and calls wait within their deadlines`() {
        var policy = RedisLinkPolicy()
        policy.persistence = .jittered(first: .zero, base: .seconds(5), cap: .seconds(30), atLeast: .seconds(5))
        var run = LinkRun(policy)
        _ = run.start()
        let loss = RedisLoss.refused(RedisErrorReply("WRONGPASS invalid username-password pair"))
        for _ in 0..<20 {
            let effects = run.lose(.commands, loss)
            guard case .deliver(.status(.commands, .waiting(loss, let pause)))? = effects.first else {
                Issue.record("\(effects)")
                return
            }
            #expect(pause >= .seconds(5) && pause <= .seconds(30))
            #expect(run.waitForDial(.commands) == pause)
        }
        _ = run.lose(.commands, loss)
        #expect(run.get(1) == [])
        #expect(run.wait(.seconds(3)) == [.answer(1, .failure(.expired))])
        _ = run.waitForDial(.commands)
        _ = run.becomeReady(.commands)
        #expect(run.get(2) == [] && run.names() == ["GET"])
    }

    @Test func `RC-39 New credentials end the pause at once, and a ready connection stays`() {
        var policy = RedisLinkPolicy()
        policy.persistence = .fixed(.seconds(30))
        var run = LinkRun(policy)
        _ = run.start()
        _ = run.lose(.commands, .refused(RedisErrorReply("WRONGPASS no")))
        #expect(run.hurry() == [.dial(.commands, 2)])
        _ = run.becomeReady(.commands)
        #expect(run.hurry() == [])
    }

    @Test(arguments: ["BUSY Redis is busy running a script.", "LOADING Redis is loading the dataset in memory"])
    func `RC-24 A busy server is left alone for 250 ms, then one call shows whether it answers`(line: String) {
        var run = LinkRun.ready(RedisLinkPolicy())
        for id in 1...3 as ClosedRange<UInt64> { _ = run.get(id) }
        let waiting = RedisLinkStatus.waiting(.refused(RedisErrorReply(line)), .milliseconds(250))
        #expect(run.refuse(line) == [.deliver(.status(.commands, waiting))])
        #expect(run.refuse(line) == [])
        #expect(run.answer(one) == [.answer(3, one)])
        #expect(run.get(4) == [] && run.sent.isEmpty)
        _ = run.wait(.milliseconds(250))
        #expect(run.sent.map(\.command.arguments) == [[1]])
        #expect(run.refuse(line) == [])
        _ = run.wait(.milliseconds(250))
        #expect(run.answer(one) == [.answer(1, one), .deliver(.status(.commands, .ready(LinkRun.server)))])
        #expect(run.sent.map(\.command.arguments) == [[2], [4]])
    }

    @Test func `RC-24 The call that shows whether a busy server answers may find that its script was forgotten`() {
        var run = LinkRun.ready(RedisLinkPolicy())
        _ = run.call(1, .script(RedisScript(name: "one", text: "return 1"), keys: [], arguments: []))
        _ = run.answer(one)
        _ = run.refuse("BUSY Redis is busy running a script.")
        _ = run.get(2)
        _ = run.wait(.milliseconds(250))
        #expect(run.names() == ["EVALSHA"])
        #expect(run.refuse("NOSCRIPT No matching script.") == [.deliver(.status(.commands, .ready(LinkRun.server)))])
        #expect(run.names() == ["SCRIPT", "EVALSHA", "GET"])
    }

    @Test func `RC-24 A call ends at its deadline also when the server stays busy`() {
        var run = LinkRun.ready(RedisLinkPolicy())
        _ = run.get(1, within: .seconds(1))
        var answers: [Effect] = []
        for _ in 0..<8 {
            _ = run.refuse("BUSY")
            answers += run.wait(.milliseconds(250)).filter { if case .answer = $0 { true } else { false } }
        }
        #expect(answers == [.answer(1, .failure(.expired))])
        #expect(run.machine.status(.commands) == .ready(LinkRun.server))
    }

    @Test(arguments: ["READONLY You can't write against a read only replica.", "MASTERDOWN Link with MASTER is down"])
    func `RC-25 A server that is not the master is left after its last answer, and what it refused is sent anew`(line: String) {
        var run = LinkRun.ready()
        for id in 1...3 as ClosedRange<UInt64> { _ = run.get(id) }
        let loss = RedisLoss.refused(RedisErrorReply(line))
        #expect(run.refuse(line) == [.retire(.commands, 1, loss), .cut(.messages, 1, loss)])
        _ = run.get(4)
        #expect(run.answer(one) == [.answer(2, one)])
        #expect(run.refuse(line) == [])
        _ = run.lose(.commands, loss)
        #expect(run.waitForDial(.commands) <= .milliseconds(50))
        _ = run.becomeReady(.commands)
        #expect(run.sent.map(\.command.arguments) == [[1], [3], [4]])
    }

    @Test func `RC-25 When the commands find no master, the messages are not left behind`() {
        var run = LinkRun.ready()
        _ = run.lose(.commands)
        _ = run.waitForDial(.commands)
        #expect(run.lose(.commands, .notMaster("slave")).first == .cut(.messages, 1, .notMaster("slave")))
    }

    @Test(arguments: ["OOM command not allowed", "MISCONF cannot save", "NOREPLICAS Not enough", "NOPERM no", "ERR unknown"])
    func `RC-26 Other errors go to the caller at once`(line: String) {
        var run = LinkRun.ready(RedisLinkPolicy())
        _ = run.get(1)
        #expect(run.refuse(line) == [.answer(1, .failure(.refused(RedisErrorReply(line))))])
    }

    @Test func `RC-27 Calls that wait are bounded by number and by bytes`() {
        var run = LinkRun(RedisLinkPolicy(commands: 2, bytes: 300))
        _ = run.start()
        let large = RedisCall.command(RedisCommand("SET", "k", .text(String(repeating: "x", count: 300))))
        #expect(run.call(1, large) == [.answer(1, .failure(.overfull))])
        _ = run.get(2)
        _ = run.get(3)
        #expect(run.get(4) == [.answer(4, .failure(.overfull))])
        _ = run.wait(.seconds(3))
        #expect(run.get(5) == [])
    }

    @Test func `RC-28 A script is given to the server before its first run on a connection`() {
        let script = RedisScript(name: "one", text: "return 1")
        #expect(script.digest == "e0e1f9fabfc9d4800c877a703b823ac0578ff8db")
        var run = LinkRun.ready(RedisLinkPolicy())
        let call = RedisCall.script(script, keys: ["k"], arguments: ["a"])
        _ = run.call(1, call)
        _ = run.call(2, call)
        #expect(
            run.sent.map(\.command) == [
                RedisCommand("SCRIPT", "LOAD", "return 1"), RedisCommand("EVALSHA", .text(script.digest), 1, "k", "a"),
                RedisCommand("EVALSHA", .text(script.digest), 1, "k", "a"),
            ])
        _ = run.lose(.commands)
        _ = run.waitForDial(.commands)
        _ = run.becomeReady(.commands)
        _ = run.call(3, call)
        #expect(run.names() == ["SCRIPT", "EVALSHA"])
    }

    @Test func `RC-28 A script that the server has forgotten is given to it again, at most three times`() {
        var run = LinkRun.ready(RedisLinkPolicy())
        _ = run.call(1, .script(RedisScript(name: "one", text: "return 1"), keys: [], arguments: []))
        for _ in 0..<3 {
            #expect(run.names() == ["SCRIPT", "EVALSHA"])
            _ = run.answer(one)
            #expect(run.refuse("NOSCRIPT No matching script.") == [])
        }
        _ = run.answer(one)
        #expect(
            run.refuse("NOSCRIPT No matching script.") == [
                .answer(1, .failure(.refused(RedisErrorReply("NOSCRIPT No matching script."))))
            ])
    }

    @Test func `RC-29 Closing answers everything`() {
        var run = LinkRun.ready()
        _ = run.get(1)
        #expect(run.close() == [.cut(.commands, 1, .closed), .cut(.messages, 1, .closed)])
        #expect(run.get(2) == [.answer(2, .failure(.unsent(.closed)))])
        #expect(
            run.lose(.commands, .closed) == [
                .answer(1, .failure(.lost(.closed))), .deliver(.status(.commands, .stopped(.closed))),
            ])
        #expect(run.lose(.messages, .closed).contains(.deliver(.status(.messages, .stopped(.closed)))))
        #expect(run.machine.alarm == nil && run.start() == [] && run.close() == [])
    }

    @Test func `RC-20 What a former connection says has no effect`() {
        var run = LinkRun.ready(RedisLinkPolicy())
        _ = run.lose(.commands)
        _ = run.waitForDial(.commands)
        run.attempts[.commands] = 1
        #expect(run.becomeReady(.commands) == [] && run.lose(.commands) == [])
    }
}
