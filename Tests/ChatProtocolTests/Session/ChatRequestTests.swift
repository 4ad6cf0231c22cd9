import ChatProtocol
import ConnectionEngine
import Testing

/// Requests other than messages. Rule NS-17.
@Suite struct ChatRequestTests {
    @Test func `A request is answered by its number`() {
        let script = ChatSessionScript.connected()
        script.perform(.request(.settings))
        script.perform(.request(.subscriptions))
        #expect(script.sent() == ["settings 1", "user.subscriptions 2"])
        script.receive(#"{"t":"ok","n":2,"users":[]}"#)
        script.no(1, 33003)
        #expect(script.answers() == [#"2 answer {"t":"ok","n":2,"users":[]}"#, "1 badRequest 33003"])
        script.no(1, 33003)
        script.receive(#"{"t":"ok","n":77}"#)
        #expect(script.answers() == [])
    }

    @Test func `A refusal carries its number and how long to wait`() {
        let script = ChatSessionScript.connected()
        let id = script.perform(.request(.settings))
        script.no(1, 20607, retryAfter: 1_500)
        let failure = script.failures[id]
        #expect(failure?.chatCode == ChatErrorCode(20607))
        #expect(failure?.retryAfter == .milliseconds(1_500))
        #expect(failure?.origin == .server)
    }

    @Test func `Without a session a request fails at once`() {
        let script = ChatSessionScript()
        script.perform(.request(.settings))
        script.handle(.connect(within: nil))
        script.perform(.request(.settings))
        script.handle(.opened(script.attempt))
        script.perform(.request(.settings))
        #expect(script.answers() == (1...3).map { "\($0) disconnected 30002" })
        #expect(script.sent() == ["hello token -"])
    }

    @Test func `RQ-3: a loss leaves requests unknown, and they are not sent again`() {
        let script = ChatSessionScript.connected()
        script.perform(.request(.settings))
        script.reconnect()
        #expect(script.answers() == ["1 unknown 31000"])
        #expect(script.sent() == ["settings 1", "hello token e/0 again"])
    }

    @Test func `Without an answer a request is unknown after its limit`() {
        let script = ChatSessionScript.connected()
        script.perform(.request(.settings))
        script.advance(.seconds(1))
        script.perform(.request(.blocklist))
        script.handle(.heard(script.attempt))
        script.advance(.seconds(1))
        #expect(script.answers() == ["1 unknown 31000"])
        script.handle(.heard(script.attempt))
        script.advance(.seconds(1))
        #expect(script.answers() == ["2 unknown 31000"])
    }

    @Test func `A thousand may wait for their answers`() {
        let script = ChatSessionScript.connected()
        for _ in 1...1_001 { script.perform(.request(.settings)) }
        #expect(script.answers() == ["1001 overloaded 30015"])
    }

    @Test func `Typing is said on a live session only`() {
        let script = ChatSessionScript()
        script.submit(.typing(to: "bob", type: "RC:TxtMsg"))
        script.connect()
        script.submit(.typing(to: "bob", type: "RC:TxtMsg"))
        #expect(script.sent() == ["hello token -", "typing"])
    }

    @Test func `A disconnect answers requests`() {
        let script = ChatSessionScript.connected()
        script.perform(.request(.settings))
        script.handle(.disconnect)
        #expect(script.answers() == ["1 unknown 31000"])
    }
}
