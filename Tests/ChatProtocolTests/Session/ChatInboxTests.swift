import ChatProtocol
import ConnectionEngine
import Testing

/// What must not be lost. Rules NS-3, NS-4, NS-8 and NS-9.
@Suite struct ChatInboxTests {
    /// Welcomed, with something missed on its way.
    private func catchingUp(resume: ChatPlace? = nil, q: UInt64 = 0) -> ChatSessionScript {
        let script = ChatSessionScript(resume: resume)
        script.handle(.connect(within: nil))
        script.handle(.opened(script.attempt))
        script.welcome(q: q)
        script.forget()
        return script
    }

    @Test func `Packages are told in order, and each next one is asked for once the last is kept`() {
        let script = catchingUp()
        script.package([1, 2, 5], more: true)
        #expect(script.told() == ["package 1 2 5 and more"])
        #expect(script.sent() == [])
        script.acknowledge(5)
        #expect(script.sent() == ["ack 5"])
        script.package([6], more: false)
        #expect(script.told() == ["package 6", "caught up"])
        script.acknowledge(6)
        #expect(script.sent() == ["ack 6"])
        #expect(script.machine.memory.resume == ChatPlace(epoch: "e", sequence: 6))
    }

    @Test func `Part of a package does not ask for the next one`() {
        let script = catchingUp()
        script.package([1, 2, 3], more: true)
        script.acknowledge(2)
        script.advance(.milliseconds(1_900))
        #expect(script.sent() == [])
        script.acknowledge(3)
        #expect(script.sent() == ["ack 3"])
    }

    @Test func `What was told before is dropped by its number`() {
        let script = catchingUp(resume: ChatPlace(epoch: "e", sequence: 10), q: 8)
        script.package([9, 10, 11], more: false)
        #expect(script.told() == ["package 11", "caught up"])
        script.event(11)
        script.event(10)
        script.event(13)
        script.event(12)
        #expect(script.told() == ["event 13"])
    }

    @Test func `A package that is known and kept is acknowledged by itself`() {
        let script = catchingUp(resume: ChatPlace(epoch: "e", sequence: 10), q: 8)
        script.package([9, 10], more: true)
        #expect(script.told() == [])
        #expect(script.sent() == ["ack 10"])
    }

    @Test func `What was told but not kept comes again, is not told again, and is acknowledged when it is kept`() {
        let script = ChatSessionScript.connected()
        script.event(1)
        script.event(2)
        script.close(nil)
        script.handle(.connect(within: nil))
        script.handle(.opened(script.attempt))
        script.welcome(q: 0)
        #expect(script.sent() == ["hello token e/0 again"])
        script.forget()
        script.package([1, 2], more: true)
        #expect(script.told() == [])
        #expect(script.sent() == [])
        script.acknowledge(2)
        #expect(script.sent() == ["ack 2"])
    }

    @Test func `What is kept while there is no link is where the next one goes on`() {
        let script = ChatSessionScript.connected()
        script.event(1)
        script.event(2)
        script.close(nil)
        script.acknowledge(2)
        script.handle(.connect(within: nil))
        script.handle(.opened(script.attempt))
        #expect(script.sent() == ["hello token e/2 again"])
    }

    @Test func `Acknowledgements of single events leave together after a second`() {
        let script = ChatSessionScript.connected()
        for sequence in 1...5 as ClosedRange<UInt64> {
            script.event(sequence)
            script.acknowledge(sequence)
        }
        #expect(script.sent() == [])
        script.advance(.seconds(1))
        #expect(script.sent() == ["ack 5"])
        script.advance(.milliseconds(900))
        #expect(script.sent() == [])
        script.event(6)
        script.acknowledge(6)
        script.advance(.seconds(1))
        #expect(script.sent().contains("ack 6"))
    }

    @Test func `They leave at once after a hundred events`() {
        let script = ChatSessionScript.connected()
        for sequence in 1...250 as ClosedRange<UInt64> {
            script.event(sequence)
            script.acknowledge(sequence)
        }
        #expect(script.sent() == ["ack 100", "ack 200"])
        script.advance(.seconds(1))
        #expect(script.sent() == ["ack 250"])
    }

    @Test(arguments: [(0, "e"), (3, "e"), (2, "old"), (2, "")] as [(UInt64, String)])
    func `A place that says nothing new, or of what was never told, is ignored`(place: UInt64, epoch: String) {
        let script = ChatSessionScript.connected()
        script.event(2)
        script.acknowledge(place, epoch: epoch)
        script.advance(.seconds(1))
        #expect(script.sent() == [])
        #expect(script.machine.memory.resume == ChatPlace(epoch: "e", sequence: 0))
    }

