import ConnectionEngine
import Lifeline
import Testing
import WireCoding

@testable import LifelineCommand

@Suite("Lines of the demonstration (rule CL-92)")
struct DemoLineTests {
    private let timeline = DemoTimeline(start: Moment(nanoseconds: 1_000_000_000))
    private let at = Moment(nanoseconds: 2_500_000_000)

    @Test("For programs: events, causes and results, and no text")
    func json() throws {
        let clock = TimeOfDay()
        let event = try #require(timeline.line(at: at, "ann", "connected", colour: .green, "again").json(.pubnub, clock))
        let object = try JSONText(event)
        #expect(object.members?.map(\.key) == ["t", "time", "service", "ev", "who", "word", "text"])
        #expect(event.hasPrefix(#"{"t":2.500000,"time":""#) && event.contains(#""service":"pubnub","ev":"event","who":"ann""#))
        let cause = try #require(timeline.heading(at, "The line is cut").json(.pusher, clock))
        #expect(cause.hasSuffix(#""service":"pusher","ev":"cause","text":"The line is cut"}"#))
        let result = DemoLine.Result(
            addsUp: false, sent: 5, received: 4, duplicated: 0, lost: 1, declared: 0, problems: ["a \"b\""])
        let line = try #require(DemoLine.result(result).json(.nexconn, clock))
        #expect(
            line.hasSuffix(
                #""adds_up":false,"sent":5,"received":4,"duplicated":0,"lost":1,"declared":0,"problems":["a \"b\""]}"#))
        #expect(DemoLine.text("table").json(.pusher, clock) == nil)
    }

    @Test("A status has its cause, its pause and its category")
    func statuses() {
        func text(_ status: ConnectionStatus) -> String? {
            timeline.status(status, of: "ann")?.plain(Colours(isOn: false))
        }
        let cause = ConnectionFailure(.banned, "The user has been banned")
        #expect(text(.init(phase: .idle, category: .disconnected)) == nil)
        #expect(
            text(.init(phase: .connecting, category: .connecting, attempt: 1, at: at))
                == "   1.50  ann     connecting    attempt 2")
        #expect(text(.init(phase: .connected, category: .reconnected, at: at)) == "   1.50  ann     connected     again")
        #expect(
            text(.init(phase: .waiting, category: .banned, cause: cause, attempt: 2, retryIn: .milliseconds(500), at: at))
                == "   1.50  ann     reconnecting  The user has been banned. Retry 2 in 0.50 s. [banned]")
        #expect(
            text(.init(phase: .failed, category: .banned, cause: cause, at: at))
                == "   1.50  ann     failed        The user has been banned. The client does not try again. [banned]")
    }

    @Test("For people: seconds since the start, who, and what; results are in tables")
    func plain() {
        let colours = Colours(isOn: false)
        #expect(timeline.line(at: at, "ann", "connected", colour: .green).plain(colours) == "   1.50  ann     connected")
        #expect(timeline.heading(at, "Cut").plain(colours) == "   1.50  line    ●  Cut")
        let result = DemoLine.Result(
            addsUp: true, sent: 0, received: 0, duplicated: 0, lost: 0, declared: 0, problems: [])
        #expect(DemoLine.result(result).plain(colours) == nil && DemoLine.text("x").plain(colours) == "x")
    }
}
