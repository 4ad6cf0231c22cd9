import ChatServer
import ServerStorage
import Testing

@Suite("Devices of chat users (CH-14 to CH-19)")
struct ChatDeviceTests {
    private func refusal(_ script: inout ChatScript, _ signIn: ChatSignIn) -> Int? {
        let session = script.session()
        return script.code { book, now, _ in _ = try book.signIn(session, signIn, at: now) }
    }

    @Test("A second device of a class takes the place of the first, other classes do not matter")
    func kick() throws {
        var script = ChatScript()
        let first = try script.signIn("u", device: "a")
        let desk = try script.signIn("u", device: "b", as: .desktop)
        let next = script.session()
        let admittance = try script.book.signIn(next, ChatSignIn(user: "u", device: "c"), at: script.now)
        #expect(admittance.kicked == [first])
        #expect(script.book.sessions(of: "u") == [desk, next])
        #expect(script.book.connectionCount == 2)
        #expect(script.signOut(first, "u").isEmpty)
        #expect(script.book.connectionCount == 2)
    }

    @Test("The same device takes its own place, whatever its class")
    func replaced() throws {
        var script = ChatScript()
        let first = try script.signIn("u", device: "a")
        let again = script.session()
        let signIn = ChatSignIn(user: "u", device: "a", deviceClass: .web, isReconnect: true, yields: true)
        #expect(try script.book.signIn(again, signIn, at: script.now).kicked == [first])
    }

    /// isReconnect, yields, code.
    static let yielding: [(Bool, Bool, Int?)] = [
        (false, false, nil), (false, true, nil), (true, false, nil), (true, true, 31_023),
    ]

    @Test("A device that reconnects and yields is refused while another one is there", arguments: yielding)
    func yields(isReconnect: Bool, yields: Bool, code: Int?) throws {
        var script = ChatScript()
        let first = try script.signIn("u", device: "a")
        let signIn = ChatSignIn(user: "u", device: "b", isReconnect: isReconnect, yields: yields)
        #expect(refusal(&script, signIn) == code)
        #expect(script.book.sessions(of: "u").contains(first) == (code != nil))
        _ = script.signOut(first, "u")
        #expect(refusal(&script, signIn) == nil)
    }

    @Test("An application may allow several devices of a class: the oldest goes first")
    func several() throws {
        var limits = ChatLimits()
        limits.devicesPerClass = 2
        var script = ChatScript(limits: limits)
        let first = try script.signIn("u", device: "a"), second = try script.signIn("u", device: "b")
        let third = script.session()
        #expect(try script.book.signIn(third, ChatSignIn(user: "u", device: "c"), at: script.now).kicked == [first])
        #expect(script.book.sessions(of: "u") == [second, third])
    }

    @Test("An application has so many connections and no more, but one may replace another")
    func full() throws {
        var limits = ChatLimits()
        limits.connections = 2
        var script = ChatScript(limits: limits)
        _ = try script.signIn("a")
        _ = try script.signIn("b")
        #expect(refusal(&script, ChatSignIn(user: "c", device: "d")) == 31_024)
        #expect(refusal(&script, ChatSignIn(user: "a", device: "e")) == nil)
        #expect(refusal(&script, ChatSignIn(user: "a", device: "")) == 33_003)
    }

    @Test("A session may send so much a second; each has its own allowance")
    func rate() throws {
        var limits = ChatLimits()
        limits.sendsPerSecond = 5
        var script = ChatScript(limits: limits)
        let phone = try script.signIn("u"), desk = try script.signIn("u", device: "x", as: .desktop)
        func send(_ session: ChatSessionID) -> Int? {
            script.code { book, now, _ in
                _ = try book.admit(
                    ChatDraft(kind: .direct, to: "v", contentBytes: 1), from: "u", session: session.id, at: now)
            }
        }
        for _ in 0..<5 { #expect(send(phone) == nil) }
        #expect(send(phone) == 20_604)
        #expect(send(desk) == nil)
        script.now += 200
        #expect(send(phone) == nil)
        #expect(send(phone) == 20_604)
        script.now -= 3_600_000
        #expect(send(phone) == nil, "A clock that was set back must not silence anybody")
    }
}
