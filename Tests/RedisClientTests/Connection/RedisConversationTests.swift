import ConnectionEngine
import NIOCore
import RedisClient
import Testing

@Suite struct RedisConversationTests {
    typealias Effect = RedisConversation.Effect

    private let get = RedisCommand("GET", "k")

    @Test func `RC-11 Answers belong to commands in the order of sending`() {
        var run = ConversationRun.ready()
        #expect(run.submit(1, get) == [.write(get)])
        #expect(run.submit(2, get) == [.write(get)])
        #expect(run.submit(3, get) == [.write(get)])
        #expect(run.hear(":1\r\n-ERR two\r\n") == [.answer(1, .success(.integer(1))), .answer(2, refused("ERR two"))])
        #expect(
            run.hear(">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$2\r\nhi\r\n_\r\n") == [
                .push(message("c", "hi")), .answer(3, .success(.null)),
            ])
    }

    @Test func `RC-12 A subscription is confirmed by one push for each name, or refused by an error`() {
        var run = ConversationRun.ready()
        #expect(run.submit(1, get) == [.write(get)])
        #expect(run.subscribe(2, ["a", "b"]) == [.write(RedisCommand("SUBSCRIBE", .bytes(name("a")), .bytes(name("b"))))])
        _ = run.subscribe(3, ["p*"], .pattern)
        _ = run.submit(4, get)
        #expect(run.hear("_\r\n>3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n") == [.answer(1, .success(.null))])
        // Messages may come between two confirmations.
        #expect(run.hear(">3\r\n$7\r\nmessage\r\n$1\r\na\r\n$2\r\nhi\r\n") == [.push(message("a", "hi"))])
        #expect(run.hear(">3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n") == [.answer(2, .success(.null))])
        #expect(run.hear("-NOPERM no\r\n:7\r\n") == [.answer(3, refused("NOPERM no")), .answer(4, .success(.integer(7)))])
        _ = run.subscribe(5, ["a"], begins: false)
        #expect(run.hear(">3\r\n$11\r\nunsubscribe\r\n$1\r\na\r\n:1\r\n") == [.answer(5, .success(.null))])
        #expect(run.subscribe(6, []) == [.answer(6, .success(.null))])
    }

    @Test func `RC-12 A subscription that the server ends by itself is reported`() {
        var run = ConversationRun.ready()
        let pushed: [Effect] = [.push(.unsubscribed(RedisChannel(.shard, "a")))]
        #expect(run.hear(">3\r\n$12\r\nsunsubscribe\r\n$1\r\na\r\n:0\r\n") == pushed)
        _ = run.subscribe(1, ["b"], .shard)
        #expect(run.hear(">3\r\n$12\r\nsunsubscribe\r\n$1\r\na\r\n:0\r\n") == pushed)
        #expect(run.hear(">3\r\n$10\r\nssubscribe\r\n$1\r\nb\r\n:1\r\n") == [.answer(1, .success(.null))])
    }

    @Test func `RC-12 Messages of channels, patterns and shards are told apart`() {
        var run = ConversationRun.ready()
        #expect(
            run.hear(">4\r\n$8\r\npmessage\r\n$2\r\na*\r\n$2\r\nab\r\n$1\r\nx\r\n") == [
                .push(.message(RedisMessage(subscription: RedisChannel(.pattern, "a*"), channel: name("ab"), payload: name("x"))))
            ])
        #expect(
            run.hear(">3\r\n$8\r\nsmessage\r\n$1\r\na\r\n$1\r\nx\r\n") == [
                .push(.message(RedisMessage(subscription: RedisChannel(.shard, "a"), channel: name("a"), payload: name("x"))))
            ])
        #expect(run.hear(">2\r\n$10\r\ninvalidate\r\n_\r\n") == [.push(.other("invalidate"))])
        #expect(run.hear(">2\r\n$7\r\nmessage\r\n$1\r\na\r\n") == [.close(.violation(.invalidPush))])
    }

    @Test func `RC-13 A command past its deadline is answered, and its late answer is dropped`() {
        var run = ConversationRun.ready()
        _ = run.submit(1, get, within: .seconds(1))
        _ = run.submit(2, get, within: .seconds(4))
        _ = run.subscribe(3, ["a", "b"], within: .seconds(1))
        #expect(run.wait(.seconds(2)) == [.answer(1, .failure(.unanswered)), .answer(3, .failure(.unanswered))])
        #expect(
            run.hear(":1\r\n:2\r\n>3\r\n+subscribe\r\n+a\r\n:1\r\n>3\r\n+subscribe\r\n+b\r\n:2\r\n") == [
                .answer(2, .success(.integer(2)))
            ])
        _ = run.submit(4, get)
        #expect(run.hear(":4\r\n") == [.answer(4, .success(.integer(4)))])
        #expect(run.submit(5, get, within: .zero) == [.answer(5, .failure(.expired))])
    }

    @Test func `RC-14 A server that is silent for 10 s while a command waits is left`() {
        var run = ConversationRun.ready()
        #expect(run.wait(.seconds(60)) == [])
        _ = run.submit(1, get)
        #expect(run.wait(.milliseconds(9_999)) == [.answer(1, .failure(.unanswered))])
        #expect(run.conversation.phase == .ready)
        #expect(run.wait(.milliseconds(1)) == [.close(.silent)])
        #expect(run.conversation.alarm == nil)
    }

    @Test func `RC-14 Whatever the server says proves that it is there, and a command may wait for as long as its deadline`() {
        var run = ConversationRun.ready()
        _ = run.submit(1, RedisCommand("XREAD", "BLOCK", "30000"), within: .seconds(31))
        #expect(run.wait(.seconds(30)) == [])
        #expect(run.wait(.seconds(1)) == [.answer(1, .failure(.unanswered)), .close(.silent)])
        run = .ready()
        _ = run.submit(1, get)
        for _ in 0..<10 {
            _ = run.wait(.seconds(5))
            #expect(run.hear(">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$2\r\nhi\r\n") == [.push(message("c", "hi"))])
        }
        #expect(run.conversation.phase == .ready)
    }

    @Test func `RC-35 While the owner does not read, the silence of the server means nothing`() {
        var run = ConversationRun.ready()
        _ = run.submit(1, get)
        _ = run.setReading(false)
        #expect(run.wait(.seconds(60)) == [.answer(1, .failure(.unanswered))])
        _ = run.setReading(true)
        #expect(run.wait(.seconds(9)) == [])
        #expect(run.wait(.seconds(11)) == [.close(.silent)])
    }

    @Test func `RC-15 Commands and bytes that wait are bounded`() {
        var run = ConversationRun.ready(timing: RedisTiming(commands: 2, bytes: 200))
        let large = RedisCommand("SET", "k", .text(String(repeating: "x", count: 200)))
        #expect(run.submit(1, large) == [.answer(1, .failure(.overfull))])
        _ = run.submit(2, get)
        _ = run.submit(3, get)
        #expect(run.submit(4, get) == [.answer(4, .failure(.overfull))])
        _ = run.hear(":1\r\n")
        #expect(run.submit(5, get) == [.write(get)])
    }

    @Test func `RC-16 When the connection ends, every command that was sent has an unknown outcome`() {
        var run = ConversationRun.ready()
        _ = run.submit(1, get)
        _ = run.subscribe(2, ["a"])
        #expect(
            run.end(.silent) == [.answer(1, .failure(.lost(.silent))), .answer(2, .failure(.lost(.silent))), .close(.silent)])
        #expect(run.end(.noEcho) == [])
        #expect(run.submit(3, get) == [.answer(3, .failure(.unsent(.closed)))])
        #expect(run.hear(":1\r\n") == [])
    }

    @Test func `RC-17 A retired connection answers what was sent and takes nothing more`() {
        var run = ConversationRun.ready()
        _ = run.submit(1, get)
        #expect(run.retire(.notMaster("slave")) == [])
        #expect(run.submit(2, get) == [.answer(2, .failure(.unsent(.notMaster("slave"))))])
        #expect(run.hear(":1\r\n") == [.answer(1, .success(.integer(1))), .close(.notMaster("slave"))])
        run = .ready()
        #expect(run.retire() == [.close(.closed)])
        run = .ready()
        _ = run.submit(1, get)
        _ = run.retire()
        #expect(run.wait(.seconds(10)) == [.answer(1, .failure(.unanswered)), .close(.silent)])
    }

    @Test func `RC-2 An answer that nothing waits for ends the connection`() {
        var run = ConversationRun.ready()
        #expect(run.hear(":1\r\n:2\r\n") == [.close(.violation(.unexpectedAnswer))])
        run = .ready()
        _ = run.subscribe(1, ["a"])
        let loss = RedisLoss.violation(.unexpectedAnswer)
        #expect(run.hear(":1\r\n") == [.answer(1, .failure(.lost(loss))), .close(loss)])
    }

    private func refused(_ line: String) -> Result<RedisValue, RedisFailure> { .failure(.refused(RedisErrorReply(line))) }

    private func name(_ text: String) -> ByteBuffer { ByteBuffer(string: text) }

    private func message(_ channel: String, _ payload: String) -> RedisPush {
        .message(RedisMessage(subscription: RedisChannel(.channel, channel), channel: name(channel), payload: name(payload)))
    }
}