    @Test func `Numbers of another epoch start anew, and what the server has lost is a gap since the link was last heard`() {
        let script = ChatSessionScript.connected()
        script.event(40)
        script.acknowledge(40)
        script.advance(.seconds(1))
        script.reconnect(q: 2, epoch: "f", lost: true)
        #expect(script.told().suffix(4) == ["welcome ann", "<connected>", "gap 0.0", "caught up"])
        script.event(3)
        #expect(script.told() == ["event 3"])
        script.acknowledge(40)
        script.acknowledge(3, epoch: "f")
        #expect(script.machine.memory.resume == ChatPlace(epoch: "f", sequence: 3))
    }

    @Test func `Another epoch without a loss is no gap`() {
        let script = ChatSessionScript.connected()
        script.reconnect(q: 0, epoch: "f")
        #expect(!script.told().contains { $0.hasPrefix("gap") })
    }

    @Test func `A place that the inbox does not reach back to is a gap, also in the same epoch`() {
        let script = catchingUp(resume: ChatPlace(epoch: "e", sequence: 10), q: 10)
        script.close(nil)
        script.forget()
        script.handle(.connect(within: nil))
        script.open(q: 500, lost: true)
        #expect(script.told().contains { $0.hasPrefix("gap") })
        script.event(499)
        script.event(501)
        #expect(script.told() == ["event 501"])
    }

    @Test func `An event before the last package would hide what is missed, so the link is given up`() {
        let script = catchingUp()
        script.package([1], more: true)
        script.event(7)
        #expect(script.changes.last?.phase == .waiting)
        #expect(script.changes.last?.category == .malformedResponse)
        #expect(!script.told().contains("event 7"))
    }

    @Test func `A server that does not send what was missed is left after the request limit`() {
        let script = catchingUp()
        script.package([1], more: true)
        script.advance(.seconds(1))
        script.acknowledge(1)
        script.handle(.heard(script.attempt))
        script.advance(.milliseconds(1_999))
        #expect(script.machine.snapshot.phase == .connected)
        script.handle(.heard(script.attempt))
        script.advance(.milliseconds(1))
        #expect(script.changes.last?.category == .timeout)
        #expect(script.changes.last?.phase == .waiting)
    }

    @Test func `A package that its owner has not kept yet is no fault of the server`() {
        let script = catchingUp()
        script.package([1], more: true)
        for _ in 1...10 {
            script.advance(.seconds(1))
            script.handle(.heard(script.attempt))
        }
        #expect(script.machine.snapshot.phase == .connected)
    }

    @Test func `What cannot be read is told; before the last package it ends the link`() {
        let script = ChatSessionScript.connected()
        script.receive("{")
        #expect(script.told() == ["malformed"])
        #expect(script.machine.snapshot.phase == .connected)
        let late = catchingUp()
        late.receive(#"{"t":"pack","#)
        #expect(late.told() == ["malformed", "<waiting>"])
    }

    @Test func `An event of an unknown kind keeps its place`() {
        let script = ChatSessionScript.connected()
        script.receive(#"{"t":"in","q":4,"e":{"k":"marvel"}}"#)
        #expect(script.told() == ["event 4"])
        script.receive(#"{"t":"marvel","q":5}"#)
        #expect(script.told() == [])
    }

    @Test func `What is kept beyond a package is not acknowledged with it`() {
        let script = ChatSessionScript.connected()
        for sequence in 1...4 as ClosedRange<UInt64> { script.event(sequence) }
        script.close(nil)
        script.handle(.connect(within: nil))
        script.handle(.opened(script.attempt))
        script.welcome()
        script.forget()
        script.package([1, 2], more: true)
        script.acknowledge(4)
        #expect(script.sent() == ["ack 2"])
        script.package([3, 4], more: false)
        #expect(script.sent() == ["ack 4"])
    }

    @Test func `Part of the last package is acknowledged like single events`() {
        let script = catchingUp()
        script.package([1, 2, 3], more: false)
        script.acknowledge(2)
        #expect(script.sent() == [])
        script.advance(.seconds(1))
        #expect(script.sent() == ["ack 2"])
        script.acknowledge(3)
        #expect(script.sent() == ["ack 3"])
    }

    @Test func `What was told before the server lost it is no gap, and is not told again`() {
        let script = ChatSessionScript.connected()
        for sequence in 1...4 as ClosedRange<UInt64> { script.event(sequence) }
        script.close(nil)
        script.forget()
        script.handle(.connect(within: nil))
        script.handle(.opened(script.attempt))
        script.welcome(q: 3, lost: true)
        script.package([4, 5], more: false)
        #expect(script.told() == ["<connecting>", "welcome ann", "<connected>", "package 5", "caught up"])
        #expect(script.machine.memory.resume == ChatPlace(epoch: "e", sequence: 3))
    }
}
